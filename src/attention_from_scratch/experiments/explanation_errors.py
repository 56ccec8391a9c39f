"""The first half of `explanation`: whether attention knows when an answer is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from attention_from_scratch import explanations, ranking, vision
from attention_from_scratch.experiments.explanation_runs import load_halves, split_of, weights_of
from attention_from_scratch.tasks.digits import CLASSES, PATCHES, Patched
from measured.terms.experiment import Findings
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Close, Exact, Spread

RETRAINED = Spread(
    "trained models, which other rounding moves: four standard errors, at least 0.03", k=4, floor=0.03
)
DRAWN = Close("an end of an interval over trained models, which other rounding moves", atol=0.05)
FIXED = Exact("a count that no training moves")

SCORES = {
    "confidence": "the confidence: the largest probability",
    "entropy": "low entropy of the class token's weights, last block, mean of heads",
    "maximum": "the largest of the class token's weights, last block, mean of heads",
    "best_attention": "the best of all statistics of attention, chosen on the other half of the images",
    "learned": "a linear rule on all of the class token's weights, learned on the other half of the images",
    "learned_logits": "a linear rule on the logits by size, learned on the other half of the images",
    "class_alone": "the class alone: how often that answer is right on the other half of the images",
    "typical_image": "how near the image is to the mean image of the class that was said; no attention",
    "image_and_attention": "a linear rule on how near the image is and the best statistic of attention, "
    "learned on the other half",
    "with_confidence": "a linear rule on the confidence and the best statistic, learned on the other half",
}
AMONG_CONFIDENT = (
    "confidence",
    "entropy",
    "maximum",
    "best_attention",
    "learned",
    "class_alone",
    "typical_image",
    "with_confidence",
)
LABELS = {"score": SCORES}

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
ACCURACY = Family("explanation.accuracy",
    "test accuracy of the vision transformers, mean over seeds", RETRAINED, ".3f")
WRONG = Family("explanation.errors.wrong", "wrong answers of a model, mean over seeds",
    Spread("trained models: four standard errors, at least eight answers", k=4, floor=8), ".0f")
CONFIDENTLY_WRONG = Family("explanation.errors.confidently_wrong",
    "wrong answers with a confidence above {confident}, mean over seeds",
    Spread("trained models: four standard errors, at least five answers", k=4, floor=5), ".0f")
AUC = Family("explanation.errors.auc.{score}",
    "area under the curve that tells right answers from wrong ones by {score}; mean over seeds", RETRAINED,
    ".2f", labels=LABELS)
LOW = Family("explanation.errors.low.{score}",
    "lower end of the {level:.0%} interval over images: {score}", DRAWN, ".2f", labels=LABELS)
HIGH = Family("explanation.errors.high.{score}",
    "upper end of the {level:.0%} interval over images: {score}", DRAWN, ".2f", labels=LABELS)
CONFIDENT_AUC = Family("explanation.errors.confident_auc.{score}",
    "the same area, among answers with a confidence above {confident}, by {score}; mean over seeds",
    Spread("a dozen wrong answers a model: four standard errors, at least 0.08", k=4, floor=0.08), ".2f",
    labels=LABELS)
CONFIDENT_LOW = Family("explanation.errors.confident_low.{score}",
    "lower end of the {level:.0%} interval over images, confident answers: {score}",
    Close("an end of an interval over a few wrong answers a model", atol=0.1), ".2f", labels=LABELS)
CONFIDENT_HIGH = Family("explanation.errors.confident_high.{score}",
    "upper end of the {level:.0%} interval over images, confident answers: {score}",
    Close("an end of an interval over a few wrong answers a model", atol=0.1), ".2f", labels=LABELS)
UNREMARKABLE = Family("explanation.errors.unremarkable",
    "share of the confidently wrong answers whose entropy lies within the middle nine tenths of the "
    "confidently right ones; mean over seeds",
    Spread("a dozen wrong answers a model: four standard errors, at least 0.08", k=4, floor=0.08), ".2f")
TYPICAL_CHOSEN = Family("explanation.errors.typical_chosen",
    "times, of {choices}, that the statistic chosen is how near the class token's weights in the first "
    "block are to "
    "the usual ones of the class that was said",
    Close("a choice among near statistics over trained models", atol=2), "d")
CHOICES = Family("explanation.errors.choices", "choices of a best statistic: parts of splits", FIXED, "d")
STATISTICS_TRIED = Family("explanation.errors.statistics",
    "statistics of attention among which the best one is chosen, in either direction", FIXED, "d")
# fmt: on


class Answered(NamedTuple):
    """A model's answers to its test half.

    Args:
        seed: of the model.
        right: which are right.
        said: the classes.
        confidence: the largest probability.
        statistics: of attention, by name.
        weights: all weights of the class token, in both blocks, of each head.
        logits: the model's, the largest first.
        typical_image: how near the image is to the mean training image of the class that was said.
    """

    seed: int
    right: Bool[np.ndarray, " images"]
    said: Int[np.ndarray, " images"]
    confidence: Float[np.ndarray, " images"]
    statistics: dict[str, Float[np.ndarray, " images"]]
    weights: Float[np.ndarray, "images weights"]
    logits: Float[np.ndarray, "images classes"]
    typical_image: Float[np.ndarray, " images"]


def measure(runs: Mapping[str, Any], p: Mapping[str, Any]) -> Findings:
    """Areas under the curve with their intervals, and what the confidently wrong look like."""
    models = [answered(runs[f"plain.seed{seed}"], seed, p) for seed in p["seeds"]]
    seeds = p["seeds"]
    confident = [m.confidence > p["confident"] for m in models]
    chosen = _chosen_statistics(models)
    found = [
        ACCURACY.over_seeds([m.right.mean() for m in models], seeds),
        WRONG.over_seeds([(~m.right).sum() for m in models], seeds),
        CONFIDENTLY_WRONG.over_seeds(
            [(c & ~m.right).sum() for c, m in zip(confident, models, strict=True)],
            seeds,
            confident=p["confident"],
        ),
        STATISTICS_TRIED.of(len(models[0].statistics)),
        CHOICES.of(len(chosen)),
        TYPICAL_CHOSEN.of(chosen.count("typical.block1"), choices=len(chosen)),
        UNREMARKABLE.over_seeds([unremarkable(m, c) for m, c in zip(models, confident, strict=True)], seeds),
    ]
    scored = [scores_of(m, models, p) for m in models]
    draws = _draws(models, p)
    everything = [np.ones(len(m.right), bool) for m in models]
    for names, among, families, more in (
        (SCORES, everything, (AUC, LOW, HIGH), {}),
        (
            AMONG_CONFIDENT,
            confident,
            (CONFIDENT_AUC, CONFIDENT_LOW, CONFIDENT_HIGH),
            {"confident": p["confident"]},
        ),
    ):
        for name in names:
            areas = np.array(
                [
                    _areas(s[name], m.right, within, draws[split_of(m.seed)])
                    for s, m, within in zip(scored, models, among, strict=True)
                ]
            )
            low, high = ranking.interval(np.nanmean(areas[:, 1:], axis=0), p["level"])
            found += [
                families[0].over_seeds(areas[:, 0], seeds, score=name, **more),
                families[1].of(low, score=name, level=p["level"]),
                families[2].of(high, score=name, level=p["level"]),
            ]
    arrays = {
        "errors.entropy": np.array([-m.statistics["entropy_mean.block2"] for m in models]),
        "errors.confidence": np.array([m.confidence for m in models]),
        "errors.right": np.array([m.right for m in models]),
    }
    return Findings(tuple(found), arrays, (_auc_table(),))


def answered(run: Mapping[str, Any], seed: int, p: Mapping[str, Any]) -> Answered:
    """What a plain model says to its test half, and where its class token looks meanwhile."""
    train, test = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    weights = weights_of(run)
    known, look = vision.forward(weights, train.tokens), vision.forward(weights, test.tokens)
    chances = vision.probabilities(look.logits)
    said = look.logits.argmax(axis=1)
    rows_of_class = [block[:, :, 0] for block in look.attention]
    count = min(len(train.answers), len(test.answers))  # one half has an image more than the other
    found = Answered(
        seed,
        said == test.answers,
        said,
        chances.max(axis=1),
        statistics(look, known, said, test),
        np.concatenate([r.reshape(len(said), -1) for r in rows_of_class], axis=1),
        -np.sort(-look.logits, axis=1),
        -_from_usual(test.tokens, said, train.tokens, train.answers),
    )
    return found._replace(
        **{
            name: getattr(found, name)[:count]
            for name in ("right", "said", "confidence", "weights", "logits", "typical_image")
        },
        statistics={name: values[:count] for name, values in found.statistics.items()},
    )


def statistics(
    look: vision.Look, known: vision.Look, said: np.ndarray, test: Patched
) -> dict[str, np.ndarray]:
    """What one might read off the class token's weights: one number an image for each way of looking.

    Args:
        look: of the test images.
        known: of the training images.
        said: the classes that the model gives to the test images.
        test: the test images.
    """
    ink = test.tokens.mean(axis=2)
    found: dict[str, np.ndarray] = {}
    for number, (block, before) in enumerate(zip(look.attention, known.attention, strict=True), start=1):
        of_class = block[:, :, 0]
        entropy = -(of_class * np.log(np.maximum(of_class, 1e-12))).sum(axis=2)
        largest = of_class.max(axis=2)
        on_patches = of_class[:, :, 1:].mean(axis=1)
        for name, values in {
            "entropy_mean": -entropy.mean(axis=1),
            "entropy_least": -entropy.min(axis=1),
            "entropy_most": -entropy.max(axis=1),
            "maximum_mean": largest.mean(axis=1),
            "maximum_most": largest.max(axis=1),
            "maximum_of_mean": on_patches.max(axis=1),
            "itself": of_class[:, :, 0].mean(axis=1),
            "blank": (on_patches * (ink == 0)).sum(axis=1),
            "ink": (on_patches * ink).sum(axis=1),
            "heads_apart": _heads_apart(of_class),
            "typical": -_from_usual(
                on_patches, said, before[:, :, 0, 1:].mean(axis=1), known.logits.argmax(axis=1)
            ),
        }.items():
            found[f"{name}.block{number}"] = values
    rolled = explanations.rollout(look.attention, PATCHES)
    found["rollout_entropy"] = (rolled * np.log(rolled)).sum(axis=1)
    found["rollout_maximum"] = rolled.max(axis=1)
    first, last = (block[:, :, 0].mean(axis=1) for block in look.attention)
    found["blocks_apart"] = np.abs(first - last).sum(axis=1)
    return found


def scores_of(model: Answered, siblings: Sequence[Answered], p: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The scores that are put to the test: (folds, images), NaN outside of a fold.

    The test images are cut in two. What is chosen or learned on one part is tested on the other, both ways.
    A statistic is chosen on the answers of all models with the same test images, so that there are wrong
    ones enough.
    """
    parts = np.arange(len(model.right)) % 2
    same_images = [m for m in siblings if split_of(m.seed) == split_of(model.seed)]
    fixed = {
        "confidence": model.confidence,
        "entropy": model.statistics["entropy_mean.block2"],
        "maximum": model.statistics["maximum_mean.block2"],
        "typical_image": model.typical_image,
    }
    found = {name: values[np.newaxis] for name, values in fixed.items()}
    folds: dict[str, list[np.ndarray]] = {
        name: []
        for name in (
            "best_attention",
            "learned",
            "learned_logits",
            "class_alone",
            "image_and_attention",
            "with_confidence",
        )
    }
    for part in (0, 1):
        seen, tested = parts != part, parts == part
        name, sign = best_statistic(same_images, seen)
        best = sign * model.statistics[name]
        folds["best_attention"].append(np.where(tested, best, np.nan))
        sure = np.log(model.confidence) - np.log1p(-np.minimum(model.confidence, 1 - 1e-7))
        for rule, features in (
            ("learned", model.weights),
            ("learned_logits", model.logits),
            ("image_and_attention", np.stack([model.typical_image, best], axis=1)),
            ("with_confidence", np.stack([sure, best], axis=1)),
        ):
            learned = ranking.RidgeRule(features[seen], model.right[seen], p["penalty"])
            folds[rule].append(np.where(tested, learned(features), np.nan))
        alone = _right_by_class(model.said[seen], model.right[seen])
        folds["class_alone"].append(np.where(tested, alone[model.said], np.nan))
    return found | {name: np.array(values) for name, values in folds.items()}


def best_statistic(models: Sequence[Answered], seen: np.ndarray) -> tuple[str, int]:
    """The statistic, and its direction, with the largest mean area among these images."""
    areas = {
        name: np.mean([ranking.auc(m.statistics[name][seen], m.right[seen]) for m in models])
        for name in models[0].statistics
    }
    name = max(areas, key=lambda n: abs(areas[n] - 0.5))
    return name, 1 if areas[name] > 0.5 else -1


def _chosen_statistics(models: Sequence[Answered]) -> list[str]:
    """The name of the best statistic of each part of each split."""
    parts = np.arange(len(models[0].right)) % 2
    return [
        best_statistic([m for m in models if split_of(m.seed) == split], parts == part)[0]
        for split in (0, 1)
        for part in (0, 1)
    ]


def unremarkable(model: Answered, confident: np.ndarray) -> float:
    """Share of the confidently wrong with an entropy in the middle nine tenths of the confidently right."""
    entropy = model.statistics["entropy_mean.block2"]
    low, high = np.quantile(entropy[confident & model.right], [0.05, 0.95])
    wrong = entropy[confident & ~model.right]
    return float(((wrong >= low) & (wrong <= high)).mean())


def _right_by_class(said: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How often each answer is right, with one right and one wrong added to tame rare ones."""
    counts = np.bincount(said, minlength=CLASSES)
    return (np.bincount(said, weights=right, minlength=CLASSES) + 1) / (counts + 2)


def area(scores: Float[np.ndarray, "folds images"], right: Bool[np.ndarray, " images"]) -> float:
    """The area under the curve of one model's score, averaged over the folds that have a wrong answer."""
    everything = np.ones(len(right), bool)
    return float(_areas(scores, right, everything, np.empty((0, len(right))))[0])


def _areas(scores: np.ndarray, right: np.ndarray, within: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The area, then that of each resample; averaged over the folds that have a wrong answer."""
    folds = []
    for fold in scores:
        tested = within & ~np.isnan(fold)
        if right[tested].all():
            continue
        once = np.concatenate([np.ones((1, len(right))), counts])
        folds.append(ranking.weighted_auc(fold[tested], right[tested], once[:, tested]))
    return np.nanmean(folds, axis=0)


def _draws(models: Sequence[Answered], p: Mapping[str, Any]) -> dict[int, np.ndarray]:
    """Resamples of the images of each split: all models that answer the same images share them."""
    generator = np.random.default_rng(p["analysis_seed"])
    return {split: ranking.resampled(len(models[0].right), p["draws"], generator) for split in (0, 1)}


def _heads_apart(of_class: Float[np.ndarray, "images heads tokens"]) -> np.ndarray:
    pairs = combinations(range(of_class.shape[1]), 2)
    return np.mean([np.abs(of_class[:, a] - of_class[:, b]).sum(axis=1) for a, b in pairs], axis=0)


def _from_usual(maps: np.ndarray, said: np.ndarray, known: np.ndarray, known_said: np.ndarray) -> np.ndarray:
    """How far each is from the mean of the training images of its class: sum of absolute differences."""
    everybody = known.mean(axis=0)
    usual = np.array(
        [
            known[known_said == c].mean(axis=0) if (known_said == c).any() else everybody
            for c in range(CLASSES)
        ]
    )
    return np.abs(maps - usual[said]).reshape(len(maps), -1).sum(axis=1)


def _auc_table():
    columns: dict[str, Family] = {"area": AUC, "from": LOW, "to": HIGH}
    return table("explanation.errors", "tells right from wrong by", rows("score", SCORES), columns)
