"""Spellers with random weights, as the files that the page reads; for tests that need no trained ones."""

from pathlib import Path

import numpy as np

from attention_from_scratch import decoding, quantised, speller_export
from attention_from_scratch.tasks import spelling
from attention_from_scratch.tasks.spelling import Word

WIDTH, HEADS, HIDDEN, UNITS, LEVELS = 16, 4, 24, 8, 24
WORDS = ("knight", "tea", "strengths", "onomatopee", "abc", "wrote", "thumb", "quiche", "zebra", "island")


def transformer_shapes() -> dict[str, tuple[int, ...]]:
    head, key_dim = (HEADS, WIDTH // HEADS), WIDTH // HEADS
    shapes: dict[str, tuple[int, ...]] = {
        "source_embedding.embeddings": (spelling.LETTER_TOKENS, WIDTH),
        "source_positions.embeddings": (spelling.LONGEST, WIDTH),
        "target_embedding.embeddings": (spelling.SOUND_TOKENS, WIDTH),
        "target_positions.embeddings": (spelling.STEPS, WIDTH),
    }
    for side, kinds in (("encoder", ("attention",)), ("decoder", ("attention", "cross"))):
        for block in (1, 2):
            for kind in kinds:
                name = f"{side}{block}_{kind}"
                for part in ("query", "key", "value"):
                    shapes[f"{name}.{part}.kernel"] = (WIDTH, *head)
                    shapes[f"{name}.{part}.bias"] = head
                shapes[f"{name}.attention_output.kernel"] = (HEADS, key_dim, WIDTH)
                shapes[f"{name}.attention_output.bias"] = (WIDTH,)
            for norm in (*kinds, "feed_forward"):
                for part in ("gamma", "beta"):
                    shapes[f"{side}{block}_{norm}_norm.{part}"] = (WIDTH,)
            shapes |= {
                f"{side}{block}_hidden.kernel": (WIDTH, HIDDEN),
                f"{side}{block}_hidden.bias": (HIDDEN,),
                f"{side}{block}_output.kernel": (HIDDEN, WIDTH),
                f"{side}{block}_output.bias": (WIDTH,),
            }
        shapes |= {f"{side}_norm.{part}": (WIDTH,) for part in ("gamma", "beta")}
    return shapes | {"logits.kernel": (WIDTH, spelling.SOUND_TOKENS), "logits.bias": (spelling.SOUND_TOKENS,)}


def lstm_shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "letters.embeddings": (spelling.LETTER_TOKENS, WIDTH),
        "sounds.embeddings": (spelling.SOUND_TOKENS, WIDTH),
    }
    for name, units in (
        ("forwards.lstm_cell", UNITS),
        ("backwards.lstm_cell", UNITS),
        ("decoder", 2 * UNITS),
    ):
        shapes |= {
            f"{name}.kernel": (WIDTH, 4 * units),
            f"{name}.recurrent_kernel": (units, 4 * units),
            f"{name}.bias": (4 * units,),
        }
    size = (2 * UNITS, spelling.SOUND_TOKENS)
    return shapes | {"logits.kernel": size, "logits.bias": size[1:]}


def random_weights(shapes, seed, scale):
    rng = np.random.default_rng(seed)
    made = {
        name: rng.normal(float(name.endswith("gamma")), scale, shape).astype(np.float32)
        for name, shape in shapes.items()
    }
    made["logits.bias"][[spelling.PADDING, spelling.START]] = -50  # neither is ever said
    return quantised.rounded(made, LEVELS)


def lstm_logits(weights, letters, previous):
    """Keras' LSTM read both ways, then a decoder from its last states; one word."""

    def step(name, x, states):
        hidden, cell = states
        gates = x @ weights[f"{name}.kernel"] + hidden @ weights[f"{name}.recurrent_kernel"]
        i, f, c, o = np.split(gates + weights[f"{name}.bias"], 4)
        cell = cell / (1 + np.exp(-f)) + np.tanh(c) / (1 + np.exp(-i))
        return np.tanh(cell) / (1 + np.exp(-o)), cell

    ends = []
    for name, order in (("forwards", letters), ("backwards", letters[::-1])):
        states = np.zeros(UNITS), np.zeros(UNITS)
        for token in order:
            states = step(f"{name}.lstm_cell", weights["letters.embeddings"][token], states)
        ends.append(states)
    states = tuple(np.concatenate(both) for both in zip(*ends, strict=True))
    logits = []
    for token in previous:
        states = step("decoder", weights["sounds.embeddings"][token], states)
        logits.append(states[0] @ weights["logits.kernel"] + weights["logits.bias"])
    return np.array(logits)


def lstm_said(weights, letters):
    previous = [spelling.START]
    for _ in range(spelling.STEPS):
        previous.append(int(lstm_logits(weights, letters, previous)[-1].argmax()))
    return previous[1:]


def export_random(folder: Path) -> dict[str, np.ndarray]:
    """Write the files of two random spellers into `folder`; what each says, by its name."""
    words = [Word(letters, (("T", "IY"), ("N",))) for letters in WORDS]
    pairs = spelling.pairs(words)
    weights = {
        "transformer": random_weights(transformer_shapes(), 1, 0.5),
        "lstm": random_weights(lstm_shapes(), 2, 0.8),
    }
    model = decoding.EncoderDecoder.of(weights["transformer"])
    at_once, _ = decoding.whole(model, decoding.encode(model, pairs.letters), pairs.previous)
    real = [[token for token in row if token] for row in pairs.letters.tolist()]
    logits = {
        "transformer": at_once,
        "lstm": np.array(
            [
                lstm_logits(weights["lstm"], row, given)
                for row, given in zip(real, pairs.previous, strict=True)
            ]
        ),
    }
    said = {
        "transformer": decoding.greedy(model, pairs.letters, spelling.START, spelling.END),
        "lstm": np.array([lstm_said(weights["lstm"], row) for row in real]),
    }
    runs = {
        name: {
            "logits": logits[name],
            "said": said[name],
            **{f"weights.{key}": array for key, array in weights[name].items()},
        }
        for name in weights
    }
    folder.mkdir(parents=True, exist_ok=True)
    levels = dict.fromkeys(weights, LEVELS)
    files = speller_export.files(runs, words, levels=levels, num_heads=HEADS, licence="terms")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return said
