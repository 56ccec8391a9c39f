"""The page of circuits and of a watched training for the browser, with numbers and weights made up here."""

import json
from pathlib import Path

import numpy as np

from attention_from_scratch import watched
from attention_from_scratch.experiments import checkpoints

# Like what was measured: the answer circuit breaks when its edge is cut, the pointer when it is transplanted.
NUMBERS = {
    "answer": {
        "weight": 0.99, "answer_looks_at_cue": 0.59, "cue_looks_at_answer": 0.06, "hole": 0.08, "whole": 1.0,
        "answer_to_cue": 0.16, "cue_to_answer": 1.0, "hidden_cue": 0.21, "pointed_own": 1.0,
        "pointed_place": 0.0,
    },
    "pointer": {
        "weight": 0.94, "answer_looks_at_cue": 0.01, "cue_looks_at_answer": 0.1, "hole": 0.003, "whole": 1.0,
        "answer_to_cue": 1.0, "cue_to_answer": 1.0, "hidden_cue": 1.0, "pointed_own": 0.08,
        "pointed_place": 0.69,
    },
}  # fmt: skip
COUNT = 12


def watched_training() -> tuple[bytes, dict]:
    """Twelve checkpoints of random attention; the accuracy leaps between the fourth and the fifth."""
    generator = np.random.default_rng(0)

    def rows(*shape: int) -> np.ndarray:
        scores = np.exp(3 * generator.normal(size=shape))
        return scores / scores.sum(axis=-1, keepdims=True)

    arrays = {
        "steps": 125 * np.arange(1, COUNT + 1),
        "accuracies": np.where(np.arange(COUNT) < 4, 0.31, 1.0),
        "block1": rows(COUNT, 4, 12, 12),
        "block2": rows(COUNT, 4, 1, 12),
        "edge": rows(COUNT, 4),
        "on_answer": rows(COUNT, 4),
    }
    return watched.packed(arrays, checkpoints.PARAMETERS)


def fill(page: Path, models: Path) -> None:
    rows = "".join(
        f'<p><a href="#induction.proof.{what}.{panel}"><data value="{value}">{value:.3f}</data></a></p>'
        for panel, numbers in NUMBERS.items()
        for what, value in numbers.items()
    )
    rows += '<p><a href="#induction.order_blind_ceiling.l12"><data value="0.321">0.321</data></a></p>'
    page.write_text(page.read_text(encoding="utf-8").replace("{numbers}", rows), encoding="utf-8")
    data, manifest = watched_training()
    models.mkdir(parents=True, exist_ok=True)
    (models / "checkpoints.bin").write_bytes(data)
    (models / "checkpoints.json").write_text(json.dumps({"weights": "checkpoints.bin", **manifest}))
