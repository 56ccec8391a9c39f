"""The question: do the horizons of `recurrence` hold with a larger budget, and from a start that suits them.

Drawn: the same coin flips, the same readers and the same training as in `recurrence`, at 100 tokens, for
four times as many updates at most; and the GRU and the LSTM once more, from chrono initialisation (Tallec
and Ollivier 2018) for the length at hand. At 200 tokens an LSTM from Keras' start, for as many updates as
the one that learned shorter sequences first: its missing control.

Measured: from how many seeds each training is solved within the first budget, and within the larger one.

After the look: the claims below, whose fresh seeds were not yet drawn.

Refuted, if gated layers solved 100 tokens within the larger budget from Keras' start: then `recurrence`
would have measured patience and no horizon.

Seeds, lengths, rates and both budgets were declared before anything ran; nothing was tuned.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attention_from_scratch.experiments.policies import ARITHMETIC, COUNT
from attention_from_scratch.experiments.recurrence_budgets_runs import train_longer
from attention_from_scratch.experiments.recurrence_runs import BUDGET
from measured.terms.claims import Claim, Verdict, above, below, between, equal, every
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, rows, table
from measured.terms.null import becomes, instead, one_seed, relabelled
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Outcomes, Study, Trial, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "recurrence_budgets.json"

TIMES = 4
LENGTHS_BEFORE = 4
TRAINING = {**BUDGET, "epochs": TIMES * BUDGET["epochs"]}
PARAMETERS: dict[str, Any] = {
    **TRAINING,
    "seeds": [0, 1, 2, 3, 4],
    "length": 100,
    "first_updates": BUDGET["epochs"] * BUDGET["training"] // BUDGET["batch"],
    "most_updates": TRAINING["epochs"] * BUDGET["training"] // BUDGET["batch"],
    "control_length": 200,
    "control_epochs": (1 + LENGTHS_BEFORE) * BUDGET["epochs"],
}
READERS = {
    "simple_rnn": "a SimpleRNN, orthogonal start",
    "gru": "a GRU, Keras' start",
    "lstm": "an LSTM, Keras' start",
    "gru_chrono": "a GRU, chrono start",
    "lstm_chrono": "an LSTM, chrono start",
}
STARTS = {"gru": "gru_chrono", "lstm": "lstm_chrono"}  # Keras' and the other
WITHIN = {"first": PARAMETERS["first_updates"], "larger": PARAMETERS["most_updates"]}

# fmt: off
SOLVED = Family("recurrence.budgets.solved.{reader}.{within}",
    "seeds from which {reader} solves the length within the {within} budget", COUNT, "d",
    labels={"reader": READERS, "within": {"first": "first", "larger": "larger"}})
ACCURACY = Family("recurrence.budgets.accuracy.{reader}",
    "test accuracy of {reader}, after the larger budget or once it was solved, mean over seeds",
    ARITHMETIC, ".3f", labels={"reader": READERS})
CONTROL = Family("recurrence.budgets.control_accuracy",
    "test accuracy of an LSTM, Keras' start, at the longest length, with as many updates as shorter "
    "lengths and this one get, mean over seeds", ARITHMETIC, ".3f")
BEST_UNSOLVED = Family("recurrence.budgets.best_unsolved.{reader}",
    "test accuracy of {reader}, after the larger budget, of the best seed that has not solved the length",
    ARITHMETIC, ".3f", labels={"reader": READERS})
SEED_COUNT = Family("recurrence.budgets.seed_count", "seeds of each training with a larger budget", COUNT)
# fmt: on


def runs(stored: Outcomes) -> list[Run]:
    """Every training; none depends on another."""
    asked = {name: (name, PARAMETERS["length"], TRAINING["epochs"]) for name in READERS}
    asked["control"] = ("lstm", PARAMETERS["control_length"], PARAMETERS["control_epochs"])
    return [
        Run(
            f"{name}.seed{seed}",
            train_longer,
            {"seed": seed, "reader": reader, "length": length, **BUDGET, "epochs": epochs},
        )
        for name, (reader, length, epochs) in asked.items()
        for seed in PARAMETERS["seeds"]
    ]


def measure(seeds: list[int], **_: Any) -> Findings:
    """Count, over the stored outcomes, what was solved within how many updates."""
    stored = read_outcomes(STORED)
    found = [SEED_COUNT.of(len(seeds))]
    for reader in READERS:
        made = [stored[f"{reader}.seed{seed}"] for seed in seeds]
        for within, updates in WITHIN.items():
            solved = sum(bool(one["solved"] and one["steps"] <= updates) for one in made)
            found.append(SOLVED.of(solved, reader=reader, within=within))
        found.append(ACCURACY.over_seeds([one["accuracy"] for one in made], seeds, reader=reader))
        unsolved = [one["accuracy"] for one in made if not one["solved"]]
        found += [BEST_UNSOLVED.of(max(unsolved), reader=reader)] if unsolved else []
    found.append(CONTROL.over_seeds([stored[f"control.seed{seed}"]["accuracy"] for seed in seeds], seeds))
    columns = {f"within {updates:,} updates": SOLVED.at(within=name) for name, updates in WITHIN.items()}
    columns["accuracy at the end"] = ACCURACY.at()
    return Findings(
        tuple(found), tables=(table("recurrence.budgets", "reader", rows("reader", READERS), columns),)
    )


def _keras_fails(found: Findings) -> Verdict:
    keras = list(STARTS)
    return every(
        equal(SOLVED.values(found, reader=keras, within="larger"), 0),
        below(ACCURACY.samples(found, reader=keras), PARAMETERS["stop_at"]),
    )


def _chrono_reaches(found: Findings) -> Verdict:
    chrono = list(STARTS.values())
    return every(
        equal(SOLVED.values(found, reader=chrono, within="larger"), len(PARAMETERS["seeds"])),
        above(ACCURACY.samples(found, reader=chrono), 0.99),
    )


def _control_guesses(found: Findings) -> Verdict:
    return between(CONTROL.samples(found), 0.4, 0.6)


def ask(seed: int, readers: list[str], **settings: Any) -> dict[str, Any]:
    """Train each reader from this seed with the larger budget, and say whether it solves the length."""
    return {
        f"{reader}_solved": train_longer(seed, reader, PARAMETERS["length"], **settings)["solved"]
        for reader in readers
    }


def ask_keras(
    seed: int, epochs: int, control_length: int, control_epochs: int, **settings: Any
) -> dict[str, Any]:
    """Train gated layers from Keras' start with the larger budget, and the control at the longest length."""
    made = {
        reader: train_longer(seed, reader, PARAMETERS["length"], epochs=epochs, **settings)
        for reader in STARTS
    }
    control = train_longer(seed, "lstm", control_length, epochs=control_epochs, **settings)
    return {
        **{f"{reader}_solved": one["solved"] for reader, one in made.items()},
        **{f"{reader}_accuracy": one["accuracy"] for reader, one in made.items()},
        "control_accuracy": control["accuracy"],
    }


FRESH = Trial(
    "recurrence_budgets_fresh_seeds",
    "A larger budget, from Keras' start and from a chrono start: which gated readers solve 100 tokens?",
    ask,
    {"readers": [*STARTS, *STARTS.values()], **TRAINING},
)
KERAS = Trial(
    "keras_start_with_a_larger_budget",
    "From Keras' start, does a larger budget bring the gated readers to 100 tokens, or the LSTM to 200?",
    ask_keras,
    {
        **TRAINING,
        "control_length": PARAMETERS["control_length"],
        "control_epochs": PARAMETERS["control_epochs"],
    },
    tolerance={f"{what}_accuracy": 0.1 for what in (*STARTS, "control")},
)
SAID = "recurrence.budgets.accuracy.{reader}"
CLAIMS = (
    Claim(
        "recurrence.budgets_keras_fails",
        "from Keras' start neither the GRU nor the LSTM solves the length within the larger budget, from any "
        "of the seeds",
        _keras_fails,
        nulls=tuple(
            null
            for reader in STARTS
            for null in (
                one_seed(SAID.format(reader=reader), by=1.0),
                becomes(f"recurrence.budgets.solved.{reader}.larger", 1),
            )
        ),
        confirmed_by=Confirmation(FRESH, "not gru_solved and not lstm_solved"),
    ),
    Claim(
        "recurrence.budgets_keras_mostly_fails",
        "from Keras' start fewer than half of the seeds of the GRU, and of the LSTM, solve the length within "
        "the larger budget",
        lambda f: below(SOLVED.values(f, reader=list(STARTS), within="larger"), len(PARAMETERS["seeds"]) / 2),
        nulls=tuple(
            instead(
                f"recurrence.budgets.solved.{reader}.larger", by=f"recurrence.budgets.solved.{chrono}.larger"
            )
            for reader, chrono in STARTS.items()
        ),
        confirmed_by=Confirmation(KERAS, "not gru_solved and not lstm_solved", least="most"),
    ),
    Claim(
        "recurrence.budgets_chrono_reaches",
        "from a chrono start the GRU and the LSTM solve the length within the larger budget, from each seed",
        _chrono_reaches,
        nulls=(
            *(one_seed(SAID.format(reader=chrono), by=0.5) for chrono in STARTS.values()),
            *(becomes(f"recurrence.budgets.solved.{chrono}.larger", 4) for chrono in STARTS.values()),
            *(
                relabelled(SAID.format(reader=chrono), SAID.format(reader=keras))
                for keras, chrono in STARTS.items()
            ),
        ),
        confirmed_by=Confirmation(FRESH, "gru_chrono_solved and lstm_chrono_solved"),
    ),
    Claim(
        "recurrence.budgets_control_guesses",
        "with as many updates at the longest length alone, an LSTM from Keras' start guesses, from each seed",
        _control_guesses,
        nulls=(
            one_seed("recurrence.budgets.control_accuracy", by=1.0),
            one_seed("recurrence.budgets.control_accuracy", by=0.0),
        ),
        confirmed_by=Confirmation(KERAS, "0.4 < control_accuracy < 0.6"),
    ),
)

EXPERIMENT = Experiment(
    name="recurrence_budgets",
    question="Do the horizons hold with a larger budget, and from a start that suits the distance?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("recurrence",),
    studies=(
        Study(
            "recurrence_budgets",
            "Readers with a larger budget, and gated ones from chrono initialisation: solved when?",
            runs,
            tolerance={"accuracy": 0.1, "steps": 256},
        ),
    ),
    claims=CLAIMS,
    scopes={
        "recurrence.budgets.*": Scope(
            "Readers of width {width}, at most {most_updates} updates of {batch} sequences of {length} "
            "tokens (the control: {control_length} tokens, {control_epochs} epochs), Adam at "
            "{learning_rate}, stopped once {stop_at} of a validation set is right; seeds {seeds}.",
            seeds=("seeds",),
        )
    },
)
