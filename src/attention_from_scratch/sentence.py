"""One sentence with vectors chosen by hand, small enough to follow with a pencil.

Nobody trained these numbers. Four words have features; the others are zeros: they ask nothing, are found by
nothing, and still get a share. The kernels turn features into queries, keys and values.
"""

import numpy as np
from jaxtyping import Float

from attention_from_scratch.heads import Projections

SENTENCE = tuple(
    ["The", "animal", "didn’t", "cross", "the", "street", "because", "it", "was", "too", "tired"]
)
# The same place in a shorter sentence, padded to the length of its batch, for masks.
PADDED = ("The", "animal", "stopped", "because", "it", "was", "tired", "pad", "pad")
FEATURES = ("thing", "alive", "asks")

_FEATURES_OF = {
    "animal": (1, 1, 0),
    "street": (1, -1, 0),
    "it": (0, 0, 1),
    "tired": (0, 1, 0),
    "lost": (0.5, 1, 0),
}
# A padded place is not silent: what it holds is whatever stood in memory.
_FEATURES_OF["pad"] = (0.5, 1, 0)

QUERY_KERNEL = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
KEY_KERNEL = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
VALUE_KERNEL = np.array([[3.0, 0.0], [0.0, 2.0], [0.0, 1.0]])

# Two heads for the same words. The first is the one above: “it” finds a thing that is alive. The second
# asks how it is. What they hand on is mixed by one kernel, back into the words' three features.
HEADS = Projections(
    query_kernel=np.stack([QUERY_KERNEL, [[0.0, 0.0], [-1.0, 2.0], [-2.0, 4.0]]], axis=1),
    query_bias=np.zeros((2, 2)),
    key_kernel=np.stack([KEY_KERNEL, KEY_KERNEL], axis=1),
    key_bias=np.zeros((2, 2)),
    value_kernel=np.stack([VALUE_KERNEL, [[1.0, 0.0], [0.0, 3.0], [0.0, 0.0]]], axis=1),
    value_bias=np.zeros((2, 2)),
    output_kernel=np.array([[[0.5, 0.0, 0.0], [0.0, 0.5, 0.0]], [[0.0, 0.0, -0.5], [0.0, 0.5, 0.0]]]),
    output_bias=np.zeros(3),
)
# A feed-forward layer on these features: four hidden numbers.
HIDDEN_KERNEL = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0], [0.0, 1.0, 0.0, 1.0]])
OUTPUT_KERNEL = np.array([[0.5, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0], [-0.5, 0.0, 0.0]])
TELLING = ("animal", "street", "it", "tired")
"""The words that have features."""


def tokens(words: tuple[str, ...]) -> Float[np.ndarray, "#words 3"]:
    """The features of each word, one row a word; zeros for a word that has none."""
    return np.array([_FEATURES_OF.get(word, (0, 0, 0)) for word in words], dtype=float)


def queries_and_keys(
    words: tuple[str, ...],
) -> tuple[Float[np.ndarray, "#words 2"], Float[np.ndarray, "#words 2"]]:
    """`X @ W_Q` and `X @ W_K` of the words."""
    x = tokens(words)
    return x @ QUERY_KERNEL, x @ KEY_KERNEL
