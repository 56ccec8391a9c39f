"""Block models with random weights, for tests that need no trained one."""

from pathlib import Path

import numpy as np

from attention_from_scratch import export, forward, vision, vision_export
from attention_from_scratch.tasks import digits, match_then_read

WIDTH, HEADS, FEED_FORWARD, LENGTH = 32, 4, 64, 12


def random_weights(blocks: int, generator: np.random.Generator) -> dict[str, np.ndarray]:
    """Float32 weights of a block model; large enough that attention is far from even."""
    shapes = {"embedding.embeddings": (match_then_read.VOCABULARY, WIDTH)}
    shapes |= _of_blocks(blocks) | _of_logits(match_then_read.VOCABULARY)
    return _drawn(shapes, generator)


def random_vision_weights(generator: np.random.Generator) -> dict[str, np.ndarray]:
    """The same of a vision transformer of two blocks."""
    shapes = {
        "embedding.kernel": (digits.PIXELS, WIDTH),
        "embedding.bias": (WIDTH,),
        "tokens.class_token": (1, WIDTH),
        "tokens.positions": (digits.PATCHES + 1, WIDTH),
        "norm.gamma": (WIDTH,),
        "norm.beta": (WIDTH,),
    }
    return _drawn(shapes | _of_blocks(2) | _of_logits(digits.CLASSES), generator)


def _of_blocks(blocks: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
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
    return shapes


def _of_logits(classes: int) -> dict[str, tuple[int, ...]]:
    return {"logits.kernel": (WIDTH, classes), "logits.bias": (classes,)}


def _drawn(shapes: dict[str, tuple[int, ...]], generator: np.random.Generator) -> dict[str, np.ndarray]:
    return {
        name: generator.normal(float(name.endswith("gamma")), 0.4, shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def export_digits(folder: Path) -> Path:
    """Export a random vision transformer with some digits; the manifest."""
    generator = np.random.default_rng(0)
    weights = random_vision_weights(generator)
    images = (
        generator.integers(0, digits.BRIGHTEST + 1, size=(40, digits.SIDE, digits.SIDE)) / digits.BRIGHTEST
    )
    shown = digits.Patched(
        digits.patches_of(images.astype(np.float32)), generator.integers(0, digits.CLASSES, 40)
    )
    arrays = {f"weights.{name}": array for name, array in weights.items()}
    arrays["keras_logits"] = vision.forward(weights, shown.tokens).logits
    return vision_export.export(arrays, shown, shown, folder)[1]


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
