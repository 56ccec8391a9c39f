"""The sentences of the page on weights as explanations, and the worlds in which they would be false."""

from __future__ import annotations

from collections.abc import Mapping

from attention_from_scratch.experiments.explanation_errors import AUC
from attention_from_scratch.experiments.explanation_maps import (
    DECIDED,
    FAITHFULNESS,
    PLANTED,
)
from attention_from_scratch.experiments.explanation_trials import MARKED, PLAIN
from attention_from_scratch.experiments.explanation_weights import (
    BAG,
    KEPT,
    OTHER_NAMED,
    OTHER_OUTPUT,
    SINK,
    SINK_EVEN,
    SINK_KEPT,
)
from measured.terms.claims import Claim, Verdict, above, below, every
from measured.terms.experiment import Findings
from measured.terms.family import Family
from measured.terms.null import becomes, instead, one_seed, swapped
from measured.terms.trial import Confirmation


def _apart(found: Findings, larger: Family, smaller: Family) -> dict[str, float]:
    """By how much one measurement is larger than another, seed by seed."""
    pairs = zip(larger.samples(found).items(), smaller.samples(found).values(), strict=True)
    return {name: one - other for (name, one), other in pairs}


def _mean_apart(found: Findings, larger: Family, smaller: Family) -> float:
    one, other = (next(iter(family.values(found).values())) for family in (larger, smaller))
    return one - other


def _rank(method: str, measure: str) -> Family:
    return FAITHFULNESS.at(method=method, measure=measure)


def _shape_does_not_tell(found: Findings) -> Verdict:
    shapes: Mapping[str, float] = AUC.values(found, score=["entropy", "maximum"])
    return every(below(shapes, 0.56), above(AUC.samples(found, score="confidence"), 0.8))


def _typical_tells_less_than_the_image(found: Findings) -> Verdict:
    best = AUC.at(score="best_attention")
    return every(
        above({"best": best.value(found)}, 0.65),
        above({"image less best": _mean_apart(found, AUC.at(score="typical_image"), best)}, 0.0),
    )


def _yardsticks_disagree(found: Findings) -> Verdict:
    return every(
        below(_rank("covering", "paper").samples(found), 0.35),
        above(_rank("covering", "hiding").samples(found), 0.45),
    )


def _order_depends(found: Findings) -> Verdict:
    return every(
        above(_apart(found, _rank("gradient", "correlation"), _rank("rollout", "correlation")), 0.0),
        above(_apart(found, _rank("rollout", "hiding"), _rank("gradient", "hiding")), 0.0),
    )


def _ink_beats_raw(found: Findings) -> Verdict:
    return every(
        above(_apart(found, _rank("raw", "deletion"), _rank("ink", "deletion")), 0.0),
        above(_apart(found, _rank("ink", "insertion"), _rank("raw", "insertion")), 0.0),
    )


def _class_is_what_helps(found: Findings) -> Verdict:
    frozen = BAG.at(bag="frozen")
    return every(
        above({"frozen less any image": _mean_apart(found, frozen, BAG.at(bag="any_image"))}, 0.05),
        below({"frozen less same class": _mean_apart(found, frozen, BAG.at(bag="same_class"))}, 0.03),
    )


def _no_sink(found: Findings) -> Verdict:
    return every(
        below(SINK.samples(found), SINK_EVEN.value(found)),
        above(SINK_KEPT.samples(found), 0.95),
    )


def _the_seed_decides(found: Findings) -> Verdict:
    raw = PLANTED.samples(found, method="raw")
    return every(
        below({"worst": min(raw.values())}, 0.5),
        above({"best": max(raw.values())}, 0.9),
        above(DECIDED.samples(found), 0.9),
    )


CLAIMS = (
    Claim(
        "explanation.shape_does_not_tell",
        "the areas of low entropy and of the largest weight lie below 0.56 on average, those of the "
        "confidence "
        "above 0.8 for every seed",
        _shape_does_not_tell,
        nulls=(
            instead("explanation.errors.auc.entropy", by="explanation.errors.auc.confidence"),
            instead("explanation.errors.auc.maximum", by="explanation.errors.auc.confidence"),
            one_seed("explanation.errors.auc.confidence", by="explanation.errors.auc.entropy"),
        ),
        confirmed_by=Confirmation(PLAIN, "max(entropy, maximum) < 0.65 and confidence > 0.8"),
    ),
    Claim(
        "explanation.typical_tells_less_than_the_image",
        "the best statistic of attention has an area above 0.65 on average, and a smaller one than the "
        "distance "
        "of the image from the mean image of its class",
        _typical_tells_less_than_the_image,
        nulls=(
            instead("explanation.errors.auc.best_attention", by="explanation.errors.auc.entropy"),
            instead("explanation.errors.auc.typical_image", by="explanation.errors.auc.entropy"),
        ),
        confirmed_by=Confirmation(PLAIN, "typical_attention > 0.6 and typical_image > typical_attention"),
    ),
    Claim(
        "explanation.raw_ranks_by_chance",
        "raw weights of the last block correlate below 0.2 with what covering and with what hiding finds, "
        "on average",
        lambda f: below(
            {m: _rank("raw", m).value(f) for m in ("correlation", "hiding")},
            0.2,
        ),
        nulls=(
            instead(
                "explanation.faithfulness.raw.correlation", by="explanation.faithfulness.rollout.correlation"
            ),
            instead("explanation.faithfulness.raw.hiding", by="explanation.faithfulness.rollout.hiding"),
        ),
        confirmed_by=Confirmation(PLAIN, "max(raw_correlation, raw_hiding) < 0.2"),
    ),
    Claim(
        "explanation.yardsticks_disagree",
        "for every seed, what covering with the mean image finds correlates below 0.35 with what blank paper "
        "finds, and above 0.45 with what hiding finds",
        _yardsticks_disagree,
        nulls=(
            swapped("explanation.faithfulness.covering.paper", "explanation.faithfulness.covering.hiding"),
            one_seed(
                "explanation.faithfulness.covering.paper", by="explanation.faithfulness.covering.hiding"
            ),
            one_seed(
                "explanation.faithfulness.covering.hiding", by="explanation.faithfulness.covering.paper"
            ),
        ),
        confirmed_by=Confirmation(PLAIN, "covering_paper < 0.35 and covering_hiding > 0.45"),
    ),
    Claim(
        "explanation.order_depends",
        "for every seed gradient × input ranks patches better than rollout when they are covered, and worse "
        "when "
        "they are hidden",
        _order_depends,
        nulls=(
            swapped(
                "explanation.faithfulness.rollout.{measure}", "explanation.faithfulness.gradient.{measure}"
            ),
            one_seed("explanation.faithfulness.gradient.correlation", by=0.0, words="one seed at chance"),
            one_seed("explanation.faithfulness.rollout.hiding", by=0.0, words="one seed at chance, hidden"),
        ),
        confirmed_by=Confirmation(
            PLAIN, "gradient_correlation > rollout_correlation and rollout_hiding > gradient_hiding"
        ),
    ),
    Claim(
        "explanation.ink_beats_raw",
        "for every seed the order by ink, which knows no model, has the smaller area of deletion and the "
        "larger one "
        "of insertion than the order by raw weights",
        _ink_beats_raw,
        nulls=(
            swapped("explanation.faithfulness.ink.{measure}", "explanation.faithfulness.raw.{measure}"),
            one_seed(
                "explanation.faithfulness.ink.deletion",
                by=1.0,
                words="one seed whose probability never falls",
            ),
            one_seed(
                "explanation.faithfulness.ink.insertion",
                by=0.0,
                words="one seed whose probability never rises",
            ),
        ),
        confirmed_by=Confirmation(PLAIN, "ink_deletion < raw_deletion"),
    ),
    Claim(
        "explanation.the_last_weights_hardly_matter",
        "with even weights in the last block over 0.6 of the answers stay for every seed, with even weights "
        "in both "
        "blocks less than 0.5",
        lambda f: every(
            above(KEPT.samples(f, change="even"), 0.6), below(KEPT.samples(f, change="even_everywhere"), 0.5)
        ),
        nulls=(
            swapped("explanation.changed.kept.even", "explanation.changed.kept.even_everywhere"),
            one_seed("explanation.changed.kept.even", by="explanation.changed.kept.even_everywhere"),
            one_seed("explanation.changed.kept.even_everywhere", by=1.0),
        ),
        confirmed_by=Confirmation(PLAIN, "kept_even > 0.6 and kept_even_everywhere < 0.5"),
    ),
    Claim(
        "explanation.other_weights_exist",
        "in more than a third of the images there are weights with another first patch that change no "
        "probability by "
        "1e-3",
        lambda f: every(above(OTHER_NAMED.values(f), 1 / 3), below(OTHER_OUTPUT.values(f), 1e-3)),
        nulls=(
            becomes("explanation.other_weights.another_first", by=0.0, words="weights are determined"),
            becomes("explanation.other_weights.output_change", by=0.5, words="the output changes"),
        ),
    ),
    Claim(
        "explanation.class_is_what_helps",
        "frozen weights help more than those of any image by over 0.05 of accuracy, and less than 0.03 more "
        "than those "
        "of another image of the same class, on average",
        _class_is_what_helps,
        nulls=(
            instead("explanation.frozen.accuracy.any_image", by="explanation.frozen.accuracy.frozen"),
            instead("explanation.frozen.accuracy.same_class", by="explanation.frozen.accuracy.any_image"),
        ),
    ),
    Claim(
        "explanation.the_seed_decides_what_is_seen",
        "raw weights put the mark first in less than half of the images of one seed, and in over 0.9 of "
        "those of "
        "another, though the mark decides over 0.9 of the answers of every seed",
        _the_seed_decides,
        nulls=(
            instead("explanation.planted.found.raw", by="explanation.planted.found.random"),
            instead("explanation.planted.found.raw", by="explanation.planted.found.integrated"),
            one_seed("explanation.planted.decided", by="explanation.planted.chance"),
        ),
    ),
    Claim(
        "explanation.integrated_finds_the_mark",
        "integrated gradients and covering put the mark first in over 0.9 of the images of every seed",
        lambda f: above(PLANTED.samples(f, method=["integrated", "covering"]), 0.9),
        nulls=(
            instead("explanation.planted.found.integrated", by="explanation.planted.found.gradient"),
            one_seed("explanation.planted.found.integrated", by="explanation.planted.found.ink"),
            one_seed("explanation.planted.found.covering", by="explanation.planted.found.ink"),
        ),
        confirmed_by=Confirmation(MARKED, "integrated > 0.9 and covering > 0.9"),
    ),
    Claim(
        "explanation.no_sink",
        "for every seed the empty token gets less than an even share of the class token's weight, with one "
        "added to the "
        "denominator or not, and over 0.95 of the answers stay once it is hidden",
        _no_sink,
        nulls=(
            one_seed("explanation.sink.weight.{sink}", by=0.5, words="one seed with a sink"),
            one_seed("explanation.sink.kept.{sink}", by=0.5, words="one seed that needs its sink"),
        ),
    ),
)
