"""What every mask of cross-attention has in common."""

import numpy as np

from attention_from_scratch.exercises.checking import require

# Two sequences: sources of three and five real tokens, targets of four and two; 0 is padding.
SOURCE = np.array([[3, 1, 2, 0, 0], [2, 2, 4, 1, 5]])
TARGET = np.array([[7, 8, 9, 7], [7, 9, 0, 0]])
# As long as each other, so that a mask with its axes swapped cannot be told by its shape.
SQUARE = np.array([[7, 8, 9, 7, 8], [7, 9, 0, 0, 0]])


def it_has_a_row_for_each_target_and_a_column_for_each_source(cross_attention_mask):
    """The mask has the shape (sequences, target tokens, source tokens).

    Queries come from the target, keys from the source. The two need not be of the same length, so this mask
    need not be a square.
    """
    shape = np.shape(cross_attention_mask(SOURCE.copy(), TARGET.copy()))
    require(shape == (2, 4, 5), f"shape {shape} for 2 sequences of 4 target and 5 source tokens")


def it_holds_true_and_false(cross_attention_mask):
    """Its entries are truth values: True where attention is allowed.

    A comparison such as `source != 0` gives truth values at once.
    """
    kind = np.asarray(cross_attention_mask(SOURCE.copy(), TARGET.copy())).dtype
    require(kind == np.bool_, f"entries of type {kind}")


def the_sources_padding_is_closed(cross_attention_mask):
    """No query may attend to padding of the source.

    Padding is a matter of keys here, and keys are the source. Where `source` is 0, the whole column of that
    sequence is False.
    """
    mask = _mask(cross_attention_mask, SQUARE)
    for sequence, place in zip(*np.nonzero(SOURCE == 0), strict=True):
        require(
            not mask[sequence, :, place].any(),
            f"in sequence {sequence}, source token {place} is padding and may be seen",
        )


def a_real_query_sees_the_whole_source(cross_attention_mask):
    """Every real token of the target may attend to every real token of the source, the last ones included.

    The source is known before the first token is written: nothing in it is later. A causal mask belongs to
    the decoder's self-attention.
    """
    for target in (TARGET, SQUARE):
        mask = _mask(cross_attention_mask, target)
        for sequence, query in zip(*np.nonzero(target != 0), strict=True):
            for key in np.flatnonzero(SOURCE[sequence] != 0):
                require(
                    mask[sequence, query, key],
                    f"in sequence {sequence}, target token {query} may not see the real source token {key}",
                )


def no_row_is_empty(cross_attention_mask):
    """A query at the target's padding sees the source, too.

    Its output is left out of the loss. If its row allows nothing, the softmax divides zero by zero, and the
    NaN goes on to everything that adds it up.
    """
    for target in (TARGET, SQUARE):
        empty = np.argwhere(~_mask(cross_attention_mask, target).any(axis=-1))
        require(not len(empty), f"sequence, query {empty[:1].tolist()} may attend to nothing")


def it_leaves_its_inputs_alone(cross_attention_mask):
    """Sources and targets are the same afterwards.

    Other layers need them. Make a new array.
    """
    source, target = SOURCE.copy(), TARGET.copy()
    shape = np.shape(cross_attention_mask(source, target))
    require(len(shape) == 3, f"shape {shape}, not one with three axes")
    require((source == SOURCE).all() and (target == TARGET).all(), "an input was changed")


def _mask(cross_attention_mask, target):
    mask = np.asarray(cross_attention_mask(SOURCE.copy(), target.copy()))
    shape = (2, target.shape[1], 5)
    require(mask.shape == shape, f"shape {mask.shape}, not {shape}")
    return mask.astype(bool)


PROPERTIES = (
    it_has_a_row_for_each_target_and_a_column_for_each_source,
    it_holds_true_and_false,
    the_sources_padding_is_closed,
    a_real_query_sees_the_whole_source,
    no_row_is_empty,
    it_leaves_its_inputs_alone,
)
