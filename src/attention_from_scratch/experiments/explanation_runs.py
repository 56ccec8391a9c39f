"""The trainings of `explanation`: a vision transformer on half of the digits, and what Keras says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from attention_from_scratch import vision
from attention_from_scratch.tasks import digits
from attention_from_scratch.tasks.digits import Patched

WITH_EMPTY_TOKEN = ("empty", "plus_one")


def load_halves(sha256: str, split_seed: int, split: int) -> tuple[Patched, Patched]:
    """The training half and the test half, cut into patches."""
    found = digits.load(sha256)
    patches = digits.patches_of(found.images)
    return tuple(
        Patched(patches[chosen], found.labels[chosen])
        for chosen in digits.halves(len(patches), split_seed, split)
    )


def split_of(seed: int) -> int:
    """Even seeds train on one half of the images, odd ones on the other."""
    return seed % 2


def marked_test(test: Patched, seed: int) -> digits.Marked:
    """The test images, each with a mark in one patch."""
    return digits.plant(test, 1.0, np.random.default_rng([seed, 1]))


class TrainedVision(NamedTuple):
    """A vision transformer after its training, before anything is asked of it.

    Args:
        trainer: holds the model.
        train: the half that it was drawn from, as it is in the file.
        asked: the test half, marked where the kind is `planted`.
        accuracies: on the test half after each epoch.
    """

    trainer: Any
    train: Patched
    asked: Patched
    accuracies: np.ndarray


def train_vision(
    seed: int, *, kind: str, sha256: str, split_seed: int, probe: int, path_steps: int, **training: Any
) -> dict[str, Any]:
    """Train one vision transformer, and keep what Keras says of it.

    Args:
        seed: of the initial weights, the shuffles, the marks and the shuffled labels; also says which half
            trains.
        kind: `plain`; `shuffled`: labels dealt anew; `planted`: a mark decides the class of some images;
            `empty`: with an empty token; `plus_one`: with an empty token, and one in the softmax's
            denominator.
        sha256: of the data.
        split_seed: of the two halves.
        probe: test images whose gradients are kept.
        path_steps: of integrated gradients.
        training: the rest of `trained_vision`'s.

    Returns:
        `weights.…`; `accuracies` on the test half after each epoch; for the first `probe` test images
        Keras' logits, and, but for the kinds with an empty token, the lead's gradients there and along the
        way from the mean image.
    """
    from attention_from_scratch.models.blocks import weights_by_name
    from attention_from_scratch.models.gradients import lead_gradients

    trained = trained_vision(seed, kind=kind, sha256=sha256, split_seed=split_seed, **training)
    model = trained.trainer.model
    few = trained.asked.tokens[:probe]
    logits = trained.trainer.logits(few)
    kept = {"accuracies": trained.accuracies, "keras_logits": logits}
    kept |= {f"weights.{name}": array for name, array in weights_by_name(model).items()}
    if kind not in WITH_EMPTY_TOKEN:
        gradients = lead_gradients(model, probe)
        said, mean = logits.argmax(axis=1), trained.train.tokens.mean(axis=0)
        kept["gradients"] = gradients.at(few, said)
        kept["path_gradients"] = gradients.along(few, said, mean, path_steps)
    return kept


def trained_vision(
    seed: int,
    *,
    kind: str,
    sha256: str,
    split_seed: int,
    batch: int,
    epochs: int,
    learning_rate: float,
    marked_share: float = 0.0,
) -> TrainedVision:
    """Train one vision transformer.

    Args:
        seed: as in `train_vision`.
        kind: as in `train_vision`.
        sha256: of the data.
        split_seed: of the two halves.
        batch: images a step.
        epochs: passes.
        learning_rate: Adam's.
        marked_share: of the training images that get a mark, where the kind is `planted`.
    """
    from attention_from_scratch.models.vision import vision_model
    from attention_from_scratch.training import train_in_epochs, trainer

    train, test = load_halves(sha256, split_seed, split_of(seed))
    generator = np.random.default_rng(seed)
    asked = test
    if kind == "planted":
        asked = Patched(*marked_test(test, seed)[:2])
    learned = train
    if kind == "shuffled":
        learned = Patched(train.tokens, generator.permutation(train.answers))
    if kind == "planted":
        learned = Patched(*digits.plant(train, marked_share, generator)[:2])
    options = {"empty": kind in WITH_EMPTY_TOKEN, "plus_one": kind == "plus_one"}
    made = trainer(vision_model, options, learning_rate=learning_rate)
    made.start(seed)
    trained = train_in_epochs(made, learned, test, generator, batch=batch, epochs=epochs)
    return TrainedVision(made, train, asked, trained.accuracies)


def train_bags(
    seed: int,
    *,
    sha256: str,
    split_seed: int,
    batch: int,
    epochs: int,
    bag_epochs: int,
    learning_rate: float,
) -> dict[str, Any]:
    """Train a vision transformer, then bags of patches that are given weights: its own, and others.

    Args:
        seed: as in `train_vision`.
        sha256: as in `train_vision`.
        split_seed: as in `train_vision`.
        batch: images a step, for all models.
        epochs: passes of the transformer.
        bag_epochs: passes of a bag.
        learning_rate: Adam's, for all models.

    Returns:
        Test accuracy by the weights that the bag was given: `even` ones; `frozen`, those of the
        transformer's class token on the same image; `same_class`, those on another image that it gave the
        same class; `any_image`, those on any other; `learned`, the bag's own.
    """
    from attention_from_scratch.models.bag import bag_model
    from attention_from_scratch.models.blocks import weights_by_name
    from attention_from_scratch.training import train_in_epochs, trainer

    data = {"sha256": sha256, "split_seed": split_seed}
    settings = {"batch": batch, "epochs": epochs, "learning_rate": learning_rate}
    transformer = trained_vision(seed, kind="plain", **data, **settings)
    weights = weights_by_name(transformer.trainer.model)
    generator = np.random.default_rng([seed, 2])
    given = [
        _weights_to_hand_on(weights, half, generator)
        for half in load_halves(sha256, split_seed, split_of(seed))
    ]
    kept = {}
    for name in given[0]:
        bag = trainer(bag_model, {"learned": name == "learned"}, learning_rate=learning_rate)
        bag.start(seed)
        halves = [half[name] for half in given]
        trained = train_in_epochs(
            bag, *halves, np.random.default_rng([seed, 3]), batch=batch, epochs=bag_epochs
        )
        kept[name] = trained.accuracies[-1]
    return kept


def weights_of(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The model's weights among a run's arrays."""
    return {name.removeprefix("weights."): a for name, a in arrays.items() if name.startswith("weights.")}


def _weights_to_hand_on(
    weights: vision.Weights, half: Patched, generator: np.random.Generator
) -> dict[str, Patched]:
    """The patches with each kind of weights beside their pixels."""
    look = vision.forward(weights, half.tokens)
    own = look.attention[-1][:, :, 0, 1:].mean(axis=1)
    own = own / own.sum(axis=1, keepdims=True)
    said = look.logits.argmax(axis=1)
    even = np.full_like(own, 1 / own.shape[1])
    same = own[_another_of_its_class(said, generator)]
    anybody = own[_another_of_its_class(np.zeros_like(said), generator)]
    kinds = {"even": even, "frozen": own, "same_class": same, "any_image": anybody, "learned": even}
    return {
        name: Patched(np.concatenate([half.tokens, w[..., np.newaxis]], axis=2), half.answers)
        for name, w in kinds.items()
    }


def _another_of_its_class(classes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """For each image the index of another one with its class: classes are shuffled, then moved on by one."""
    others = np.arange(len(classes))
    for label in np.unique(classes):
        members = generator.permutation(np.flatnonzero(classes == label))
        others[members] = np.roll(members, 1)
    return others
