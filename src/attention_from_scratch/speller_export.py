"""The page's spellers as files that a browser can read: rounded weights, what they mean, and words to try.

`NAME.bin.gz` is packed: for each vector its float32 numbers, for each kernel a float32 step a column; behind
these, for each kernel its levels as int8. All are little-endian, in C order. `NAME.json` says where each
begins, and which logits Keras computed for a few words, so that a forward pass written elsewhere can prove
itself before it shows anything.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from attention_from_scratch.quantised import Quantised, quantise
from attention_from_scratch.tasks import spelling
from attention_from_scratch.tasks.spelling import Word
from attention_from_scratch.transformer import EPSILON

TEST_WORDS, TEST_STEP = 12, 3  # whose logits the manifest holds, and at which step
TOLERANCE = 1e-4  # of logits, for an implementation that sums in another order

# A common word for each sound, and the letters that stand for it there.
EXAMPLES = {
    **{"AA": ("father", "a"), "AE": ("cat", "a"), "AH": ("cup", "u"), "AO": ("law", "aw")},
    **{"AW": ("cow", "ow"), "AY": ("time", "i"), "EH": ("bed", "e"), "ER": ("bird", "ir")},
    **{"EY": ("day", "ay"), "IH": ("sit", "i"), "IY": ("see", "ee"), "OW": ("go", "o")},
    **{"OY": ("boy", "oy"), "UH": ("book", "oo"), "UW": ("food", "oo")},
    **{"B": ("boy", "b"), "CH": ("chair", "ch"), "D": ("day", "d"), "DH": ("this", "th")},
    **{"F": ("fish", "f"), "G": ("go", "g"), "HH": ("hat", "h"), "JH": ("joy", "j"), "K": ("key", "k")},
    **{"L": ("leg", "l"), "M": ("man", "m"), "N": ("not", "n"), "NG": ("sing", "ng"), "P": ("pen", "p")},
    **{"R": ("red", "r"), "S": ("sun", "s"), "SH": ("she", "sh"), "T": ("ten", "t"), "TH": ("think", "th")},
    **{"V": ("van", "v"), "W": ("wet", "w"), "Y": ("yes", "y"), "Z": ("zoo", "z"), "ZH": ("vision", "si")},
}


def packed(
    model: str, weights: Mapping[str, np.ndarray], levels: int, test: Mapping[str, Any], num_heads: int = 0
) -> tuple[bytes, dict[str, Any]]:
    """The weights as compressed bytes, and the manifest.

    Args:
        model: `transformer` or `lstm`.
        weights: by name, rounded (`quantised.rounded`).
        levels: to which they are.
        test: words, what the decoder was given, and the logits that Keras computed.
        num_heads: of the transformer.

    Raises:
        ValueError: there are no weights.
    """
    if not weights:
        raise ValueError("no weights to pack")
    parts = {name: array if array.ndim == 1 else quantise(array, levels) for name, array in weights.items()}
    arrays, numbers, whole = {}, [], []
    place = 0
    for name, part in parts.items():
        floats = part.steps if isinstance(part, Quantised) else part
        key = "steps" if isinstance(part, Quantised) else "offset"
        arrays[name] = {"name": name, "shape": list(weights[name].shape), key: place}
        numbers.append(np.ascontiguousarray(floats, "<f4").tobytes())
        place += 4 * floats.size
    for name, part in parts.items():
        if isinstance(part, Quantised):
            arrays[name]["levels"] = place
            whole.append(np.ascontiguousarray(part.levels, np.int8).tobytes())
            place += part.levels.size
    blocks = sum(name.endswith("_cross.query.kernel") for name in weights)
    return _gzipped(b"".join([*numbers, *whole])), {
        "model": model,
        "weights": f"{model}.bin.gz",
        "bytes": place,
        "parameters": sum(array.size for array in weights.values()),
        "num_heads": num_heads,
        "blocks": blocks,
        "layer_norm_epsilon": EPSILON,
        "letters": spelling.LETTERS,
        "sounds": list(spelling.SOUNDS),
        "shortest": spelling.SHORTEST,
        "longest": spelling.LONGEST,
        "steps": spelling.STEPS,
        "arrays": list(arrays.values()),
        "test": {**test, "tolerance": TOLERANCE},
    }


def test_of(words: Sequence[Word], logits: np.ndarray) -> dict[str, Any]:
    """A few words with the logits that Keras computed for one step of each.

    Args:
        words: those that the logits are of, the first ones first.
        logits: (words, steps, sounds), the listed sounds before each step given.
    """
    few = words[:TEST_WORDS]
    return {
        "words": [word.letters for word in few],
        "previous": spelling.pairs(few).previous.tolist(),
        "step": TEST_STEP,
        "logits": np.round(logits[:TEST_WORDS, TEST_STEP].astype(float), 6).tolist(),
    }


def words_to_try(words: Sequence[Word], said: Mapping[str, Int[np.ndarray, "words steps"]]) -> dict[str, Any]:
    """The held-out words with their listed pronunciations, and which of them each model says wrongly.

    Args:
        words: in the order of what was said.
        said: what each model says, by its name.
    """
    wrong = {
        model: [
            index
            for index, (word, row) in enumerate(zip(words, rows, strict=True))
            if spelling.sounds_of(row) not in word.pronunciations
        ]
        for model, rows in said.items()
    }
    return {
        "words": [word.letters for word in words],
        "listed": ["|".join(" ".join(spoken) for spoken in word.pronunciations) for word in words],
        "wrong": wrong,
        "examples": {sound: list(example) for sound, example in EXAMPLES.items()},
        "licence": "cmudict-licence.txt",
    }


def files(
    runs: Mapping[str, Mapping[str, np.ndarray]],
    words: Sequence[Word],
    *,
    levels: Mapping[str, int],
    num_heads: int,
    licence: str,
) -> dict[str, bytes]:
    """All files of the sketch, by name.

    Args:
        runs: the arrays of each model's training (`experiments.spelling_runs.train_and_keep`).
        words: the held-out words, in the order in which the models were asked for them.
        levels: to which each model's weights are rounded.
        num_heads: of the transformer.
        licence: of the dictionary, which has to stand beside its words.
    """
    made = {"cmudict-licence.txt": licence.encode()}
    for model, arrays in runs.items():
        test = test_of(words, arrays["logits"])
        heads = num_heads if model == "transformer" else 0
        data, manifest = packed(model, weights_in(arrays), levels[model], test, heads)
        made |= {f"{model}.bin.gz": data, f"{model}.json": _json(manifest)}
    said = {model: arrays["said"] for model, arrays in runs.items()}
    return made | {"words.json": _json(words_to_try(words, said))}


def weights_in(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights among a run's arrays (`weights.…`), by name."""
    return {name.removeprefix("weights."): a for name, a in arrays.items() if name.startswith("weights.")}


def _gzipped(data: bytes) -> bytes:
    """A gzip file without a time. Nothing in weights repeats, so no repeats are looked for."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 9, zlib.Z_HUFFMAN_ONLY)
    return packer.compress(data) + packer.flush()


def _json(data: Any) -> bytes:
    return (json.dumps(data, separators=(",", ":"), sort_keys=True) + "\n").encode()
