"""Functions that name the wrong head."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _best(scores):
    """The place of the largest score, given as {offset: (blocks, heads)}."""
    offset = max(scores, key=lambda o: scores[o].max())
    block, head = np.unravel_index(scores[offset].argmax(), scores[offset].shape)
    return int(block), int(head), offset


def _along(weights, offset):
    return np.diagonal(weights, offset=offset, axis1=-2, axis2=-1)


def sharpest_head(weights):
    """The head with the largest weights wins, wherever it looks."""
    return _best({-1: weights.max(axis=-1).mean(axis=(1, -1))})


def own_place_included(weights):
    """A head that looks at itself counts as one that shifts."""
    return _best({o: _along(weights, o).mean(axis=(1, -1)) for o in (-1, 0, 1)})


def keys_and_queries_exchanged(weights):
    """The offset is counted from the key to the query: back and on are exchanged."""
    block, head, offset = _best({o: _along(weights, o).mean(axis=(1, -1)) for o in (-1, 1)})
    return block, head, -offset


def first_block_only(weights):
    """Only the first block is searched."""
    return _best({o: _along(weights[:1], o).mean(axis=(1, -1)) for o in (-1, 1)})


def first_sequence_only(weights):
    """Only the first sequence is looked at."""
    return _best({o: _along(weights[:, 0], o).mean(axis=-1) for o in (-1, 1)})


def one_query_decides(weights):
    """The largest weight on the diagonal decides, instead of the mean."""
    return _best({o: _along(weights, o).mean(axis=1).max(axis=-1) for o in (-1, 1)})


def heads_averaged(weights):
    """The heads are averaged before anybody looks at one of them."""
    block, _, offset = _best({o: _along(weights, o).mean(axis=(1, 2, -1))[:, np.newaxis] for o in (-1, 1)})
    return block, 0, offset


def flat_index(weights):
    """The place in the flat array is returned, without blocks and heads."""
    return _along(weights, -1).mean(axis=(1, -1)).argmax()


def always_back(weights):
    """Only the offset -1 is tried."""
    return _best({-1: _along(weights, -1).mean(axis=(1, -1))})


def four_heads_assumed(weights):
    """The number of heads is written into the code."""
    scores = {o: _along(weights, o).mean(axis=(1, -1)) for o in (-1, 1)}
    offset = max(scores, key=lambda o: scores[o].max())
    return *divmod(int(scores[offset].argmax()), 4), offset


MISTAKES = (
    Mistake(sharpest_head, "a_sharper_head_is_no_shift"),
    Mistake(own_place_included, "a_sharper_head_is_no_shift"),
    Mistake(keys_and_queries_exchanged, "it_tells_back_from_on"),
    Mistake(first_block_only, "it_looks_in_every_block"),
    Mistake(first_sequence_only, "one_sequence_is_not_enough"),
    Mistake(one_query_decides, "one_query_is_not_enough"),
    Mistake(heads_averaged, "it_finds_the_head_wherever_it_is"),
    Mistake(flat_index, "it_names_a_block_a_head_and_an_offset"),
    Mistake(always_back, "it_tells_back_from_on"),
    Mistake(four_heads_assumed, "any_number_of_blocks_and_heads_will_do"),
)
