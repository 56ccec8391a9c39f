"""Where the division by the square root of key_dim decides whether a head learns, and where it does not.

The lookup of `scale` is trained on a grid: from two starts of the embeddings (normal numbers of variance 1,
and Keras' own, about thirty-five times smaller), with four treatments of the scores (`scale_grid_runs`), at
three rates, from five seeds. The trainings are a study: their outcomes are stored, and repeated by sample.

Refuted, if the undivided head failed from Keras' start too, or solved the task from the large start at any
of the three rates.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from attention_from_scratch.attention import softmax
from attention_from_scratch.experiments import scale_trials as trials
from attention_from_scratch.experiments.lookup_training import TRAINING
from attention_from_scratch.experiments.policies import COUNT, SAMPLED
from attention_from_scratch.experiments.scale_grid_runs import STARTS, WAYS, train_one
from attention_from_scratch.learning_curves import first_look
from attention_from_scratch.positions import sinusoidal
from attention_from_scratch.tasks import match_then_read
from measured.terms.claims import Claim, Verdict, above, below, every
from measured.terms.experiment import Experiment, Findings, Run
from measured.terms.family import Family, rows, table
from measured.terms.measurement import Measurement, Spread
from measured.terms.null import becomes, instead, one_seed, planted, relabelled, swapped
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Outcomes, Study, read_outcomes

STORED = Path(__file__).resolve().parents[3] / "tests" / "confirmations" / "scale_grid.json"

PARAMETERS: dict[str, Any] = {
    "seeds": [0, 1, 2, 3, 4],
    "rates": {"slow": 1e-4, "usual": 1e-3, "fast": 1e-2},
    "slow_rate": 1e-4,
    "usual_rate": 1e-3,
    "fast_rate": 1e-2,
    "solved": 0.99,
    "own_widths": [32, 256],
    "own_sequences": 200,
    **TRAINING,
}
RATES = PARAMETERS["rates"]

START_WORDS = {"unit": "embeddings from N(0, 1)", "keras": "Keras' own embeddings"}
WAY_WORDS = {
    "none": "scores as they are",
    "divided": "divided by √d_k",
    "temperature": "a learned factor that starts at 1",
    "qk_norm": "QK-norm",
}
LABELS = {
    "start": START_WORDS,
    "way": WAY_WORDS,
    "rate": {"slow": "a tenth of Keras' rate", "usual": "Keras' rate", "fast": "ten times Keras' rate"},
}
STORED_VALUE = Spread("stored outcomes of a study: they move when it is run again", k=3, floor=0.02)
WHERE = "{start}, {way}, {rate}, mean over seeds"

ACCURACY = Family(
    "scale.grid.accuracy.{start}.{way}.{rate}",
    "accuracy of the trained lookup on held-out sequences: " + WHERE,
    STORED_VALUE,
    ".2f",
    labels=LABELS,
)
UPDATES = Family(
    "scale.grid.updates.{start}.{way}.{rate}",
    "updates until solved, all of them where it is not: " + WHERE,
    Spread("stored outcomes of a study: two looks", k=3, floor=40),
    ",.0f",
    labels=LABELS,
)
FIRST_SCORE = Family(
    "scale.grid.first_score.{start}.{way}.{rate}",
    "largest score of a row, of either sign, mean over rows, before training: " + WHERE,
    Spread("stored outcomes of a study", k=3, floor=0.1),
    ".3g",
    labels=LABELS,
)
LARGEST_SCORE = Family(
    "scale.grid.largest_score.{start}.{way}.{rate}",
    "largest score of a row, of either sign, mean over rows, at any look during training: " + WHERE,
    Spread("stored outcomes of a study", k=4, floor=5.0),
    ".0f",
    labels=LABELS,
)
FIRST_ENTROPY = Family(
    "scale.grid.first_entropy.{start}.{way}.{rate}",
    "entropy of a row of weights before training: " + WHERE,
    Spread("stored outcomes of a study", k=3, floor=0.05),
    ".2f",
    "nats",
    labels=LABELS,
)
LAST_ENTROPY = Family(
    "scale.grid.last_entropy.{start}.{way}.{rate}",
    "entropy of a row of weights after training: " + WHERE,
    Spread("stored outcomes of a study", k=4, floor=0.05),
    ".2f",
    "nats",
    labels=LABELS,
)
TRAININGS = Family("scale.grid.trainings", "trainings of the grid", COUNT, "d")


GIVEN_WORDS = {
    "tokens": "tokens from N(0, 1)",
    "embedded": "Keras' embeddings",
    "placed": "with positions added",
    "normalised": "with LayerNorm after that",
}
OWN_MAX_WEIGHT = Family(
    "scale.own.max_weight.{way}.{given}.d{d}",
    "mean largest of {length} weights in a new model's first layer, one head, {way}, fed {given}, width {d}",
    SAMPLED,
    ".3f",
    labels={"given": GIVEN_WORDS},
)


def runs(stored: Outcomes) -> list[Run]:
    """Every training of the grid; none depends on another."""
    return [
        Run(name_of(start, way, rate, seed), train_one, _settings(start, way, rate, seed))
        for way in WAYS
        for start in STARTS
        for rate in RATES
        for seed in PARAMETERS["seeds"]
    ]


def name_of(start: str, way: str, rate: str, seed: int) -> str:
    """What a training is stored under."""
    return f"{start}.{way}.{rate}.seed{seed}"


def _settings(start: str, way: str, rate: str, seed: int) -> dict[str, Any]:
    return {"seed": seed, "start": start, "way": way, "learning_rate": RATES[rate], **TRAINING}


def measure(seeds: list[int], solved: float, every: int, **settings: Any) -> Findings:
    """Sum the stored outcomes up over their seeds; look at what the page's own models start from."""
    stored = read_outcomes(STORED)
    found, arrays = [TRAININGS.of(len(stored))], {}
    for width in settings["own_widths"]:
        found += _own_models(width, seeds, settings["length"], settings["own_sequences"])
    for start in STARTS:
        for way in WAYS:
            for rate in settings["rates"]:
                made = [stored[name_of(start, way, rate, seed)] for seed in seeds]
                at = {"start": start, "way": way, "rate": rate}
                curves = {
                    kept: np.array([run[kept] for run in made])
                    for kept in ("accuracies", "largest_scores", "entropies")
                }
                scores, entropies = curves["largest_scores"], curves["entropies"]
                updates = [every * first_look(curve, solved) for curve in curves["accuracies"]]
                found += [
                    ACCURACY.over_seeds([run["accuracy"] for run in made], seeds, **at),
                    UPDATES.over_seeds(updates, seeds, **at),
                    FIRST_SCORE.over_seeds(scores[:, 0], seeds, **at),
                    LARGEST_SCORE.over_seeds(scores.max(axis=1), seeds, **at),
                    FIRST_ENTROPY.over_seeds(entropies[:, 0], seeds, **at),
                    LAST_ENTROPY.over_seeds(entropies[:, -1], seeds, **at),
                ]
                arrays |= {f"{kept}.{start}.{way}.{rate}": curve for kept, curve in curves.items()}
    points = len(next(iter(arrays.values()))[0])
    arrays["updates"] = every * np.arange(points)
    return Findings(tuple(found), arrays, _tables())


def _own_models(width: int, seeds: list[int], length: int, sequences: int) -> Iterator[Measurement]:
    """The first layer of new models of the page: what it is fed, and what LayerNorm would make of it."""
    from attention_from_scratch.models.blocks import block_model, weights_by_name
    from attention_from_scratch.training import set_seed

    largest: dict[tuple[str, str], list[float]] = {}
    for seed in seeds:
        set_seed(seed)
        model = block_model(length=length, blocks=1, width=width, num_heads=1)
        weights = {name: np.float64(array) for name, array in weights_by_name(model).items()}
        generator = np.random.default_rng(seed)
        tokens = match_then_read.draw(sequences, length, generator).tokens
        embedded = weights["embedding.embeddings"][tokens]
        placed = embedded + sinusoidal(length, width)
        centred = placed - placed.mean(axis=-1, keepdims=True)
        fed = {
            "tokens": generator.standard_normal(placed.shape),
            "embedded": embedded,
            "placed": placed,
            "normalised": centred / centred.std(axis=-1, keepdims=True),
        }
        for given, x in fed.items():
            query, key = (x @ weights[f"block1_attention.{part}.kernel"][:, 0] for part in ("query", "key"))
            scores = query @ key.swapaxes(-1, -2)
            for way, divisor in (("unscaled", 1.0), ("scaled", width**0.5)):
                weight = float(softmax(scores / divisor).max(axis=-1).mean())
                largest.setdefault((way, given), []).append(weight)
    for (way, given), samples in largest.items():
        mean = float(np.mean(samples))
        yield OWN_MAX_WEIGHT.of(
            mean, seeds=seeds, samples=samples, way=way, given=given, d=width, length=length
        )


def _tables():
    lines = {
        f"{START_WORDS[start]}, {WAY_WORDS[way]}": {"start": start, "way": way}
        for start in STARTS
        for way in WAYS
    }
    by_rate = {LABELS["rate"][rate]: ACCURACY.at(rate=rate) for rate in RATES}
    usual = {
        "largest score at the start": FIRST_SCORE.at(rate="usual"),
        "largest score in training": LARGEST_SCORE.at(rate="usual"),
        "entropy at the start (nats)": FIRST_ENTROPY.at(rate="usual"),
        "after training (nats)": LAST_ENTROPY.at(rate="usual"),
        "updates until solved": UPDATES.at(rate="usual"),
    }
    own = {
        f"{way}, width {width}": OWN_MAX_WEIGHT.at(way=way, d=width)
        for width in PARAMETERS["own_widths"]
        for way in ("unscaled", "scaled")
    }
    return (
        table("scale.own", "the layer is fed", rows("given", GIVEN_WORDS), own),
        table("scale.grid", "start and scores", lines, by_rate),
        table("scale.grid_scores", "start and scores, at Keras' rate", lines, usual),
    )


def _own_models_start_even(found: Findings) -> Verdict:
    even = 1 / PARAMETERS["length"]
    embedded = OWN_MAX_WEIGHT.values(found, given="embedded", d=PARAMETERS["own_widths"])
    undivided = {"given": "normalised", "way": "unscaled", "d": 256}
    return every(
        below({name: weight - even for name, weight in embedded.items()}, 0.02),
        above({"normalised": OWN_MAX_WEIGHT.value(found, **undivided)}, 0.5),
    )


def _as_fast_as_divided(found: Findings) -> dict[str, Findings]:
    """A world in which the sentence's *sooner* is a tie."""
    at = {"start": "keras", "rate": "usual"}
    fastest = min(UPDATES.samples(found, way="divided", **at).values())
    return one_seed(UPDATES.id_of(way="none", **at), by=fastest).worlds(found)


def _division_decides(found: Findings) -> Verdict:
    """From the large start, at the usual rate."""
    at = {"start": "unit", "rate": "usual"}
    return every(
        above(ACCURACY.samples(found, way="divided", **at), 0.99),
        below(ACCURACY.samples(found, way="none", **at), 0.9),
    )


def _keras_start_needs_none(found: Findings) -> Verdict:
    """From Keras' start the undivided head learns, and needs fewer updates than the divided one."""
    at = {"start": "keras", "rate": "usual"}
    none, divided = (list(UPDATES.samples(found, way=way, **at).values()) for way in ("none", "divided"))
    return every(
        above(ACCURACY.samples(found, way="none", **at), 0.99),
        below({"slowest undivided less fastest divided": max(none) - min(divided)}, -0.5),
    )


CLAIMS = (
    Claim(
        "scale.own_models_start_even",
        "fed Keras' embeddings alone, new models of width 32 and 256 have a largest weight within 0.02 of "
        "even, divided or not; fed what LayerNorm makes of embeddings and positions, that of width 256 has "
        "one above 0.5 without the division",
        _own_models_start_even,
        nulls=(
            instead(
                "scale.own.max_weight.scaled.embedded.d{d}", by="scale.own.max_weight.scaled.tokens.d{d}"
            ),
            swapped(
                "scale.own.max_weight.unscaled.embedded.d{d}", "scale.own.max_weight.unscaled.normalised.d{d}"
            ),
            instead(
                "scale.own.max_weight.unscaled.normalised.d{d}",
                by="scale.own.max_weight.scaled.normalised.d{d}",
            ),
        ),
    ),
    Claim(
        "scale.grid_division_decides",
        "embeddings from N(0, 1), Keras' rate: every seed solves the lookup with the division (above 0.99), "
        "none without it (below 0.9)",
        _division_decides,
        nulls=(
            swapped("scale.grid.accuracy.unit.none.usual", "scale.grid.accuracy.unit.divided.usual"),
            one_seed("scale.grid.accuracy.unit.divided.usual", by=0.5),
            one_seed("scale.grid.accuracy.unit.none.usual", by=1.0),
            relabelled("scale.grid.accuracy.unit.none.usual", "scale.grid.accuracy.unit.divided.usual"),
        ),
        confirmed_by=Confirmation(trials.DIVIDED, "unit_divided > 0.99 and unit_none < 0.9"),
    ),
    Claim(
        "scale.grid_small_start_needs_none",
        "Keras' own embeddings, Keras' rate: every seed solves the lookup without the division (above 0.99), "
        "in fewer updates than any seed needs with it",
        _keras_start_needs_none,
        nulls=(
            instead("scale.grid.{what}.keras.none.usual", by="scale.grid.{what}.unit.none.usual"),
            one_seed("scale.grid.accuracy.keras.none.usual", by=0.5),
            swapped("scale.grid.updates.keras.none.usual", "scale.grid.updates.keras.divided.usual"),
            relabelled("scale.grid.updates.keras.none.usual", "scale.grid.updates.keras.divided.usual"),
            planted("the slowest undivided seed as fast as the fastest divided one", _as_fast_as_divided),
        ),
        confirmed_by=Confirmation(
            trials.DIVIDED, "keras_none > 0.99 and keras_none_updates < keras_divided_updates"
        ),
    ),
    Claim(
        "scale.grid_qk_norm_from_both",
        "QK-norm solves the lookup from both starts at Keras' rate, for every seed",
        lambda f: above(ACCURACY.samples(f, way="qk_norm", rate="usual"), 0.99),
        nulls=(
            instead("scale.grid.accuracy.{start}.qk_norm.usual", by="scale.grid.accuracy.unit.none.usual"),
            one_seed("scale.grid.accuracy.{start}.qk_norm.usual", by=0.5),
            becomes("scale.grid.accuracy.{start}.qk_norm.usual", by=0.5),
        ),
        confirmed_by=Confirmation(trials.FURTHER, "min(unit_qk_norm, keras_qk_norm) > 0.99"),
    ),
)

EXPERIMENT = Experiment(
    name="scale_grid",
    question="Where does the division by the square root of key_dim decide whether a head learns?",
    measure=measure,
    parameters=PARAMETERS,
    prefixes=("scale",),
    studies=(
        Study(
            "scale_grid",
            "The lookup from two starts, with four treatments of the scores, at three rates, five seeds.",
            runs,
            tolerance={"accuracy": 0.1, "accuracies": 0.3, "largest_scores": 100.0, "entropies": 0.5},
        ),
    ),
    claims=CLAIMS,
    scopes={
        "scale.own.*": Scope(
            "New models of match-then-read with one head, widths {own_widths}, {own_sequences} sequences of "
            "{length} tokens, seeds {seeds}; no training.",
            trained=False,
        ),
        "scale.grid.*": Scope(
            "One head with key_dim {key_dim} that learns a lookup among {length} pairs, {steps} updates with "
            "Adam at the rate named ({slow_rate}, {usual_rate}, {fast_rate}), batches of {batch}, "
            "seeds {seeds}."
        ),
    },
)
