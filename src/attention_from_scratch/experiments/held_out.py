"""Whether an induction head matches, or has learned eight cases: cues that training never showed as cues.

Causal models of two blocks with one head are taught with six of the eight symbols as cues. The other two
occur among the ordinary symbols, so that they have embeddings, but no query has ever asked for them. Then the
models are asked with cues that they have met and with those. Copying is measured on the direct path, from
what the second block's head hands on straight to the logits: against the answer, and against the symbol that
the head looks at most, which is what tells a head that does not copy from one that does not find.

First the question was whether they do; after a look at eight seeds the claim became that they do not. Copying
of what is read was added later; its claim was worded after a look at three of these seeds.

Refuted, if any seed matched a cue that it has never met.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attention_from_scratch import ladder
from attention_from_scratch.experiments.held_out_runs import CUES, train_and_ask
from attention_from_scratch.experiments.induction_runs import HELD_OUT
from attention_from_scratch.experiments.policies import ARITHMETIC
from measured.terms.claims import Claim, Verdict, above, below, every
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Spread
from measured.terms.null import instead, one_seed
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Outcomes, Study, Trial, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "held_out_cues.json"

PARAMETERS: dict[str, Any] = {
    "seeds": [0, 1, 2, 3, 4, 5, 6, 7],
    "cues_met": len(CUES["met"]),
    "cues_held_out": HELD_OUT,
    "length": 12,
    "steps": 6_000,
    "steps_between": 125,
    "solved": 0.999,
    "learning_rate": 3e-3,
    "batch": 64,
    "probe": 2_000,
    "probe_seed": 1_000,
}
TRAINING = {
    "length": PARAMETERS["length"],
    "blocks": 2,
    "width": 32,
    "num_heads": 1,
    "feed_forward": 64,
    "causal": True,
    "learning_rate": PARAMETERS["learning_rate"],
    "batch": PARAMETERS["batch"],
    "steps": PARAMETERS["steps"],
    "steps_between": PARAMETERS["steps_between"],
    "stop_at": PARAMETERS["solved"],
    "validation": 2_000,
    "test": 2_000,
    "probe": PARAMETERS["probe"],
    "probe_seed": PARAMETERS["probe_seed"],
}
WORDS = {
    "accuracy": "accuracy",
    "prefix_matching": "weight of block 2's query on the position after the cue's first place",
    "direct_copying": "share in which the head's output, straight to the logits, raises the answer most, "
    "above each symbol's mean",
    "read_copying": "share in which that output raises most the symbol that the head looks at most",
    "without_previous": "accuracy once block 1 cannot see the previous position",
}
CUE_WORDS = {"met": "cues met in training", "held_out": "cues never met in training"}
TOLERANCE = {f"{what}_{cues}": 0.1 for what in WORDS for cues in CUES} | {"steps": 250}

ASKED = Family(
    "induction.any_cue.{cues}.{what}",
    "{what}, {cues}, median over seeds",
    Spread("stored outcomes of a study: they move when it is run again", k=4, floor=0.02),
    ".3f",
    statistic="median",
    labels={"what": WORDS, "cues": CUE_WORDS},
)
RANDOM_SYMBOL = Family(
    "induction.any_cue.random_symbol",
    "accuracy of naming a symbol of the sequence at random",
    ARITHMETIC,
    ".3f",
)


def runs(stored: Outcomes) -> list[Run]:
    """One training a seed."""
    return [Run(f"seed{seed}", train_and_ask, {"seed": seed, **TRAINING}) for seed in PARAMETERS["seeds"]]


def measure(seeds: list[int], length: int, **_: Any) -> Findings:
    """Sum the stored outcomes up over their seeds."""
    stored = read_outcomes(STORED)
    found = [RANDOM_SYMBOL.of(float(ladder.random_symbol(length)))]
    for cues in CUES:
        for what in WORDS:
            samples = [stored[f"seed{seed}"][f"{what}_{cues}"] for seed in seeds]
            found.append(ASKED.over_seeds(samples, seeds, cues=cues, what=what))
    columns = {words: ASKED.at(cues=cues) for cues, words in CUE_WORDS.items()}
    # Against the answer, copying is asked of heads alone that find it; against what is read, of each.
    asked = {what: words for what, words in WORDS.items() if what != "direct_copying"}
    return Findings(
        tuple(found), tables=(table("induction.held_out", "median over seeds", rows("what", asked), columns),)
    )


FRESH = Trial(
    "cues_never_met",
    "Taught with six cues, does a causal model answer with the two that it has never met as cues?",
    train_and_ask,
    TRAINING,
    tolerance=TOLERANCE,
)


def _met_cues_alone(found: Findings) -> Verdict:
    """Cues that were met are matched, the others are not."""
    matched = ASKED.at(what="prefix_matching")
    return every(
        above(matched.samples(found, cues="met"), 0.5),
        below(matched.samples(found, cues="held_out"), 0.2),
        below(
            ASKED.samples(found, cues="held_out", what="accuracy"),
            2 * found["induction.any_cue.random_symbol"],
        ),
    )


COPIED = Trial(
    "copying_with_cues_never_met",
    "Asked with cues that it has never met, does a head hand on what it looks at?",
    train_and_ask,
    TRAINING,
    tolerance=TOLERANCE,
)


def _copies_what_it_reads(found: Findings) -> Verdict:
    """With cues never met: what is looked at is handed on, and it is not the answer."""
    return every(
        above(ASKED.samples(found, cues="held_out", what="read_copying"), 0.5),
        below(ASKED.samples(found, cues="held_out", what="direct_copying"), 0.3),
    )


CLAIMS = (
    Claim(
        "induction.only_met_cues_are_matched",
        "every seed gives the position after a cue that it met more than half of its weight, after one "
        "that it "
        "never met as a cue less than a fifth, and answers such sequences less than twice as often as a "
        "random "
        "symbol would",
        _met_cues_alone,
        nulls=(
            instead(
                "induction.any_cue.held_out.{what}",
                by="induction.any_cue.met.{what}",
                words="cues make no difference",
            ),
            one_seed(
                "induction.any_cue.met.prefix_matching", by="induction.any_cue.held_out.prefix_matching"
            ),
            one_seed("induction.any_cue.held_out.accuracy", by=1.0),
        ),
        confirmed_by=Confirmation(
            FRESH,
            "prefix_matching_met > 0.5 and prefix_matching_held_out < 0.2 and accuracy_held_out < 0.457",
        ),
    ),
    Claim(
        "induction.what_is_read_is_copied",
        "asked with a cue that it never met, every seed's second block raises most the logit of the symbol "
        "that it looks at most in more than half of the sequences, and that of the answer in fewer than "
        "three tenths",
        _copies_what_it_reads,
        nulls=(
            instead(
                "induction.any_cue.held_out.read_copying", by="induction.any_cue.held_out.direct_copying"
            ),
            instead(
                "induction.any_cue.held_out.direct_copying", by="induction.any_cue.held_out.read_copying"
            ),
            one_seed(
                "induction.any_cue.held_out.read_copying", by="induction.any_cue.held_out.direct_copying"
            ),
            one_seed("induction.any_cue.held_out.direct_copying", by="induction.any_cue.met.direct_copying"),
        ),
        confirmed_by=Confirmation(COPIED, "read_copying_held_out > 0.5 and direct_copying_held_out < 0.3"),
    ),
)

EXPERIMENT = Experiment(
    name="held_out",
    question="Do models that match varying cues match cues that they have never met?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("induction",),
    studies=(
        Study(
            "held_out_cues",
            "Causal models of two blocks taught with six of eight cues, asked about the other two.",
            runs,
            tolerance=TOLERANCE,
        ),
    ),
    claims=CLAIMS,
    scopes={
        "induction.any_cue.*": Scope(
            "Two causal blocks with one head, length {length}, taught with {cues_met} cues at a rate of "
            "{learning_rate}, batches of {batch}, at most {steps} steps, {cues_held_out} cues held out, "
            "seeds {seeds}."
        )
    },
)
