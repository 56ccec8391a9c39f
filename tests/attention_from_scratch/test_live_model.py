"""The site's live model against Python: the same logits and weights from the same files."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

import live_models  # noqa: E402
import vendor  # noqa: E402

SEQUENCES = 1_000


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_the_live_model_computes_what_python_computes(blocks, tmp_path):
    manifest, tokens, expected = live_models.export_random(tmp_path, blocks, "model", SEQUENCES)
    sequences, out = tmp_path / "sequences.json", tmp_path / "out.json"
    sequences.write_text(json.dumps(tokens.tolist()))
    script = ROOT / "tests" / "javascript" / "answer.js"
    subprocess.run([vendor.node(), script, manifest, sequences, out], check=True, timeout=120)
    answers = json.loads(out.read_text())

    logits = np.array([answer["logits"] for answer in answers])
    assert logits.shape == expected.logits.shape == (SEQUENCES, 9)
    np.testing.assert_allclose(logits, expected.logits, atol=1e-4, rtol=0)
    attention = np.array([answer["attention"] for answer in answers])
    np.testing.assert_allclose(attention, expected.attention[-1][:, :, 0], atol=1e-5, rtol=0)
    assert attention.max() > 0.25  # or the comparison would be of nearly even weights, each a twelfth
