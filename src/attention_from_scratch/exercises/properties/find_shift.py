"""What every function has in common that finds the head which carries a shift."""

import numpy as np

from attention_from_scratch.exercises.checking import require


def first_block_weights(seed=0, head=2, offset=-1, heads=4, sequences=40, length=12):
    """Attention weights as the first block of a match-then-read model has them, and the places of the cue.

    Made from a seed, not trained. One head links the answer's position to the cue's, and only there: that is
    where the task needs it. The others look at the first token, at themselves, or at everything alike.

    Args:
        seed: of the random numbers.
        head: the head that shifts, from zero.
        offset: where it looks: -1 from the answer one back to the cue, +1 from the cue one on to the answer.
        heads: number of heads.
        sequences: number of sequences.
        length: tokens in each.

    Returns:
        Weights of shape (sequences, heads, queries, keys), whose last axis sums to one, and the place of
        the cue in each sequence; the answer stands one place after it.
    """
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(sequences, heads, length, length)) * 0.4
    places = rng.integers(0, length - 2, size=sequences)
    rows, spots = np.arange(sequences), np.arange(length)
    for each in range(heads):
        if each == head:
            asking = places + 1 if offset == -1 else places
            logits[rows, each, asking, asking + offset] += 3
        elif each % 3 == 0:
            logits[:, each, :, 0] += 1
        elif each % 3 == 1:
            logits[:, each, spots, spots] += 1
    exponentials = np.exp(logits)
    return exponentials / exponentials.sum(axis=-1, keepdims=True), places


def it_names_a_head_and_an_offset(find_shift):
    """The answer is two whole numbers: the head, counted from zero, and the offset, -1 or +1.

    `argmax` finds the place of the largest number in a row. Of a table it gives the place in the flat
    table; `np.unravel_index` turns that into one place on each axis.
    """
    _, offset = _answer(find_shift, *first_block_weights())
    require(offset in (-1, 1), f"the offset {offset}")


def it_finds_the_head_wherever_it_is(find_shift):
    """The head is found whichever it is.

    For each head, average over sequences the weight that the answer's position gives to the cue's. Each
    sequence has its cue in another place: index with `np.arange(sequences)` beside the places.
    """
    for head in range(4):
        found, _ = _answer(find_shift, *first_block_weights(seed=head + 1, head=head))
        require(found == head, f"head {found}; it was head {head}")


def it_tells_back_from_on(find_shift):
    """Offset -1 means that the answer looks back at the cue; +1 that the cue looks on at the answer.

    Queries are on the axis before the last, keys on the last. Offset is the key's position less the query's.
    """
    for seed, offset in ((11, -1), (12, 1)):
        _, found = _answer(find_shift, *first_block_weights(seed=seed, offset=offset))
        require(found == offset, f"offset {found} for a head that looks at offset {offset}")


def only_the_cue_and_its_answer_count(find_shift):
    """A head that looks at its neighbour everywhere else does not win.

    The task needs the shift between the cue and its answer, and nowhere else. A mean over all positions
    hardly sees it. Read the weights where the cue is.
    """
    for seed, offset in ((21, -1), (22, 1)):
        weights, places = first_block_weights(seed=seed, offset=offset)
        for query in range(12):
            if 0 <= query + offset < 12:
                elsewhere = (query != places) & (query != places + 1)
                weights[elsewhere, 1, query] = np.eye(12)[query + offset]
        found, _ = _answer(find_shift, weights, places)
        require(found == 2, f"head {found}, which shifts everywhere but at the cue; it was head 2")


def a_sharper_head_is_no_shift(find_shift):
    """A head that looks hard at one place, or at itself, does not win.

    Sharpness is not the question. What counts is where the answer's position looks, and where the cue's does.
    """
    weights, places = first_block_weights(seed=31)
    places = np.maximum(places, 2)
    weights[np.arange(40), 2, places + 1] = 0.4 / 11
    weights[np.arange(40), 2, places + 1, places] = 0.6
    weights[:, 0], weights[:, 1] = np.eye(12)[0], np.eye(12)
    found, _ = _answer(find_shift, weights, places)
    require(found == 2, f"head {found}; it was head 2")


def one_sequence_is_not_enough(find_shift):
    """What a head does in one sequence by accident does not count.

    Average over the sequences, the first axis.
    """
    for unusual in (0, -1):
        weights, places = first_block_weights(seed=41)
        weights[unusual, [2, 3]] = weights[unusual, [3, 2]]
        found, _ = _answer(find_shift, weights, places)
        require(found == 2, f"head {found}; it was head 2")


def each_sequence_has_its_own_place(find_shift):
    """A head that looks at its neighbour where the first sequence has its cue does not win.

    `weights[:, :, places + 1, places]` pairs every sequence with every place. With
    `np.arange(sequences)` as the first index, each sequence is read at its own place.
    """
    for first in (0, -1):
        weights, places = first_block_weights(seed=61)
        others, place = places != places[first], places[first]
        weights[others, 3, place + 1] = np.eye(12)[place]
        found, _ = _answer(find_shift, weights, places)
        require(found == 2, f"head {found}; it was head 2")


def any_number_of_heads_and_tokens_will_do(find_shift):
    """Other numbers of heads, sequences and tokens work as well.

    Read the sizes from the shape.
    """
    for sizes in ({"heads": 2, "head": 1}, {"heads": 8, "head": 6, "length": 9}, {"sequences": 10}):
        weights, places = first_block_weights(seed=51, **sizes)
        found, _ = _answer(find_shift, weights, places)
        wanted = sizes.get("head", 2)
        require(found == wanted, f"head {found} for weights of shape {weights.shape}; it was head {wanted}")


def _answer(find_shift, weights, places):
    answer = find_shift(weights.copy(), places.copy())
    try:
        head, offset = (int(part) for part in answer)
    except (TypeError, ValueError):
        require(False, f"{answer!r}, which is not two whole numbers")
    return head, offset


PROPERTIES = (
    it_names_a_head_and_an_offset,
    it_finds_the_head_wherever_it_is,
    it_tells_back_from_on,
    only_the_cue_and_its_answer_count,
    a_sharper_head_is_no_shift,
    one_sequence_is_not_enough,
    each_sequence_has_its_own_place,
    any_number_of_heads_and_tokens_will_do,
)
