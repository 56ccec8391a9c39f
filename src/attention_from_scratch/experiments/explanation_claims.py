"""The sentences of the page on weights as explanations, and the worlds in which they would be false."""

from __future__ import annotations

from collections.abc import Mapping

from attention_from_scratch.experiments import explanation_trials as trials
from attention_from_scratch.experiments.explanation_errors import AUC, UNREMARKABLE
from attention_from_scratch.experiments.explanation_maps import (
    ALIKE,
    DECIDED,
    FAITHFULNESS,
    LIKENESS,
    MEMORISED,
    PLANTED,
    SHUFFLED_ACCURACY,
)
from attention_from_scratch.experiments.explanation_weights import (
    BAG,
    KEPT,
    OTHER_NAMED,
    OTHER_OUTPUT,
    SINK,
    SINK_EVEN,
    SINK_KEPT,
)
from measured.terms.claims import Claim, Verdict, above, below, between, every
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
    return every(between(shapes, 0.35, 0.65), above(AUC.samples(found, score="confidence"), 0.8))


def _typical_tells_less_than_the_image(found: Findings) -> Verdict:
    best, image = AUC.at(score="best_attention"), AUC.at(score="typical_image")
    both = AUC.at(score="image_and_attention")
    return every(
        above({"best": best.value(found)}, 0.65),
        above({"image less best": _mean_apart(found, image, best)}, 0.0),
        below({"both less image": _mean_apart(found, both, image)}, 0.02),
    )


def _rollout_hardly_beats_one_map_for_all(found: Findings) -> Verdict:
    one_for_all = _rank("average", "correlation")
    rollout, gradient, integrated = (
        {name: _mean_apart(found, _rank(name, "correlation"), one_for_all)}
        for name in ("rollout", "gradient", "integrated")
    )
    return every(between(rollout, 0.0, 0.15), above(gradient, 0.2), above(integrated, 0.2))


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


def _order_mostly_depends(found: Findings) -> Verdict:
    covered = _mean_apart(found, _rank("gradient", "correlation"), _rank("rollout", "correlation"))
    hidden = _mean_apart(found, _rank("rollout", "hiding"), _rank("gradient", "hiding"))
    return above({"covered": covered, "hidden": hidden}, 0.0)


def _distance_beats_raw(found: Findings) -> Verdict:
    return every(
        above(_apart(found, _rank("raw", "deletion"), _rank("distance", "deletion")), 0.0),
        above(_apart(found, _rank("distance", "insertion"), _rank("raw", "insertion")), 0.0),
    )


def _ink_is_worse(found: Findings) -> Verdict:
    later = {
        f"than {m}": _mean_apart(found, _rank("ink", "deletion"), _rank(m, "deletion"))
        for m in BETTER_THAN_INK
    }
    less = {
        f"than {m}": _mean_apart(found, _rank(m, "insertion"), _rank("ink", "insertion"))
        for m in BETTER_THAN_INK
    }
    return every(above(later, 0.0), above(less, 0.0))


def _orders_by_deletion(found: Findings) -> Verdict:
    return every(
        *(
            above({f"{a} less {b}": _mean_apart(found, _rank(a, "deletion"), _rank(b, "deletion"))}, 0.0)
            for a, b in BY_DELETION
        )
    )


def _rollout_stays_alike(found: Findings) -> Verdict:
    rollout = LIKENESS.at(pair="shuffled", method="rollout")
    return every(
        *(
            above({f"less {m}": _mean_apart(found, rollout, LIKENESS.at(pair="shuffled", method=m))}, 0.0)
            for m in ALIKE
            if m != "rollout"
        )
    )


def _raw_tells_of_the_seed(found: Findings) -> Verdict:
    return every(
        between(LIKENESS.values(found, pair="twin", method=["raw", "gradient"]), -0.1, 0.25),
        above(LIKENESS.values(found, pair="twin", method=["rollout", "integrated", "covering"]), 0.25),
    )


def _shuffled_labels_are_memorised(found: Findings) -> Verdict:
    return every(
        between(MEMORISED.samples(found), 0.25, 0.95),
        below(SHUFFLED_ACCURACY.samples(found), 0.25),
    )


def _class_is_what_fits(found: Findings) -> Verdict:
    frozen = BAG.at(bag="frozen")
    any_image = {"frozen less any image": _mean_apart(found, frozen, BAG.at(bag="any_image"))}
    same_class = {"frozen less same class": _mean_apart(found, frozen, BAG.at(bag="same_class"))}
    return every(above(any_image, 0.05), between(same_class, -0.03, 0.03))


def _frozen_weights_gain_little(found: Findings) -> Verdict:
    gain = _mean_apart(found, BAG.at(bag="frozen"), BAG.at(bag="even"))
    return between({"frozen less even": gain}, -0.1, 0.1)


def _no_sink(found: Findings) -> Verdict:
    return every(
        below(SINK.samples(found), SINK_EVEN.value(found)),
        above(SINK_KEPT.samples(found), 0.95),
    )


BETTER_THAN_INK = ("raw", "random")
BY_DELETION = (("gradient", "distance"), ("rollout", "covering"), ("rollout", "integrated"))

CLAIMS = (
    Claim(
        "explanation.shape_does_not_tell",
        "the areas of low entropy and of the largest weight lie between 0.35 and 0.65 on average, those "
        "of the confidence above 0.8 for every seed",
        _shape_does_not_tell,
        nulls=(
            instead("explanation.errors.auc.entropy", by="explanation.errors.auc.confidence"),
            instead("explanation.errors.auc.maximum", by="explanation.errors.auc.confidence"),
            becomes("explanation.errors.auc.entropy", by=0.1, words="the wrong ones are the sharp ones"),
            becomes("explanation.errors.auc.maximum", by=0.1, words="the wrong ones have large weights"),
            one_seed("explanation.errors.auc.confidence", by="explanation.errors.auc.entropy"),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN,
            "0.35 < min(entropy, maximum) and max(entropy, maximum) < 0.65 and confidence > 0.8",
            least="most",
        ),
    ),
    Claim(
        "explanation.the_wrong_look_usual",
        "of the confidently wrong answers a share of over 0.75 has an entropy within the middle nine "
        "tenths of the confidently right ones, on average",
        lambda f: above({"unremarkable": UNREMARKABLE.value(f)}, 0.75),
        nulls=(becomes("explanation.errors.unremarkable", by=0.5, words="every second one stands out"),),
        confirmed_by=Confirmation(trials.PLAIN, "unremarkable > 0.75", least="most"),
    ),
    Claim(
        "explanation.typical_tells_less_than_the_image",
        "the best statistic of attention, chosen on other images, has an area above 0.65, and a smaller one "
        "than the distance of the image from the mean image of its class; a linear rule on both has one less "
        "than 0.02 above that of the distance alone; on average",
        _typical_tells_less_than_the_image,
        nulls=(
            instead("explanation.errors.auc.best_attention", by="explanation.errors.auc.entropy"),
            instead("explanation.errors.auc.typical_image", by="explanation.errors.auc.entropy"),
            instead(
                "explanation.errors.auc.image_and_attention",
                by="explanation.errors.auc.with_confidence",
                words="attention adds to the image what the confidence adds",
            ),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN,
            "best_attention > 0.65 and typical_image > best_attention "
            "and image_and_attention - typical_image < 0.02",
            least="most",
        ),
    ),
    Claim(
        "explanation.raw_ranks_by_chance",
        "the rank correlation of raw weights of the last block, and of weights times length, with what "
        "covering and with what hiding finds lies between -0.2 and 0.2, on average",
        lambda f: between(
            {f"{m} {w}": _rank(m, w).value(f) for m in ("raw", "norm") for w in ("correlation", "hiding")},
            -0.2,
            0.2,
        ),
        nulls=(
            *(
                instead(
                    f"explanation.faithfulness.{method}.{measure}",
                    by=f"explanation.faithfulness.rollout.{measure}",
                )
                for method in ("raw", "norm")
                for measure in ("correlation", "hiding")
            ),
            *(
                becomes(f"explanation.faithfulness.{method}.{measure}", by=-0.5, words="upside down")
                for method in ("raw", "norm")
                for measure in ("correlation", "hiding")
            ),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN,
            "max(abs(raw_correlation), abs(raw_hiding), abs(norm_correlation), abs(norm_hiding)) < 0.2",
        ),
    ),
    Claim(
        "explanation.rollout_hardly_beats_one_map_for_all",
        "rollout's rank correlation with covering is above that of one map for all images, what covering "
        "finds on average, by less than 0.15; those of gradient × input and of integrated gradients are over "
        "0.2 above it; on average",
        _rollout_hardly_beats_one_map_for_all,
        nulls=(
            instead(
                "explanation.faithfulness.rollout.correlation",
                by="explanation.faithfulness.integrated.correlation",
            ),
            swapped(
                "explanation.faithfulness.rollout.correlation",
                "explanation.faithfulness.average.correlation",
            ),
            instead(
                "explanation.faithfulness.gradient.correlation",
                by="explanation.faithfulness.rollout.correlation",
            ),
            instead(
                "explanation.faithfulness.integrated.correlation",
                by="explanation.faithfulness.rollout.correlation",
            ),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN,
            "0 < rollout_correlation - average_correlation < 0.15 and min(gradient_correlation, "
            "integrated_correlation) - average_correlation > 0.2",
            least="most",
        ),
    ),
    Claim(
        "explanation.yardsticks_disagree",
        "for every seed, what covering with the mean image finds correlates below 0.35 with what blank "
        "paper finds, and above 0.45 with what hiding finds",
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
        confirmed_by=Confirmation(trials.PLAIN, "covering_paper < 0.35 and covering_hiding > 0.45"),
    ),
    Claim(
        "explanation.order_depends",
        "for every seed gradient × input ranks patches better than rollout when they are covered, and "
        "worse when they are hidden",
        _order_depends,
        nulls=(
            swapped(
                "explanation.faithfulness.rollout.{measure}", "explanation.faithfulness.gradient.{measure}"
            ),
            one_seed("explanation.faithfulness.gradient.correlation", by=0.0, words="one seed at chance"),
            one_seed("explanation.faithfulness.rollout.hiding", by=0.0, words="one seed at chance, hidden"),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN, "gradient_correlation > rollout_correlation and rollout_hiding > gradient_hiding"
        ),
    ),
    Claim(
        "explanation.order_mostly_depends",
        "on average gradient × input ranks patches better than rollout when they are covered, and worse when "
        "they are hidden",
        _order_mostly_depends,
        nulls=(
            swapped(
                "explanation.faithfulness.rollout.{measure}", "explanation.faithfulness.gradient.{measure}"
            ),
            instead(
                "explanation.faithfulness.gradient.correlation",
                by="explanation.faithfulness.rollout.correlation",
            ),
            instead("explanation.faithfulness.rollout.hiding", by="explanation.faithfulness.gradient.hiding"),
        ),
        confirmed_by=Confirmation(
            trials.YARDSTICKS,
            "gradient_correlation > rollout_correlation and rollout_hiding > gradient_hiding",
            least="most",
        ),
    ),
    Claim(
        "explanation.distance_beats_raw",
        "for every seed the order by distance from the mean image, which knows no model and covers with the "
        "same image, has the smaller area of deletion and the larger one of insertion than the order by raw "
        "weights",
        _distance_beats_raw,
        nulls=(
            swapped("explanation.faithfulness.distance.{measure}", "explanation.faithfulness.raw.{measure}"),
            instead(
                "explanation.faithfulness.distance.{measure}", by="explanation.faithfulness.ink.{measure}"
            ),
            one_seed(
                "explanation.faithfulness.distance.deletion",
                by=1.0,
                words="one seed whose probability never falls",
            ),
            one_seed(
                "explanation.faithfulness.distance.insertion",
                by=0.0,
                words="one seed whose probability never rises",
            ),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN, "distance_deletion < raw_deletion and distance_insertion > raw_insertion"
        ),
    ),
    Claim(
        "explanation.ink_is_worse",
        "on average the order by ink, which knows no model, has a larger area of deletion and a smaller one "
        "of insertion than the order by raw weights, and than a random one",
        _ink_is_worse,
        nulls=(
            *(
                swapped(
                    "explanation.faithfulness.ink.{measure}", f"explanation.faithfulness.{other}.{{measure}}"
                )
                for other in BETTER_THAN_INK
            ),
            *(
                instead(
                    f"explanation.faithfulness.{other}.{measure}",
                    by=f"explanation.faithfulness.ink.{measure}",
                    words=f"{other} is as bad",
                )
                for other in BETTER_THAN_INK
                for measure in ("deletion", "insertion")
            ),
            instead(
                "explanation.faithfulness.ink.{measure}", by="explanation.faithfulness.distance.{measure}"
            ),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN,
            "ink_deletion > max(raw_deletion, random_deletion) "
            "and ink_insertion < min(raw_insertion, random_insertion)",
            least="most",
        ),
    ),
    Claim(
        "explanation.orders_by_deletion",
        "on average gradient × input has a larger area of deletion than the distance from the mean image, "
        "and rollout a larger one than covering one at a time and than integrated gradients",
        _orders_by_deletion,
        nulls=tuple(
            swapped(
                f"explanation.faithfulness.{worse}.deletion", f"explanation.faithfulness.{better}.deletion"
            )
            for worse, better in BY_DELETION
        ),
        confirmed_by=Confirmation(
            trials.PLAIN,
            "distance_deletion < gradient_deletion "
            "and max(covering_deletion, integrated_deletion) < rollout_deletion",
            least="most",
        ),
    ),
    Claim(
        "explanation.rollout_stays_alike",
        "the rank correlation of maps with those of a model trained on shuffled labels is larger for rollout "
        "than for each other map, on average",
        _rollout_stays_alike,
        nulls=tuple(
            instead(f"explanation.likeness.shuffled.{method}", by="explanation.likeness.shuffled.rollout")
            for method in ALIKE
            if method != "rollout"
        ),
        confirmed_by=Confirmation(
            trials.ALIKE,
            "rollout_shuffled > max(raw_shuffled, norm_shuffled, gradient_shuffled, integrated_shuffled, "
            "covering_shuffled)",
            least="most",
        ),
    ),
    Claim(
        "explanation.shuffled_labels_are_memorised",
        "models trained on shuffled labels say over 0.25 and less than 0.95 of the labels that their "
        "training images were dealt, for every seed, and the true one of less than 0.25 of the test images",
        _shuffled_labels_are_memorised,
        nulls=(
            becomes("explanation.likeness.memorised", by=0.1, words="they learned nothing"),
            becomes("explanation.likeness.memorised", by=1.0, words="they learned all by heart"),
            becomes("explanation.likeness.accuracy", by="explanation.accuracy", words="they know digits"),
            one_seed("explanation.likeness.memorised", by=0.1),
            one_seed("explanation.likeness.accuracy", by="explanation.accuracy"),
        ),
        confirmed_by=Confirmation(trials.ALIKE, "0.25 < memorised < 0.95 and accuracy < 0.25"),
    ),
    Claim(
        "explanation.raw_tells_of_the_seed",
        "the rank correlation of maps with those of a model trained alike from another seed lies between "
        "-0.1 and 0.25 for raw weights and for gradient × input, and is above 0.25 for rollout, integrated "
        "gradients and covering, on average",
        _raw_tells_of_the_seed,
        nulls=(
            *(
                instead(f"explanation.likeness.twin.{method}", by="explanation.likeness.twin.rollout")
                for method in ("raw", "gradient")
            ),
            *(
                becomes(f"explanation.likeness.twin.{method}", by=-0.5, words="upside down")
                for method in ("raw", "gradient")
            ),
            *(
                instead(f"explanation.likeness.twin.{method}", by="explanation.likeness.twin.raw")
                for method in ("rollout", "integrated", "covering")
            ),
        ),
        confirmed_by=Confirmation(
            trials.ALIKE,
            "-0.1 < min(raw_twin, gradient_twin) and max(raw_twin, gradient_twin) < 0.25 "
            "and min(rollout_twin, integrated_twin, covering_twin) > 0.25",
            least="most",
        ),
    ),
    Claim(
        "explanation.the_last_weights_hardly_matter",
        "with even weights in the last block over 0.6 of the answers stay for every seed, with even "
        "weights in the first block less than 0.5, and in both blocks less than 0.5",
        lambda f: every(
            above(KEPT.samples(f, change="even"), 0.6),
            below(KEPT.samples(f, change=["even_first", "even_everywhere"]), 0.5),
        ),
        nulls=(
            swapped("explanation.changed.kept.even", "explanation.changed.kept.even_first"),
            instead(
                "explanation.changed.kept.even_first",
                by="explanation.changed.kept.even",
                words="the first block's weights matter as little",
            ),
            one_seed("explanation.changed.kept.even_first", by="explanation.changed.kept.even"),
            one_seed("explanation.changed.kept.even", by="explanation.changed.kept.even_everywhere"),
            one_seed("explanation.changed.kept.even_everywhere", by=1.0),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN, "kept_even > 0.6 and kept_even_first < 0.5 and kept_even_everywhere < 0.5"
        ),
    ),
    Claim(
        "explanation.other_weights_exist",
        "in more than a third of the images there are weights with another first patch that change no "
        "probability by 1e-3",
        lambda f: every(above(OTHER_NAMED.values(f), 1 / 3), below(OTHER_OUTPUT.values(f), 1e-3)),
        nulls=(
            becomes("explanation.other_weights.another_first", by=0.0, words="weights are determined"),
            becomes("explanation.other_weights.output_change", by=0.5, words="the output changes"),
        ),
        confirmed_by=Confirmation(
            trials.PLAIN, "another_first > 1 / 3 and output_change < 1e-3", least="most"
        ),
    ),
    Claim(
        "explanation.class_is_what_fits",
        "a bag trained with frozen weights gets over 0.05 more of accuracy than one trained with those of "
        "any other image, and is within 0.03 of one trained with those of another image of the same class, "
        "on average",
        _class_is_what_fits,
        nulls=(
            instead("explanation.frozen.accuracy.any_image", by="explanation.frozen.accuracy.frozen"),
            instead("explanation.frozen.accuracy.same_class", by="explanation.frozen.accuracy.any_image"),
            becomes("explanation.frozen.accuracy.same_class", by=1.0, words="better on another image"),
        ),
        confirmed_by=Confirmation(
            trials.HANDED_ON, "frozen - any_image > 0.05 and abs(frozen - same_class) < 0.03", least="most"
        ),
    ),
    Claim(
        "explanation.frozen_weights_gain_little",
        "the accuracy of a bag trained with frozen weights is within 0.1 of that of one trained with even "
        "ones, on average",
        _frozen_weights_gain_little,
        nulls=(
            instead("explanation.frozen.accuracy.even", by="explanation.frozen.accuracy.any_image"),
            instead("explanation.frozen.accuracy.frozen", by="explanation.frozen.accuracy.any_image"),
        ),
        confirmed_by=Confirmation(trials.HANDED_ON, "abs(frozen - even) < 0.1", least="most"),
    ),
    Claim(
        "explanation.raw_can_name_the_mark",
        "in one seed raw weights put the mark first in over 0.9 of the images whose answers it decides",
        lambda f: above({"best": max(PLANTED.samples(f, method="raw").values())}, 0.9),
        nulls=(
            instead("explanation.planted.found.raw", by="explanation.planted.found.random"),
            instead("explanation.planted.found.raw", by="explanation.planted.found.distance"),
        ),
        confirmed_by=Confirmation(trials.MARKED, "raw > 0.9", least="one"),
    ),
    Claim(
        "explanation.raw_can_miss_the_mark",
        "in one seed raw weights put the mark first in less than half of the images, though it decides "
        "over 0.9 of the answers of every seed",
        lambda f: every(
            below({"worst": min(PLANTED.samples(f, method="raw").values())}, 0.5),
            above(DECIDED.samples(f), 0.9),
        ),
        nulls=(
            instead("explanation.planted.found.raw", by="explanation.planted.found.integrated"),
            one_seed("explanation.planted.decided", by="explanation.planted.chance"),
        ),
        confirmed_by=Confirmation(trials.MARKED, "raw < 0.5 and decided > 0.9", least="one"),
    ),
    Claim(
        "explanation.integrated_finds_the_mark",
        "integrated gradients and covering put the mark first in over 0.9 of the images of every seed",
        lambda f: above(PLANTED.samples(f, method=["integrated", "covering"]), 0.9),
        nulls=(
            instead("explanation.planted.found.integrated", by="explanation.planted.found.gradient"),
            one_seed("explanation.planted.found.integrated", by="explanation.planted.found.distance"),
            one_seed("explanation.planted.found.covering", by="explanation.planted.found.distance"),
        ),
        confirmed_by=Confirmation(trials.MARKED, "integrated > 0.9 and covering > 0.9"),
    ),
    Claim(
        "explanation.no_sink",
        "for every seed the empty token gets less than an even share of the class token's weight, with "
        "one added to the denominator or not, and over 0.95 of the answers stay once it is hidden",
        _no_sink,
        nulls=(
            one_seed("explanation.sink.weight.{sink}", by=0.5, words="one seed with a sink"),
            one_seed("explanation.sink.kept.{sink}", by=0.5, words="one seed that needs its sink"),
        ),
        confirmed_by=Confirmation(
            trials.EMPTY,
            "max(weight_softmax, weight_softmax_plus_one) < 1 / 18 and min(kept_softmax, "
            "kept_softmax_plus_one) > 0.95",
        ),
    ),
)
