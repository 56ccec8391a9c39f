"""A trained vision transformer as two small files that a browser can read, with images to try it on.

`NAME.bin` is all weights, as in `export`. `NAME.json` says where each begins, brings the mean image that
covers, the images, and which logits Keras computed for a few, so that the browser's forward pass can prove
itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attention_from_scratch import vision
from attention_from_scratch.export import TOLERANCE, laid_out
from attention_from_scratch.tasks import digits
from attention_from_scratch.tasks.digits import Patched

TESTED = 16
RIGHT_ONES = 12


def export(
    arrays: Mapping[str, np.ndarray], train: Patched, test: Patched, folder: Path, name: str = "digits"
) -> tuple[Path, Path]:
    """Write the model of a run into `folder`.

    Args:
        arrays: what the run returned (`experiments.explanation_runs`): weights, and Keras' logits of the
            first test images.
        train: the half that trained it; its mean image covers.
        test: the other half.
        folder: made if it is not there.
        name: of the files, without ending.

    Returns:
        The paths of the weights and of the manifest.
    """
    folder.mkdir(parents=True, exist_ok=True)
    binary, manifest = folder / f"{name}.bin", folder / f"{name}.json"
    weights = {key.removeprefix("weights."): a for key, a in arrays.items() if key.startswith("weights.")}
    data, layout = laid_out(weights)
    binary.write_bytes(data)
    description = {
        "weights": binary.name,
        "bytes": len(data),
        "arrays": layout,
        "layer_norm_epsilon": vision.EPSILON,
        "brightest": digits.BRIGHTEST,
        "patch_side": digits.PATCH_SIDE,
        "mean": [[round(float(x), 6) for x in patch] for patch in train.tokens.mean(axis=0)],
        "images": [described(test, number) for number in chosen(weights, test)],
        "test": {
            "pixels": [_pixels(test.tokens[i]) for i in range(TESTED)],
            "logits": arrays["keras_logits"][:TESTED].tolist(),
            "tolerance": TOLERANCE,
        },
    }
    text = json.dumps(description, separators=(",", ":"), sort_keys=True)
    manifest.write_text(text + "\n", encoding="utf-8", newline="\n")
    return binary, manifest


def chosen(weights: vision.Weights, test: Patched) -> list[int]:
    """Which test images a reader may try: the wrong ones, most confident first; then some right ones."""
    chances = vision.probabilities(vision.forward(weights, test.tokens).logits)
    wrong = chances.argmax(axis=1) != test.answers
    by_confidence = np.argsort(-chances.max(axis=1), kind="stable")
    return [*by_confidence[wrong[by_confidence]].tolist(), *np.flatnonzero(~wrong)[:RIGHT_ONES].tolist()]


def described(test: Patched, number: int) -> dict[str, Any]:
    """An image, what it shows, and which of the test images it is."""
    return {"pixels": _pixels(test.tokens[number]), "label": int(test.answers[number]), "number": number}


def _pixels(patches: np.ndarray) -> list[int]:
    return np.rint(digits.image_of(patches) * digits.BRIGHTEST).astype(int).ravel().tolist()
