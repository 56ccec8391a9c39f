"""A trained block model as two small files that a browser can read: weights, and what they mean.

`NAME.bin` is all weights, float32, little-endian, one after another, each array in C order. `NAME.json`
says where each begins, what the tokens are, and which logits Keras computed for a few sequences, so
that a forward pass written elsewhere can prove itself before it shows anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attention_from_scratch import forward
from attention_from_scratch.tasks import match_then_read

TEST_SEQUENCES = 16
TOLERANCE = 1e-4  # of logits, for an implementation that sums in another order


def export(arrays: Mapping[str, np.ndarray], folder: Path, name: str = "two-blocks") -> tuple[Path, Path]:
    """Write the model of a run into `folder`.

    Args:
        arrays: what the run returned (`experiments.induction_runs`): weights, and Keras' logits.
        folder: made if it is not there.
        name: of the files, without ending.

    Returns:
        The paths of the weights and of the manifest.
    """
    folder.mkdir(parents=True, exist_ok=True)
    binary, manifest = folder / f"{name}.bin", folder / f"{name}.json"
    data, description = packed(arrays)
    binary.write_bytes(data)
    text = json.dumps({"weights": binary.name, **description}, indent=1, sort_keys=True)
    manifest.write_text(text + "\n", encoding="utf-8", newline="\n")
    return binary, manifest


def packed(arrays: Mapping[str, np.ndarray]) -> tuple[bytes, dict[str, Any]]:
    """The weights as bytes, and the manifest but for the file's name.

    Raises:
        ValueError: the arrays hold no weights.
    """
    weights = forward.weights_of(arrays)
    if not weights:
        raise ValueError(
            f"no array named weights.… among {', '.join(arrays)}; expected those of a training run"
        )
    data, layout = laid_out(weights)
    tokens, logits = arrays["keras_tokens"][:TEST_SEQUENCES], arrays["keras_logits"][:TEST_SEQUENCES]
    heads, key_dim = weights["block1_attention.query.bias"].shape
    return data, {
        "dtype": "float32",
        "byte_order": "little",
        "bytes": len(data),
        "arrays": layout,
        "parameters": len(data) // 4,
        "length": tokens.shape[1],
        "blocks": forward.blocks_of(weights),
        "num_heads": heads,
        "key_dim": key_dim,
        "width": weights["embedding.embeddings"].shape[1],
        "layer_norm_epsilon": forward.EPSILON,
        "causal": False,
        "vocabulary": {
            "padding": 0,
            "symbols": list(range(1, match_then_read.SYMBOLS + 1)),
            "cue": match_then_read.CUE,
            "size": match_then_read.VOCABULARY,
        },
        "test": {"tokens": tokens.tolist(), "logits": logits.tolist(), "tolerance": TOLERANCE},
    }


def laid_out(weights: Mapping[str, np.ndarray]) -> tuple[bytes, list[dict[str, Any]]]:
    """Weights as bytes, one after another, and where each begins."""
    layout, offset = [], 0
    for name, array in weights.items():
        layout.append({"name": name, "shape": list(array.shape), "offset": offset})
        offset += 4 * array.size
    return b"".join(np.ascontiguousarray(array, "<f4").tobytes() for array in weights.values()), layout


def read(manifest: Path) -> dict[str, np.ndarray]:
    """The weights that `export` wrote, by name.

    Raises:
        ValueError: the weights' file is shorter or longer than the manifest says.
    """
    description = json.loads(manifest.read_text(encoding="utf-8"))
    data = (manifest.parent / description["weights"]).read_bytes()
    if len(data) != description["bytes"]:
        raise ValueError(
            f"{description['weights']} holds {len(data):,} bytes; expected {description['bytes']:,}"
        )
    return {
        a["name"]: np.frombuffer(data, "<f4", int(np.prod(a["shape"])), a["offset"]).reshape(a["shape"])
        for a in description["arrays"]
    }
