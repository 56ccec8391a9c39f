"""The question: what does padding do to a layer that is not told about it.

Drawn: sequences of 5 to 20 coin flips, padded to 200 tokens. The answer is the last real token: without
the padding it stands at distance zero, so that whatever distance there is, padding made. Once more with
the first real token as the answer, where the padding's other side is the dangerous one.

A SimpleRNN as in `recurrence`, at Keras' defaults, learns four versions of the same sequences: padding
behind or in front, each with the mask handed to the layer or without. The cousin of the fault, in
attention: an encoder that averages over positions, trained on sequences padded to 20 and tested on the
same sequences padded to 200, with a padding mask and without.

Measured: test accuracy at the end of the budget, over seeds; for the encoder also the share of its
attention that falls on padding and the largest change of a logit when the padding grows.

Refuted, if a mask made no difference, or if one side of padding were safe whatever is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attention_from_scratch.experiments import padding_trials as trials
from attention_from_scratch.experiments.padding_runs import train_pooled, train_simple_rnn
from attention_from_scratch.experiments.policies import COUNT, EXACT_ZERO, trained_to_solve
from attention_from_scratch.experiments.recurrence_runs import BUDGET
from attention_from_scratch.tasks.recall import CHANCE
from measured.terms.claims import Claim, Verdict, above, below, between, equal, every
from measured.terms.experiment import Cell, Experiment, Findings, Run, Table
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtMost, Measurement, Spread
from measured.terms.null import instead, one_seed
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation

TRAINING = {**BUDGET, "shortest": 5, "longest": 20, "total": 200}
PARAMETERS = {**TRAINING, "seeds": [0, 1, 2]}
QUICK_SEEDS = [0, 1]
QUICK_RUN = {
    "shortest": 3,
    "longest": 8,
    "total": 16,
    "training": 64,
    "validation": 64,
    "test": 64,
    "epochs": 1,
}

WAYS = {
    "unmasked": ("behind, no mask", {"side": "post", "masked": False}),
    "masked": ("behind, mask", {"side": "post", "masked": True}),
    "pre": ("in front, no mask", {"side": "pre", "masked": False}),
    "pre_masked": ("in front, mask", {"side": "pre", "masked": True}),
}
WORDS = {way: words for way, (words, _) in WAYS.items()}
POOLED = {"unmasked": False, "masked": True}
PADDED = {"trained": "padded as in training", "further": "padded further"}
LABELS = {
    "way": WORDS,
    "pooled": {"unmasked": "without a padding mask", "masked": "with a padding mask"},
    "padding": PADDED,
}
SOLVED = trained_to_solve(PARAMETERS["seeds"])
ASKED = (
    "test accuracy of a SimpleRNN asked for the {asked} of {shortest} to {longest} real tokens, padded to "
    "{total}, padding {way}; mean over seeds"
)

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
GUESSED = Family("padding.chance", "accuracy of guessing between two classes", COUNT, ".1f")
LAST = Family("padding.accuracy.{way}", ASKED, SOLVED, ".3f", labels=LABELS)
FIRST = Family("padding.first_accuracy.{way}", ASKED, SOLVED, ".3f", labels=LABELS)
POOLED_ACCURACY = Family("padding.pooled_accuracy.{pooled}.{padding}",
    "test accuracy of a pooled attention encoder {pooled}, on sequences {padding}, mean over seeds", SOLVED,
    ".3f", labels=LABELS)
WEIGHT_MASKED = Family("padding.pooled_weight.masked",
    "largest share of attention on padding, with a mask, of any seed", EXACT_ZERO, ".0f", statistic="largest")
WEIGHT_UNMASKED = Family("padding.pooled_weight.unmasked",
    "share of the real tokens' attention that falls on longer padding, no mask, mean over seeds",
    Spread("three standard errors over seeds, at least 0.15", k=3, floor=0.15), ".2f")
CHANGE_MASKED = Family("padding.pooled_change.masked",
    "largest change of any logit when the padding grows, with a mask",
    AtMost("rounding of float32 sums of another length, whose digits are noise", bound=9e-5), ".0e",
    statistic="largest")
CHANGE_UNMASKED = Family("padding.pooled_change.unmasked",
    "largest change of any logit when the padding grows, no mask, mean over seeds",
    Spread("three standard errors over seeds, at least 1", k=3, floor=1.0), ".1f")
# fmt: on
BY_ASKED = {"last": LAST, "first": FIRST}


def _runs() -> Iterator[Run]:
    def over_seeds(name: str, function: Any, **settings: Any) -> tuple[Run, ...]:
        parameters, seeds = {**TRAINING, **settings}, PARAMETERS["seeds"]
        return Run.over_seeds(name, function, parameters, seeds, quick_seeds=QUICK_SEEDS, quick=QUICK_RUN)

    for asked in BY_ASKED:
        for way, (_, settings) in WAYS.items():
            yield from over_seeds(f"{asked}.{way}", train_simple_rnn, asked=asked, **settings)
    for way, masked in POOLED.items():
        yield from over_seeds(f"pooled.{way}", train_pooled, masked=masked)


def measure(runs: Mapping[str, Any], seeds: list[int], **settings: Any) -> Findings:
    """Sum up the runs over seeds."""
    lengths = {name: settings[name] for name in ("shortest", "longest", "total")}

    def over_seeds(family: Family, name: str, result: str, **holes: Any) -> Measurement:
        return family.over_seeds([runs[f"{name}.seed{seed}"][result] for seed in seeds], seeds, **holes)

    found = [GUESSED.of(CHANCE)]
    for asked, family in BY_ASKED.items():
        named = {"asked": asked, **lengths}
        found += [over_seeds(family, f"{asked}.{way}", "accuracy", way=way, **named) for way in WAYS]
    for way, weight, change in (
        ("unmasked", WEIGHT_UNMASKED, CHANGE_UNMASKED),
        ("masked", WEIGHT_MASKED, CHANGE_MASKED),
    ):
        run, of = f"pooled.{way}", POOLED_ACCURACY.at(pooled=way)
        found += [over_seeds(of, run, f"accuracy_{padding}", padding=padding) for padding in PADDED]
        found += [over_seeds(weight, run, "weight_on_padding"), over_seeds(change, run, "logit_change")]
    return Findings(tuple(found), tables=_tables())


def _tables() -> tuple[Table, Table]:
    asked = {"asked for the last token": LAST, "asked for the first token": FIRST}
    pooled = tuple(
        (label, *(POOLED_ACCURACY.cell(pooled=way, padding=p) for p in PADDED), Cell(change.id))
        for label, way, change in (
            ("no mask", "unmasked", CHANGE_UNMASKED),
            ("with a mask", "masked", CHANGE_MASKED),
        )
    )
    return (
        table("padding.accuracy", "padding", rows("way", WORDS), asked),
        Table("padding.pooled", ("pooled encoder", *PADDED.values(), "largest change of a logit"), pooled),
    )


# Guessing on 3 × 1,024 test sequences lies within this, six standard errors wide; a strategy would not.
GUESSING = (CHANCE - 0.06, CHANCE + 0.06)


def _no_side_is_safe(found: Findings) -> Verdict:
    def lost(family: Family, masked: str, unmasked: str) -> float:
        return family.value(found, way=masked) - family.value(found, way=unmasked)

    return above(
        {
            "behind, last": lost(LAST, "masked", "unmasked"),
            "in front, first": lost(FIRST, "pre_masked", "pre"),
        },
        0.2,
    )


def _pooled_breaks(found: Findings) -> Verdict:
    before, after = (POOLED_ACCURACY.value(found, pooled="unmasked", padding=p) for p in PADDED)
    return above({"lost": before - after}, 0.2)


CLAIMS = (
    Claim(
        "padding.behind_overwrites",
        "asked for the last token, padding behind and no mask: the mean accuracy lies near guessing",
        lambda f: between(LAST.samples(f, way="unmasked"), *GUESSING),
        nulls=(
            instead("padding.accuracy.unmasked", by="padding.accuracy.masked"),
            one_seed("padding.accuracy.unmasked", by=1.0),
        ),
        confirmed_by=Confirmation(trials.PADDED, f"abs(last_unmasked - {CHANCE}) < 0.06"),
    ),
    Claim(
        "padding.mask_mends_it",
        "with a mask the SimpleRNN answers more than 0.98 of all sequences, on both sides, asked for either",
        lambda f: above(
            {
                name: value
                for family in (LAST, FIRST)
                for name, value in family.samples(f, way=["masked", "pre_masked"]).items()
            },
            0.98,
        ),
        nulls=(
            instead("padding.accuracy.masked", by="padding.accuracy.unmasked", words="no mask"),
            one_seed("padding.first_accuracy.pre_masked", by="padding.chance"),
        ),
        confirmed_by=Confirmation(
            trials.PADDED, "min(last_masked, last_pre_masked, first_masked, first_pre_masked) > 0.98"
        ),
    ),
    Claim(
        "padding.front_mends_the_last",
        "asked for the last token, padding in front and no mask: more than 0.98",
        lambda f: above(LAST.samples(f, way="pre"), 0.98),
        nulls=(
            instead("padding.accuracy.pre", by="padding.accuracy.unmasked", words="padding behind"),
            one_seed("padding.accuracy.pre", by="padding.chance"),
        ),
        confirmed_by=Confirmation(trials.PADDED, "last_pre > 0.98"),
    ),
    Claim(
        "padding.no_side_is_safe",
        "without a mask, padding behind fails the last token and padding in front fails the first: each at "
        "least 0.2 below the same side with a mask",
        _no_side_is_safe,
        nulls=(
            instead("padding.accuracy.unmasked", by="padding.accuracy.masked"),
            instead("padding.first_accuracy.pre", by="padding.first_accuracy.pre_masked"),
        ),
        confirmed_by=Confirmation(
            trials.PADDED,
            "min(last_masked - last_unmasked, first_pre_masked - first_pre) > 0.2",
            least="most",
        ),
    ),
    Claim(
        "padding.first_survives",
        "asked for the first token, padding behind and no mask: more than 0.8, from an orthogonal start",
        lambda f: above(FIRST.samples(f, way="unmasked"), 0.8),
        nulls=(
            instead("padding.first_accuracy.unmasked", by="padding.accuracy.unmasked"),
            one_seed("padding.first_accuracy.unmasked", by="padding.chance"),
        ),
        confirmed_by=Confirmation(trials.PADDED, "first_unmasked > 0.8"),
    ),
    Claim(
        "padding.first_mostly_survives",
        "asked for the first token, padding behind and no mask: more than 0.8 on average over seeds, from an "
        "orthogonal start",
        lambda f: above(FIRST.values(f, way="unmasked"), 0.8),
        nulls=(instead("padding.first_accuracy.unmasked", by="padding.accuracy.unmasked"),),
        confirmed_by=Confirmation(trials.CARRIED, "first_unmasked > 0.8", least="most"),
    ),
    Claim(
        "padding.pooled_learns",
        "on sequences padded as in training the pooled encoder answers more than 0.98, mask or not",
        lambda f: above(POOLED_ACCURACY.samples(f, padding="trained"), 0.98),
        nulls=(one_seed("padding.pooled_accuracy.{pooled}.trained", by="padding.chance"),),
        confirmed_by=Confirmation(
            trials.PADDED, "min(masked_accuracy_trained, unmasked_accuracy_trained) > 0.98"
        ),
    ),
    Claim(
        "padding.pooled_breaks",
        "without a mask the pooled encoder loses at least 0.2 of accuracy when the padding grows",
        _pooled_breaks,
        nulls=(
            instead("padding.pooled_accuracy.unmasked.further", by="padding.pooled_accuracy.masked.further"),
        ),
        confirmed_by=Confirmation(
            trials.PADDED, "unmasked_accuracy_trained - unmasked_accuracy_further > 0.2", least="most"
        ),
    ),
    Claim(
        "padding.pooled_masked_holds",
        "with a mask no attention falls on padding, no logit moves by 1e-4, and the accuracy stays",
        lambda f: every(
            equal(WEIGHT_MASKED.values(f), 0.0),
            below(CHANGE_MASKED.values(f), 1e-4),
            above(POOLED_ACCURACY.values(f, pooled="masked", padding="further"), 0.98),
        ),
        nulls=(
            instead("padding.pooled_weight.masked", by="padding.pooled_weight.unmasked"),
            instead("padding.pooled_change.masked", by="padding.pooled_change.unmasked"),
            instead("padding.pooled_accuracy.masked.further", by="padding.pooled_accuracy.unmasked.further"),
        ),
        confirmed_by=Confirmation(
            trials.PADDED,
            "masked_weight_on_padding == 0 and masked_logit_change < 1e-4 and masked_accuracy_further > 0.98",
        ),
    ),
)

EXPERIMENT = Experiment(
    name="padding",
    question="What does padding do to a layer that is not told about it?",
    measure=measure,
    parameters=PARAMETERS,
    quick={"seeds": QUICK_SEEDS},
    runs=tuple(_runs()),
    seconds=60,
    claims=CLAIMS,
    scopes={
        "padding.pooled*": Scope(
            "Recall of the first of {shortest} to {longest} tokens by a pooled attention encoder "
            "{width} wide, Adam at "
            "a rate of {learning_rate}, at most {epochs} epochs of {training} sequences; seeds {seeds}."
        ),
        "padding.*": Scope(
            "Recall of one end of {shortest} to {longest} tokens padded to {total}, a SimpleRNN {width} "
            "wide from an "
            "orthogonal start, Adam at a rate of {learning_rate}, at most {epochs} epochs of {training} "
            "sequences; "
            "seeds {seeds}."
        ),
    },
)
