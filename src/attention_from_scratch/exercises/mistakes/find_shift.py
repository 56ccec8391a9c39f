"""Functions that name the wrong head."""

import numpy as np

from attention_from_scratch.exercises.exercise import Mistake


def _at_the_cue(weights, places):
    """By offset: the weight between cue and answer, in each sequence and head."""
    rows = np.arange(len(weights))
    return {-1: weights[rows, :, places + 1, places], 1: weights[rows, :, places, places + 1]}


def _best(scores):
    """The head and offset of the largest score, given as {offset: heads}."""
    offset = max(scores, key=lambda each: scores[each].max())
    return scores[offset].argmax(), offset


def all_positions_averaged(weights, places):
    """The weight on the neighbour is averaged over all positions, of which the cue is only one."""
    return _best({o: np.diagonal(weights, o, axis1=-2, axis2=-1).mean(axis=(0, -1)) for o in (-1, 1)})


def sharpest_head(weights, places):
    """The head with the largest weights wins, wherever it looks."""
    return weights.max(axis=-1).mean(axis=(0, -1)).argmax(), -1


def own_place_included(weights, places):
    """A head whose cue looks at itself counts as one that shifts."""
    itself = {0: weights[np.arange(len(weights)), :, places, places]}
    return _best({o: w.mean(axis=0) for o, w in (_at_the_cue(weights, places) | itself).items()})


def keys_and_queries_exchanged(weights, places):
    """Keys are taken for queries: back and on are exchanged."""
    head, offset = _best({o: w.mean(axis=0) for o, w in _at_the_cue(weights, places).items()})
    return head, -offset


def first_sequence_only(weights, places):
    """Only the first sequence is looked at."""
    return _best({o: w[0] for o, w in _at_the_cue(weights, places).items()})


def one_place_for_all(weights, places):
    """The first sequence's place is used for all sequences."""
    return _best(
        {o: w.mean(axis=0) for o, w in _at_the_cue(weights, np.full_like(places, places[0])).items()}
    )


def asked_from_the_end(weights, places):
    """The last position's weights are read: that is the question's, whose turn comes in the second block."""
    return weights[np.arange(len(weights)), :, -1, places].mean(axis=0).argmax(), -1


def heads_averaged(weights, places):
    """The heads are averaged before anybody looks at one of them."""
    means = {o: w.mean() for o, w in _at_the_cue(weights, places).items()}
    return 0, max(means, key=means.get)


def offset_forgotten(weights, places):
    """The head is returned, and no offset."""
    return _best({o: w.mean(axis=0) for o, w in _at_the_cue(weights, places).items()})[0]


def always_back(weights, places):
    """Only the offset -1 is tried."""
    return _best({-1: _at_the_cue(weights, places)[-1].mean(axis=0)})


def four_heads_assumed(weights, places):
    """The number of heads is written into the code."""
    return _best({o: w[:, :4].mean(axis=0) for o, w in _at_the_cue(weights, places).items()})


MISTAKES = (
    Mistake(all_positions_averaged, "only_the_cue_and_its_answer_count"),
    Mistake(sharpest_head, "a_sharper_head_is_no_shift"),
    Mistake(own_place_included, "a_sharper_head_is_no_shift"),
    Mistake(keys_and_queries_exchanged, "it_tells_back_from_on"),
    Mistake(first_sequence_only, "one_sequence_is_not_enough"),
    Mistake(one_place_for_all, "each_sequence_has_its_own_place"),
    Mistake(asked_from_the_end, "it_finds_the_head_wherever_it_is"),
    Mistake(heads_averaged, "it_finds_the_head_wherever_it_is"),
    Mistake(offset_forgotten, "it_names_a_head_and_an_offset"),
    Mistake(always_back, "it_tells_back_from_on"),
    Mistake(four_heads_assumed, "any_number_of_heads_and_tokens_will_do"),
)
