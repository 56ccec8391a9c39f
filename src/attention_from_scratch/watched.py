"""A training that was watched, as two small files that a browser can scrub through.

`NAME.bin` holds the attention weights of each checkpoint, a byte a weight; `NAME.json` says which sequence
they are of, where each checkpoint stands on the learning curve, and what its two looks weigh on average over
others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_from_scratch.tasks import match_then_read


def packed(arrays: Mapping[str, np.ndarray], parameters: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
    """A watched training as bytes and manifest, but for the file's name: a byte a weight.

    Args:
        arrays: what the experiment `checkpoints` keeps: `steps`, `accuracies`, `block1`, `block2`, `edge` and
            `on_answer`.
        parameters: its own, for the length of an epoch, the sequence that was shown and how many others were
            looked at.
    """
    block1, block2 = arrays["block1"], arrays["block2"]
    count, heads, length, _ = block1.shape
    each = [np.concatenate([block1[i].ravel(), block2[i].ravel()]) for i in range(count)]
    data = np.rint(255 * np.stack(each)).astype(np.uint8).tobytes()
    steps_an_epoch = parameters["sequences"] // parameters["batch"]
    return data, {
        "bytes": len(data),
        "heads": heads,
        "length": length,
        "tokens": list(parameters["sequence"]),
        "cue": match_then_read.CUE,
        "epochs": [round(float(step) / steps_an_epoch, 4) for step in arrays["steps"]],
        "accuracies": [round(float(accuracy), 4) for accuracy in arrays["accuracies"]],
        "head": int(np.argmax(arrays["edge"][-1])),
        "probe": parameters["probe"],
        **{
            look: [round(float(by_head.max()), 3) for by_head in arrays[look]]
            for look in ("edge", "on_answer")
        },
    }
