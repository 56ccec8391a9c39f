"""One speller taught and heard: from one seed, at one rate, on so many words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_from_scratch.quantised import rounded
from attention_from_scratch.tasks import spelling
from attention_from_scratch.tasks.spelling import Word

LOGITS_KEPT = 1_000  # test words whose logits are kept, the listed sounds before them given
LATER = 4  # what is given from this step on is replaced, to see whether what comes before it changes


def train_one(heard: str, **settings: Any) -> dict[str, Any]:
    """Teach one speller, and count what it says wrongly.

    Args:
        heard: the words that it is asked for afterwards: `test`, or `validation` to choose a rate.
        settings: of `taught`.
    """
    trainer, words, losses = taught(**settings)
    from attention_from_scratch.models.spellers import greedy

    asked = words._asdict()[heard]
    said = greedy(trainer.model, spelling.letter_tokens([word.letters for word in asked]))
    return {
        **summed_up([spelling.sounds_of(row) for row in said], asked),
        "parameters": int(trainer.model.count_params()),
        "loss": float(losses[-1]),
        # The first stretch compiles.
        "update_seconds": float(np.mean(trainer.seconds[1:])) / (settings["training"] // settings["batch"]),
    }


def train_and_keep(levels: int, **settings: Any) -> dict[str, np.ndarray]:
    """Teach one speller, round its weights, and keep them with what it says to the test words.

    Args:
        levels: to which the weights are rounded (`quantised`).
        settings: of `taught`.
    """
    trainer, words, losses = taught(**settings)
    from attention_from_scratch.models.spellers import greedy, weights_of

    model = trainer.model
    letters = spelling.letter_tokens([word.letters for word in words.test])
    said_before = greedy(model, letters)
    weights = rounded(weights_of(model), levels)
    model.set_weights(list(weights.values()))
    previous = spelling.pairs(words.test).previous[:LOGITS_KEPT]
    letters_kept, others = letters[:LOGITS_KEPT], np.random.default_rng(0)
    logits = model(letters_kept, previous).numpy()
    later = previous.copy()
    later[:, LATER:] = others.integers(1, spelling.END, later[:, LATER:].shape)
    return {
        "said": greedy(model, letters),
        "said_before_rounding": said_before,
        "losses": losses,
        "logits": logits,
        "logits_with_other_targets": model(letters_kept, later).numpy()[:, :LATER],
        **{f"weights.{name}": array for name, array in weights.items()},
    }


def taught(
    model: str,
    sizes: Mapping[str, int],
    seed: int,
    learning_rate: float,
    version: str,
    sha256: str,
    split_seed: int,
    test: int,
    validation: int,
    training: int,
    passes: int,
    batch: int,
) -> tuple[Any, spelling.Split, np.ndarray]:
    """Teach one speller.

    Args:
        model: `transformer`, `lstm`, `lstm_attention`, `gru` or `gru_attention`.
        sizes: of the model.
        seed: of the weights and of the order of the words.
        learning_rate: at the start; it falls to zero along half a cosine.
        version: of the package with the dictionary.
        sha256: of the words used.
        split_seed: deals the words into the three sets.
        test: words to be heard on.
        validation: words to choose a rate on.
        training: words to be taught, each with its first pronunciation.
        passes: over the training words.
        batch: words an update.

    Returns:
        The trainer with the taught model, the words, and the loss of each pass.
    """
    from attention_from_scratch.models.spellers import speller_trainer
    from attention_from_scratch.training import shuffled, train

    words = spelling.split(
        spelling.words(version, sha256), split_seed, test=test, validation=validation, training=training
    )
    taught, checked = spelling.pairs(words.training), spelling.pairs(words.validation)
    trainer = speller_trainer(model, **sizes)
    trainer.begin(seed, learning_rate, passes * (training // batch))
    batches = shuffled(
        _tokens(taught), taught.targets, np.random.default_rng(seed), batch=batch, epochs=passes
    )
    made = train(trainer, batches, (_tokens(checked), checked.targets))
    return trainer, words, made.losses


def summed_up(said: Sequence[spelling.Pronunciation], asked: Sequence[Word]) -> dict[str, Any]:
    """Errors over words, together and by the words' number of letters.

    The phoneme error is all edits, to the nearest listed pronunciation of each word, over all sounds of
    those; the word error is the share of words whose every listed pronunciation differs from what was said.

    Args:
        said: what a speller says to each word.
        asked: the words.
    """
    counted = np.array([spelling.nearest(s, word) for s, word in zip(said, asked, strict=True)])
    edits, sounds = counted.T
    letters = np.array([len(word.letters) for word in asked])
    lengths = range(spelling.SHORTEST, spelling.LONGEST + 1)
    error = edits.sum() / sounds.sum()
    wrong = (edits > 0).mean()
    return {
        "phoneme_error": float(error),
        "word_error": float(wrong),
        # Standard errors over words: of a ratio of sums, and of a share.
        "phoneme_error_over_words": float(np.sqrt(np.sum((edits - error * sounds) ** 2)) / sounds.sum()),
        "word_error_over_words": float(np.sqrt(wrong * (1 - wrong) / len(asked))),
        "edits_by_length": [int(edits[letters == n].sum()) for n in lengths],
        "sounds_by_length": [int(sounds[letters == n].sum()) for n in lengths],
        "wrong_by_length": [int((edits[letters == n] > 0).sum()) for n in lengths],
        "words_by_length": [int((letters == n).sum()) for n in lengths],
    }


def _tokens(pairs: spelling.Pairs) -> np.ndarray:
    return np.concatenate([pairs.letters, pairs.previous], axis=1)
