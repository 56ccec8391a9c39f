"""Block models with random weights, for tests that need no trained one."""

from pathlib import Path

import numpy as np

from attention_from_scratch import export, forward
from attention_from_scratch.tasks import match_then_read

WIDTH, HEADS, FEED_FORWARD, LENGTH = 32, 4, 64, 12


def random_weights(blocks: int, generator: np.random.Generator) -> dict[str, np.ndarray]:
    """Float32 weights of a block model; large enough that attention is far from even."""
    shapes = {"embedding.embeddings": (match_then_read.VOCABULARY, WIDTH)}
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
    shapes |= {
        "logits.kernel": (WIDTH, match_then_read.VOCABULARY),
        "logits.bias": (match_then_read.VOCABULARY,),
    }
    return {
        name: generator.normal(float(name.endswith("gamma")), 0.4, shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def export_random(
    folder: Path, blocks: int, name: str, sequences: int
) -> tuple[Path, np.ndarray, forward.Trace]:
    """Export a random model; the manifest, sequences of the task, and what Python computes for them."""
    generator = np.random.default_rng(blocks)
    weights = random_weights(blocks, generator)
    tokens = match_then_read.draw(sequences, LENGTH, generator).tokens
    trace = forward.forward({key: w.astype(np.float64) for key, w in weights.items()}, tokens)
    arrays = {f"weights.{key}": w for key, w in weights.items()}
    _, manifest = export.export(
        {**arrays, "keras_tokens": tokens, "keras_logits": trace.logits}, folder, name
    )
    return manifest, tokens, trace
