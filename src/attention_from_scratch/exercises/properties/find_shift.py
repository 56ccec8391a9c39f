"""What every function has in common that finds the head which carries a shift."""

import numpy as np

from attention_from_scratch.exercises.checking import require


def two_block_weights(seed=0, block=0, head=2, offset=-1, blocks=2, heads=4, sequences=30, length=12):
    """Attention weights as a two-block model has them, with one head that carries a shift.

    Made from a seed, not trained. The other heads do what heads do: look at everything alike, at themselves,
    at the first token, or at a token that they recognise, wherever it stands.

    Args:
        seed: of the random numbers.
        block: the block with the head that shifts, from zero.
        head: that head, from zero.
        offset: where it looks: -1 one token back, +1 one token on.
        blocks: number of blocks.
        heads: number of heads in each.
        sequences: number of sequences.
        length: tokens in each.

    Returns:
        An array of shape (blocks, sequences, heads, queries, keys) whose last axis sums to one.
    """
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(blocks, sequences, heads, length, length)) * 0.4
    places = np.arange(length)
    for each in np.ndindex(blocks, heads):
        layer = logits[each[0], :, each[1]]
        if each == (block, head):
            inside = (places + offset >= 0) & (places + offset < length)
            layer[:, places[inside], places[inside] + offset] += 4
            continue
        habit = (each[0] + each[1]) % 4
        if habit == 0:
            layer[:, :, 0] += 3
        elif habit == 1:
            layer[:, places, places] += 3
        elif habit == 2:
            layer[np.arange(sequences), :, rng.integers(0, length, sequences)] += 3
    exponentials = np.exp(logits)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def it_names_a_block_a_head_and_an_offset(find_shift):
    """The answer is three whole numbers: block, head, offset.

    Count blocks and heads from zero. `np.unravel_index` turns a place in a flat array into one
    place on each axis.
    """
    _answer(find_shift, two_block_weights())


def it_finds_the_head_wherever_it_is(find_shift):
    """The head is found in any place of the first block.

    For each head, average the weight that query i gives to key i + offset, over sequences and over all
    queries that have such a key: the mean of a diagonal. The head with the largest mean is the one.
    """
    for head in range(4):
        block, found, _ = _answer(find_shift, two_block_weights(seed=head + 1, head=head))
        require((block, found) == (0, head), f"block {block}, head {found}; it was block 0, head {head}")


def it_looks_in_every_block(find_shift):
    """The head is found in the second block as well.

    The first axis is the block. Nothing says that the shift is in the first one.
    """
    for head in (0, 3):
        block, found, _ = _answer(find_shift, two_block_weights(seed=head + 5, block=1, head=head))
        require((block, found) == (1, head), f"block {block}, head {found}; it was block 1, head {head}")


def it_tells_back_from_on(find_shift):
    """Offset -1 means that a token looks one back; +1 that it looks one on.

    Queries are on the axis before the last, keys on the last. Offset is key less query:
    `np.diagonal(weights, offset=-1, axis1=-2, axis2=-1)` runs over the keys one before their query.
    """
    for seed, offset in ((11, -1), (12, 1)):
        *_, found = _answer(find_shift, two_block_weights(seed=seed, offset=offset))
        require(found == offset, f"offset {found} for a head that looks at offset {offset}")


def a_sharper_head_is_no_shift(find_shift):
    """A head that looks hard at one place, or at itself, does not win.

    The largest weights belong to heads that always look at the first token or at themselves. Sharpness is
    not the question; where they look, from each query, is.
    """
    for seed in (21, 22):
        weights = two_block_weights(seed=seed)
        first, itself = weights[0, :, 0], weights[0, :, 1]
        first[:], itself[:] = 0, 0
        first[..., 0] = 1
        itself[...] = np.eye(12)
        block, found, _ = _answer(find_shift, weights)
        require((block, found) == (0, 2), f"block {block}, head {found}; it was block 0, head 2")


def one_sequence_is_not_enough(find_shift):
    """What a head does in one sequence by accident does not count.

    Average over the sequences, the second axis.
    """
    for unusual in (0, -1):
        weights = two_block_weights(seed=31)
        weights[0, unusual, [2, 3]] = weights[0, unusual, [3, 2]]
        block, found, _ = _answer(find_shift, weights)
        require((block, found) == (0, 2), f"block {block}, head {found}; it was block 0, head 2")


def one_query_is_not_enough(find_shift):
    """What a head does for one query does not count.

    A head that always looks at the first token looks one back from the second. Average along the diagonal.
    """
    for query in (1, 6):
        weights = two_block_weights(seed=41)
        weights[0, :, 0] = 1 / 12
        weights[0, :, 0, query] = np.eye(12)[query - 1]
        block, found, _ = _answer(find_shift, weights)
        require((block, found) == (0, 2), f"block {block}, head {found}; it was block 0, head 2")


def any_number_of_blocks_and_heads_will_do(find_shift):
    """Other numbers of blocks, heads and tokens work as well.

    Read the sizes from the shape.
    """
    for sizes in (
        {"blocks": 3, "heads": 2, "head": 1},
        {"heads": 8, "head": 6, "length": 9},
        {"sequences": 5},
    ):
        weights = two_block_weights(seed=51, **sizes)
        block, found, _ = _answer(find_shift, weights)
        wanted = (0, sizes.get("head", 2))
        require((block, found) == wanted, f"block {block}, head {found} for {weights.shape}; it was {wanted}")


def _answer(find_shift, weights):
    answer = find_shift(weights.copy())
    try:
        block, head, offset = (int(part) for part in answer)
    except (TypeError, ValueError):
        require(False, f"{answer!r}, which is not three whole numbers")
    return block, head, offset


PROPERTIES = (
    it_names_a_block_a_head_and_an_offset,
    it_finds_the_head_wherever_it_is,
    it_looks_in_every_block,
    it_tells_back_from_on,
    a_sharper_head_is_no_shift,
    one_sequence_is_not_enough,
    one_query_is_not_enough,
    any_number_of_blocks_and_heads_will_do,
)
