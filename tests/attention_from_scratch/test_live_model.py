"""The site's live model against Python: the same logits and weights from the same files."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attention_from_scratch import export, forward, tasks

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import vendor  # noqa: E402

SEQUENCES = 1_000
WIDTH, HEADS, FEED_FORWARD, LENGTH = 32, 4, 64, 12


def random_weights(blocks: int, generator: np.random.Generator) -> dict[str, np.ndarray]:
    """Float32 weights of a block model; large enough that attention is far from even."""
    shapes = {"embedding.embeddings": (tasks.VOCABULARY, WIDTH)}
    head = (HEADS, WIDTH // HEADS)
    for block in range(1, blocks + 1):
        for part in ("query", "key", "value"):
            shapes[f"block{block}_attention.{part}.kernel"] = (WIDTH, *head)
            shapes[f"block{block}_attention.{part}.bias"] = head
        shapes[f"block{block}_attention.attention_output.kernel"] = (*head, WIDTH)
        shapes[f"block{block}_attention.attention_output.bias"] = (WIDTH,)
        for norm in ("norm1", "norm2"):
            shapes[f"block{block}_{norm}.gamma"] = shapes[f"block{block}_{norm}.beta"] = (WIDTH,)
        shapes[f"block{block}_hidden.kernel"] = (WIDTH, FEED_FORWARD)
        shapes[f"block{block}_hidden.bias"] = (FEED_FORWARD,)
        shapes[f"block{block}_output.kernel"] = (FEED_FORWARD, WIDTH)
        shapes[f"block{block}_output.bias"] = (WIDTH,)
    shapes |= {"logits.kernel": (WIDTH, tasks.VOCABULARY), "logits.bias": (tasks.VOCABULARY,)}
    return {
        name: generator.normal(float(name.endswith("gamma")), 0.4, shape).astype(np.float32)
        for name, shape in shapes.items()
    }


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_the_live_model_computes_what_python_computes(blocks, tmp_path):
    generator = np.random.default_rng(blocks)
    weights = random_weights(blocks, generator)
    tokens = tasks.match_then_read(SEQUENCES, LENGTH, generator).tokens
    expected = forward.forward({name: w.astype(np.float64) for name, w in weights.items()}, tokens)
    arrays = {f"weights.{name}": w for name, w in weights.items()}
    arrays |= {"keras_tokens": tokens, "keras_logits": expected.logits}
    _, manifest = export.export(arrays, tmp_path)

    sequences, out = tmp_path / "sequences.json", tmp_path / "out.json"
    sequences.write_text(json.dumps(tokens.tolist()))
    script = ROOT / "tests" / "javascript" / "answer.js"
    subprocess.run([vendor.node(), script, manifest, sequences, out], check=True, timeout=120)
    answers = json.loads(out.read_text())

    logits = np.array([answer["logits"] for answer in answers])
    assert logits.shape == (SEQUENCES, tasks.VOCABULARY)
    np.testing.assert_allclose(logits, expected.logits, atol=1e-4, rtol=0)
    attention = np.array([answer["attention"] for answer in answers])
    np.testing.assert_allclose(attention, expected.attention[-1][:, :, 0], atol=1e-5, rtol=0)
    assert attention.max() > 0.25  # or the comparison would be of nearly even weights, each a twelfth
