"""What saying one word costs each speller: multiply-adds of matrix products, counted, never timed.

Biases, norms, gates' nonlinearities and the softmax are of a lower order and left out. The transformer keeps
its keys and values (`decoding.cost`).
"""

from __future__ import annotations

from collections.abc import Mapping

from attention_from_scratch import decoding
from attention_from_scratch.costs import GATES
from attention_from_scratch.tasks.spelling import SOUND_TOKENS

EMBEDDING = 64  # width of the recurrent spellers' embeddings


def multiply_adds(model: str, sizes: Mapping[str, int], letters: int, steps: int) -> int:
    """Of reading a word and saying it.

    Args:
        model: `transformer`, `lstm`, `lstm_attention`, `gru` or `gru_attention`.
        sizes: of it, as `models.spellers` takes them.
        letters: of the word.
        steps: sounds, and the end.
    """
    if model == "transformer":
        return _transformer(sizes, letters, steps)
    cell, _, attention = model.partition("_")
    return _recurrent(GATES[cell], sizes["units"], bool(attention), letters, steps)


def _transformer(sizes: Mapping[str, int], letters: int, steps: int) -> int:
    width, blocks = sizes["width"], sizes["blocks"]
    token = 4 * width * width + 2 * width * sizes["feed_forward"]
    encoder = blocks * (letters * token + 2 * letters * letters * width)
    decoder = decoding.cost(
        steps,
        letters,
        d_model=width,
        num_heads=sizes["num_heads"],
        feed_forward=sizes["feed_forward"],
        blocks=blocks,
        target_tokens=SOUND_TOKENS,
    )
    return encoder + decoder.multiply_adds


def _recurrent(gates: int, units: int, attention: bool, letters: int, steps: int) -> int:
    both = 2 * units  # width of the decoder, and of what the encoder leaves at a letter
    encoder = 2 * letters * gates * units * (EMBEDDING + units)
    fed = EMBEDDING + (both if attention else 0)
    step = gates * both * (fed + both) + both * SOUND_TOKENS
    if attention:
        step += both * both + 2 * letters * both + 2 * both * both  # query, scores and mean, joined
    return encoder + steps * step
