"""The second half of `explanation`: whether maps name the patches that matter."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from attention_from_scratch import explanations, vision
from attention_from_scratch.experiments.explanation_errors import RETRAINED
from attention_from_scratch.experiments.explanation_runs import load_halves, marked_test, split_of, weights_of
from attention_from_scratch.tasks.digits import MARKED_CLASS, PATCHES, Patched
from measured.terms.experiment import Findings, Table
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtMost, Close, Spread

METHODS = {
    "raw": "raw weights",
    "rollout": "rollout",
    "norm": "weights times the length of what they add",
    "gradient": "gradient × input",
    "integrated": "integrated gradients",
}
CONTROLS = {
    "centre": "ink of the mean image (the same for each image)",
    "average": "what covering finds on average (the same for each image)",
    "distance": "distance from the mean image (no model)",
    "ink": "ink (no model)",
    "random": "random order",
}
YARDSTICKS = {
    "covering": "covering with the mean image",
    "paper": "covering with blank paper",
    "hiding": "hiding the token from all queries",
}
NAMES = METHODS | CONTROLS | YARDSTICKS
FOUND_BY = {
    **METHODS,
    "distance": CONTROLS["distance"],
    "random": CONTROLS["random"],
    "covering": YARDSTICKS["covering"],
}
ALIKE = {**METHODS, "covering": YARDSTICKS["covering"]}
MEASURES = {
    "correlation": "rank correlation with what covering finds, mean over images",
    "magnitude": "rank correlation of sizes, signs left out, with what covering finds, mean over images",
    "paper": "rank correlation with what covering with blank paper finds, mean over images",
    "hiding": "rank correlation with what hiding the token finds, mean over images",
    "deletion": "area under the answer's probability while patches are covered, the map's largest first",
    "insertion": "area under the answer's probability while patches are uncovered, the map's largest first",
}
PAIRS = {
    "shuffled": "a model trained on shuffled labels",
    "twin": "a model trained on the same images from another seed",
}
LABELS = {"method": NAMES, "measure": MEASURES, "pair": PAIRS}
OF_TEN = Spread("trained models: four standard errors, at least 0.05", k=4, floor=0.05)

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
FAITHFULNESS = Family("explanation.faithfulness.{method}.{measure}",
    "{measure}: {method}; mean over seeds", OF_TEN, ".2f", labels=LABELS)
COMPLETENESS = Family("explanation.faithfulness.completeness",
    "median difference between the sum of integrated gradients and the lead less the mean image's, as a "
    "share "
    "of the latter; largest of the seeds",
    AtMost("the error of a sum over few steps, whose size is the claim",
    bound=0.2), ".1%", statistic="largest")
PLANTED = Family("explanation.planted.found.{method}",
    "share of the images decided by a mark whose patch is first: {method}; mean over seeds", OF_TEN,
    ".2f", labels=LABELS)
DECIDED = Family("explanation.planted.decided",
    "share of the marked images of other digits whose answer is the mark's, and is not once the patch is "
    "put back; mean over seeds", OF_TEN, ".2f")
PLANTED_CHANCE = Family("explanation.planted.chance",
    "share that a random patch would name", Close("one in so many patches", rtol=1e-9), ".2f")
MEMORISED = Family("explanation.likeness.memorised",
    "share of its training images that a model trained on shuffled labels answers with the label that they "
    "were dealt; mean over seeds", RETRAINED, ".2f")
SHUFFLED_ACCURACY = Family("explanation.likeness.accuracy",
    "test accuracy, by the true labels, of models trained on shuffled ones; mean over seeds", RETRAINED,
    ".2f")
LIKENESS = Family("explanation.likeness.{pair}.{method}",
    "rank correlation with the map of {pair}, mean over images and pairs: {method}", RETRAINED, ".2f",
    labels=LABELS)
BLANK = Family("explanation.blank", "share of the images' patches that have no ink",
    Close("a share of a fixed file", rtol=1e-9), ".2f")
# fmt: on


def measure(runs: Mapping[str, Any], p: Mapping[str, Any]) -> Findings:
    """All maps of all models, against covering, a planted cause, and models of shuffled labels."""
    seeds, controls = p["seeds"], p["control_seeds"]
    opened = {seed: faithfulness(runs[f"plain.seed{seed}"], seed, p) for seed in seeds}
    found = [
        FAITHFULNESS.over_seeds([opened[s][method][what] for s in seeds], seeds, method=method, measure=what)
        for method in NAMES
        for what in MEASURES
        if what in opened[seeds[0]][method]
    ]
    found.append(COMPLETENESS.over_seeds([opened[s]["integrated"]["completeness"] for s in seeds], seeds))
    named = {seed: planted(runs[f"planted.seed{seed}"], seed, p) for seed in controls}
    found += [PLANTED.over_seeds([named[s][m] for s in controls], controls, method=m) for m in FOUND_BY]
    found.append(DECIDED.over_seeds([named[s]["decided"] for s in controls], controls))
    found.append(PLANTED_CHANCE.of(1 / PATCHES))
    halves = load_halves(p["sha256"], p["split_seed"], 0)
    found.append(BLANK.of(np.concatenate([half.tokens.sum(axis=2) == 0 for half in halves]).mean()))
    found += _likeness(runs, p)
    arrays = pictured(runs[f"plain.seed{seeds[0]}"], seeds[0], p)
    for method, way in product(NAMES, ("deletion", "insertion")):
        if f"{way}_curve" in opened[seeds[0]][method]:
            each = [opened[seed][method][f"{way}_curve"] for seed in seeds]
            arrays[f"curves.{method}.{way}"] = np.mean(each, axis=0)
    return Findings(tuple(found), arrays, _tables())


def maps_of(
    run: Mapping[str, Any], patches: np.ndarray, train: Patched, seed: int, p: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The maps of a model on its probe images, and the classes that it gives them."""
    weights = weights_of(run)
    look = vision.forward(weights, patches)
    said = look.logits.argmax(axis=1)
    mean = train.tokens.mean(axis=0)
    generator = np.random.default_rng([p["analysis_seed"], seed])

    def lead_of(shown: np.ndarray, classes: np.ndarray) -> np.ndarray:
        return vision.lead(vision.forward(weights, shown).logits, classes)

    last = vision.blocks_of(weights)
    maps = {
        "raw": explanations.raw_weights(look.attention, PATCHES),
        "rollout": explanations.rollout(look.attention, PATCHES),
        "norm": explanations.norm_weighted(
            look.attention, vision.projected(weights, last, look.values[-1]), PATCHES
        ),
        "gradient": explanations.gradient_times_input(run["gradients"], patches, mean),
        "integrated": explanations.gradient_times_input(run["path_gradients"], patches, mean),
        "centre": np.broadcast_to(mean.sum(axis=1), (len(patches), PATCHES)),
        "distance": np.abs(patches - mean).sum(axis=2),
        "ink": patches.sum(axis=2),
        "random": generator.random((len(patches), PATCHES)),
        "covering": explanations.covering(lead_of, patches, said, mean),
    }
    return maps, said


def faithfulness(run: Mapping[str, Any], seed: int, p: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """How well each map of a plain model does, by each measure."""
    train, test = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    few, weights = test.tokens[: p["probe"]], weights_of(run)
    maps, said = maps_of(run, few, train, seed, p)
    mean = train.tokens.mean(axis=0)

    def lead_of(shown: np.ndarray, classes: np.ndarray, visible: np.ndarray | None = None) -> np.ndarray:
        return vision.lead(vision.forward(weights, shown, visible=visible).logits, classes)

    def probability_of(shown: np.ndarray, classes: np.ndarray) -> np.ndarray:
        chances = vision.probabilities(vision.forward(weights, shown).logits)
        return chances[np.arange(len(classes)), classes]

    known = train.tokens[: p["probe"]]
    known_said = vision.forward(weights, known).logits.argmax(axis=1)
    average = explanations.covering(lead_of, known, known_said, mean).mean(axis=0)
    maps["average"] = np.broadcast_to(average, maps["covering"].shape)
    maps["paper"] = explanations.covering(lead_of, few, said, np.zeros_like(mean))
    maps["hiding"] = _hiding(lead_of, few, said)
    yardstick = maps["covering"]
    found: dict[str, dict[str, Any]] = {name: {} for name in maps}
    for name, values in maps.items():
        found[name] |= {
            measure: explanations.rank_correlation(values, maps[other]).mean()
            for measure, other in (("correlation", "covering"), ("paper", "paper"), ("hiding", "hiding"))
            if name != other
        }
        if name != "covering":
            found[name]["magnitude"] = explanations.rank_correlation(np.abs(values), np.abs(yardstick)).mean()
        if name in ("paper", "hiding"):
            continue
        for way in ("deletion", "insertion"):
            curve = explanations.curves(probability_of, few, said, mean, values, insert=way == "insertion")
            found[name][way] = explanations.area(curve).mean()
            found[name][f"{way}_curve"] = curve.mean(axis=0)
    lead = lead_of(few, said) - lead_of(np.broadcast_to(mean, few.shape), said)
    apart = np.abs(maps["integrated"].sum(axis=1) - lead) / np.abs(lead)
    found["integrated"]["completeness"] = np.median(apart)
    return found


def planted(run: Mapping[str, Any], seed: int, p: Mapping[str, Any]) -> dict[str, float]:
    """How often each map puts the marked patch first, where the mark has been shown to decide the answer."""
    train, test = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    marked = marked_test(test, seed)
    weights, count = weights_of(run), p["probe"]
    patches, places = marked.tokens[:count], marked.places[:count]
    restored = vision.forward(weights, test.tokens[:count]).logits.argmax(axis=1)
    maps, said = maps_of(run, patches, train, seed, p)
    others = marked.digits[:count] != MARKED_CLASS
    decided = others & (said == MARKED_CLASS) & (restored != MARKED_CLASS)
    found = {name: float((maps[name].argmax(axis=1) == places)[decided].mean()) for name in FOUND_BY}
    return found | {"decided": float(decided[others].mean())}


def pictured(run: Mapping[str, Any], seed: int, p: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The first seed's confidently wrong images, most confident first, with their maps."""
    train, test = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    weights, mean = weights_of(run), train.tokens.mean(axis=0)
    chances = vision.probabilities(vision.forward(weights, test.tokens).logits)
    said, confidence = chances.argmax(axis=1), chances.max(axis=1)
    wrong = np.flatnonzero((said != test.answers) & (confidence > p["confident"]))
    chosen = wrong[np.argsort(-confidence[wrong], kind="stable")]

    def lead_of(shown: np.ndarray, classes: np.ndarray) -> np.ndarray:
        return vision.lead(vision.forward(weights, shown).logits, classes)

    shown = test.tokens[chosen]
    look = vision.forward(weights, shown)
    usual = explanations.raw_weights(vision.forward(weights, test.tokens).attention, PATCHES)
    return {
        "pictured.patches": shown,
        "pictured.labels": test.answers[chosen],
        "pictured.said": said[chosen],
        "pictured.confidence": confidence[chosen],
        "pictured.raw": explanations.raw_weights(look.attention, PATCHES),
        "pictured.covering": explanations.covering(lead_of, shown, said[chosen], mean),
        "pictured.usual": np.array(
            [usual[(said == s) & (said == test.answers)].mean(axis=0) for s in said[chosen]]
        ),
    }


def _hiding(lead_of: Any, patches: np.ndarray, said: np.ndarray) -> np.ndarray:
    """How far the lead falls once no query may look at a patch's token."""
    images = len(patches)
    visible = np.ones((PATCHES, PATCHES + 1), bool)
    visible[np.arange(PATCHES), np.arange(1, PATCHES + 1)] = False
    falls = lead_of(
        np.repeat(patches, PATCHES, axis=0), np.repeat(said, PATCHES), visible=np.tile(visible, (images, 1))
    )
    return lead_of(patches, said)[:, np.newaxis] - falls.reshape(images, PATCHES)


def _likeness(runs: Mapping[str, Any], p: Mapping[str, Any]):
    """Maps of a model against those of one with another start, trained on shuffled labels or on true ones.

    Both see the same images, so their seeds are of the same split.
    """
    pairs = [
        (one, other)
        for one, other in zip(
            p["control_seeds"], p["seeds"][len(p["seeds"]) - len(p["control_seeds"]) - 1 :], strict=False
        )
    ]
    for kind, other_run in (("shuffled", "shuffled"), ("twin", "plain")):
        found = [
            alike(runs[f"plain.seed{seed}"], seed, runs[f"{other_run}.seed{control}"], control, p)
            for control, seed in pairs
        ]
        controls = [control for control, _ in pairs]
        for name in ALIKE:
            yield LIKENESS.over_seeds([one[name] for one in found], controls, pair=kind, method=name)
    shuffled = [(runs[f"shuffled.seed{seed}"], seed) for seed in p["control_seeds"]]
    yield MEMORISED.over_seeds([memorised(run, seed, p) for run, seed in shuffled], p["control_seeds"])
    accuracies = [run["accuracies"][-1] for run, _ in shuffled]
    yield SHUFFLED_ACCURACY.over_seeds(accuracies, p["control_seeds"])


def memorised(run: Mapping[str, Any], seed: int, p: Mapping[str, Any]) -> float:
    """The share of the shuffled labels that a model says of its training images: what it learned by heart."""
    train, _ = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    said = vision.forward(weights_of(run), train.tokens).logits.argmax(axis=1)
    dealt = np.random.default_rng(seed).permutation(train.answers)  # as its training dealt them
    return float((said == dealt).mean())


def alike(
    run: Mapping[str, Any], seed: int, other: Mapping[str, Any], other_seed: int, p: Mapping[str, Any]
) -> dict[str, float]:
    """How well the maps of two models on the same images rank patches in the same order: mean over images."""
    train, test = load_halves(p["sha256"], p["split_seed"], split_of(seed))
    few = test.tokens[: p["probe"]]
    one, _ = maps_of(run, few, train, seed, p)
    another, _ = maps_of(other, few, train, other_seed, p)
    return {name: explanations.rank_correlation(one[name], another[name]).mean() for name in ALIKE}


def _tables():
    with_curves = {name: words for name, words in NAMES.items() if name not in YARDSTICKS}
    ranks = {
        "covered": "correlation",
        "covered, sizes": "magnitude",
        "hidden": "hiding",
        "blank paper": "paper",
    }
    against = {heading: FAITHFULNESS.at(measure=what) for heading, what in ranks.items()}
    areas = {what: FAITHFULNESS.at(measure=what) for what in ("deletion", "insertion")}
    alike = {words: LIKENESS.at(pair=pair) for pair, words in PAIRS.items()}
    ordered = {**with_curves, "covering": YARDSTICKS["covering"]}
    return (
        table(
            "explanation.faithfulness", "ranks patches as when they are", rows("method", with_curves), against
        ),
        table("explanation.curves", "patches in the order of", rows("method", ordered), areas),
        _yardsticks(),
        table(
            "explanation.planted", "first patch of", rows("method", FOUND_BY), {"is the marked one": PLANTED}
        ),
        table("explanation.likeness", "maps like those of", rows("method", ALIKE), alike),
    )


def _yardsticks() -> Table:
    """How far three interventions agree: pairs."""
    pairs = (("covering", "paper"), ("covering", "hiding"), ("paper", "hiding"))
    lines = tuple(
        (f"{YARDSTICKS[one]}, and {YARDSTICKS[other]}", FAITHFULNESS.cell(method=one, measure=other))
        for one, other in pairs
    )
    return Table("explanation.yardsticks", ("two interventions", "rank correlation"), lines)
