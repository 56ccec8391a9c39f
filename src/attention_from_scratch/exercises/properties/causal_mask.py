"""What every causal mask has in common."""

import numpy as np

from attention_from_scratch.exercises.checking import require

LENGTHS = (1, 2, 5)


def it_has_a_row_for_each_query_and_a_column_for_each_key(causal_mask):
    """The mask of n tokens has n rows (queries) and n columns (keys).

    Compare a column of query positions with a row of key positions: NumPy broadcasts them to a square.
    """
    for length in LENGTHS:
        shape = np.shape(causal_mask(length))
        require(shape == (length, length), f"shape {shape} for {length} tokens")


def it_holds_true_and_false(causal_mask):
    """Its entries are truth values: True where attention is allowed.

    Numbers to add to the scores come later. A comparison such as `a <= b` gives truth values at once;
    `.astype(bool)` turns ones and zeros into them.
    """
    kind = np.asarray(causal_mask(3)).dtype
    require(kind == np.bool_, f"entries of type {kind}")


def a_position_sees_itself(causal_mask):
    """Every position may attend to itself.

    The diagonal is allowed: use "not later than", instead of "earlier than". With a strict comparison the
    first position could attend to nothing at all.
    """
    for length in LENGTHS:
        mask = _mask(causal_mask, length)
        for position in range(length):
            require(mask[position, position], f"of {length} tokens, token {position} may not see itself")


def the_past_is_open(causal_mask):
    """Every position may attend to all earlier positions.

    Rows are queries and columns are keys. If only the past is blocked, the mask is transposed, or True
    means "blocked" in it.
    """
    for length in LENGTHS:
        mask = _mask(causal_mask, length)
        for query in range(length):
            for key in range(query):
                require(
                    mask[query, key], f"of {length} tokens, query {query} may not see the earlier key {key}"
                )


def the_future_is_closed(causal_mask):
    """No position may attend to a later one.

    In row i, the columns after i must be False. Print the mask of three tokens and read its first row.
    """
    for length in LENGTHS:
        mask = _mask(causal_mask, length)
        for query in range(length):
            for key in range(query + 1, length):
                require(not mask[query, key], f"of {length} tokens, query {query} sees the later key {key}")


def _mask(causal_mask, length):
    mask = np.asarray(causal_mask(length))
    require(mask.shape == (length, length), f"shape {mask.shape} for {length} tokens")
    return mask.astype(bool)


PROPERTIES = (
    it_has_a_row_for_each_query_and_a_column_for_each_key,
    it_holds_true_and_false,
    a_position_sees_itself,
    the_past_is_open,
    the_future_is_closed,
)
