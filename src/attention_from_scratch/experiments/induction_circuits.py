"""The half of `induction` that opens trained models: where they look, what breaks them, what moves them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from attention_from_scratch import circuits, export, forward
from attention_from_scratch.circuits import NEXT, PREVIOUS
from attention_from_scratch.experiments.induction_plan import SMALL
from attention_from_scratch.experiments.induction_training import RETRAINED, Runs, over_seeds
from attention_from_scratch.experiments.policies import COUNT
from attention_from_scratch.tasks import match_then_read
from measured.terms.experiment import Cell, Findings, Table
from measured.terms.measurement import AtMost, Close, Measurement, Spread

OFFSETS = tuple(range(-5, 6))
FLIPPED = Close(
    "a seed can end in the other circuit when rounding changes; more than three flips would be news", atol=3
)
RETRAINED_STEPS = Spread(
    "steps of a training, which other rounding moves: four standard errors, and two evaluations",
    k=4.0,
    floor=250.0,
)
LOGITS = Spread("a trained value, said for scale only", k=6.0, floor=5.0)
KINDS = {
    "bidirectional": ("no mask", "the reported experiment's rate"),
    "slow": ("no mask", "Keras' default rate"),
    "causal": ("a causal mask", "the reported experiment's rate"),
}
CIRCUITS = {
    "cue": "has the cue circuit",
    "answer": "has the answer circuit",
    "pointer": "has the pointer circuit",
    "neither": "has none of these, or is not solved",
}
GROUPS = {
    "cue": ("bidirectional", "cue", "cue circuit"),
    "answer": ("bidirectional", "answer", "answer circuit"),
    "pointer": ("slow", "pointer", "pointer circuit"),
    "causal": ("causal", "answer", "answer circuit, causal mask"),
}
OWN_SHIFT = {"cue": NEXT, "answer": PREVIOUS}


INTERVENED = Spread(
    "an intervention on trainings that are sorted by what they became: four standard errors, at least 0.1",
    k=4.0,
    floor=0.1,
)


def probes(p: Mapping[str, Any], task=match_then_read.draw) -> match_then_read.Lookups:
    """The sequences on which models are opened: the same for all of them, seen by none."""
    return task(p["probe"], p["length"], np.random.default_rng(p["probe_seed"]))


def one_head(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """Which circuit each one-head model has, without and with a causal mask, and the proof of it."""
    opened = {
        kind: [
            opened_up(runs[f"circuit.{kind}.seed{seed}"], kind == "causal", p) for seed in p[f"{kind}_seeds"]
        ]
        for kind in KINDS
    }
    found = [m for kind, models in opened.items() for m in _counts(kind, models, runs, p)]
    groups = {
        group: [
            (seed, model)
            for seed, model in zip(p[f"{kind}_seeds"], opened[kind], strict=True)
            if model["circuit"] == circuit
        ]
        for group, (kind, circuit, _) in GROUPS.items()
    }
    groups = {name: models for name, models in groups.items() if len(models) > 1}
    for group, models in groups.items():
        found += _proof(group, models)
    arrays = {
        f"offsets.{kind}": np.array([m["by_offset"] for m in models]) for kind, models in opened.items()
    } | {f"circuit.{kind}": np.array([m["circuit"] for m in models]) for kind, models in opened.items()}
    return Findings(
        tuple(found), {"offsets": np.array(OFFSETS), **arrays}, (_circuit_table(), _proof_table(groups))
    )


def opened_up(run: Mapping[str, np.ndarray], causal: bool, p: Mapping[str, Any]) -> dict[str, Any]:
    """Everything about one one-head model: where it looks, and its accuracy under each intervention."""
    weights, drawn = forward.weights_of(run), probes(p)
    trace = forward.forward(weights, drawn.tokens, causal=causal)
    seen = circuits.look(trace, drawn)
    on = {"cue": float(seen.on_cue.mean()), "answer": float(seen.on_answer.mean())}
    cue, answer, length = drawn.places, drawn.places + 1, p["length"]

    def without(allowed: np.ndarray) -> float:
        return circuits.accuracy_without(weights, drawn, allowed, causal)

    cuts = {
        "answer_to_cue": without(circuits.cut_edge(length, answer, cue)),
        "cue_to_answer": without(circuits.cut_edge(length, cue, answer)),
        "hidden_cue": without(circuits.hide(length, cue)),
        "previous": without(circuits.cut(length, PREVIOUS)),
        "next": without(circuits.cut(length, NEXT)),
    }
    moved = circuits.transplant(weights, drawn, causal)
    pointed = circuits.transplant(weights, drawn, causal, last_only=True)
    read = circuits.classify(on["cue"], on["answer"], p["majority"])
    whole = circuits.accuracy(trace, drawn)
    rows = np.arange(len(cue))
    return {
        "read": read,
        "circuit": named(read, cuts, pointed, p["majority"]) if whole >= p["solved"] else "neither",
        "weight": max(on.values()),
        "hole": float(trace.attention[0][rows, :, -1, cue].mean()),
        "answer_looks_at_cue": float(seen.answer_to_previous.mean()),
        "cue_looks_at_answer": float(seen.cue_to_next.mean()),
        "whole": whole,
        "moved_place": moved.as_answer_circuit,
        "moved_symbol": moved.as_cue_circuit,
        "pointed_place": pointed.as_answer_circuit,
        "pointed_own": pointed.unmoved,
        "by_offset": circuits.by_offset(trace.attention[1].mean(axis=1)[:, -1], drawn, OFFSETS),
        **cuts,
    }


def named(read: str, cuts: Mapping[str, float], pointed: circuits.Moved, majority: float) -> str:
    """The circuit of a solved model, by what it reads and by what breaks or moves it; `neither` if none fits.

    Args:
        read: what gets the majority of the last query's weight in block 2.
        cuts: accuracies once an edge of block 1 is cut.
        pointed: what was answered with the donor's last query.
        majority: below it an accuracy counts as broken.
    """
    if read == "cue":
        return "cue" if cuts["cue_to_answer"] < majority else "neither"
    if read == "answer":
        if cuts["answer_to_cue"] < majority:
            return "answer"
        return "pointer" if pointed.as_answer_circuit > pointed.unmoved else "neither"
    return "neither"


def _counts(
    kind: str, models: Sequence[dict[str, Any]], runs: Runs, p: Mapping[str, Any]
) -> list[Measurement]:
    """How many models of a kind have which circuit, by the picture alone and proven; how soon, how good."""
    mask, rate = KINDS[kind]
    which, seeds = f"one-head models of {len(models)}, with {mask}, at {rate}", p[f"{kind}_seeds"]
    made = [runs[f"circuit.{kind}.seed{seed}"] for seed in seeds]
    pictured = [
        Measurement(
            f"induction.pictured.{read}.{kind}",
            sum(model["read"] == read for model in models),
            f"{which}: second block reads {where}, by its weights alone",
            FLIPPED,
            "d",
        )
        for read, where in (("cue", "the cue"), ("answer", "the answer"))
    ]
    proven = [
        Measurement(
            f"induction.circuit.{circuit}.{kind}",
            sum(model["circuit"] == circuit for model in models),
            f"{which}: {words}",
            FLIPPED,
            "d",
        )
        for circuit, words in CIRCUITS.items()
    ]
    solved = Measurement(
        f"induction.circuit.solved.{kind}",
        sum(bool(np.isfinite(run["solved_at"])) for run in made),
        f"{which}: reach a validation accuracy of {p['circuit_solved']} within {p['circuit_steps']:,} steps",
        FLIPPED,
        "d",
    )
    steps = over_seeds(
        f"induction.circuit.steps.{kind}",
        [float(run["steps"][-1]) for run in made],
        seeds,
        f"steps until solved, or until the budget ends, median over seeds: {which}",
        RETRAINED_STEPS,
        ",.0f",
    )
    return [*pictured, *proven, solved, steps]


PROOF = {
    "weight": "weight of block 2's last query where it reads",
    "answer_looks_at_cue": "weight in block 1 from the answer on the cue before it",
    "cue_looks_at_answer": "weight in block 1 from the cue on the answer after it",
    "hole": "weight in block 1 from the last query on the cue",
    "whole": "accuracy, nothing removed",
    "answer_to_cue": "accuracy, block 1's edge from the answer to the cue cut",
    "cue_to_answer": "accuracy, block 1's edge from the cue to the answer cut",
    "hidden_cue": "accuracy, the cue hidden from all others in block 1",
    "previous": "accuracy, every edge to the previous position cut in block 1",
    "next": "accuracy, every edge to the next position cut in block 1",
    "moved_place": "transplanted block 1: share that reads at the donor's place",
    "moved_symbol": "transplanted block 1: share that says the donor's symbol",
    "pointed_place": "transplanted last query alone: share that reads at the donor's place",
    "pointed_own": "transplanted last query alone: share that answers as before",
}


def _proof(group: str, models: Sequence[tuple[int, dict[str, Any]]]) -> list[Measurement]:
    """What became of the models of one group under each intervention."""
    label = GROUPS[group][2]
    return [
        over_seeds(
            f"induction.proof.{what}.{group}",
            [model[what] for _, model in models],
            [seed for seed, _ in models],
            f"{text}; one-head models, {label}, median",
            INTERVENED,
            ".3f",
        )
        for what, text in PROOF.items()
    ]


def _circuit_table() -> Table:
    rows = tuple(
        (
            f"{mask}, {rate}",
            *(Cell(f"induction.circuit.{circuit}.{kind}") for circuit in CIRCUITS),
            Cell(f"induction.circuit.solved.{kind}"),
            Cell(f"induction.circuit.steps.{kind}"),
        )
        for kind, (mask, rate) in KINDS.items()
    )
    columns = ("one-head models trained with", "cue", "answer", "pointer", "neither", "solved", "steps")
    return Table("induction.circuits", columns, rows)


def _proof_table(groups: Iterable[str]) -> Table:
    return Table(
        "induction.proof",
        ("median over the models of a kind", *(GROUPS[group][2] for group in groups)),
        tuple(
            (label, *(Cell(f"induction.proof.{w}.{group}") for group in groups)) for w, label in PROOF.items()
        ),
    )


def four_heads(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """The two-block models of the reported experiment: their circuits, and which head carries seed 0's."""
    drawn, seeds = probes(p), p["seeds"]
    models = [forward.weights_of(runs[f"reported.blocks2.seed{seed}"]) for seed in seeds]
    traces = [forward.forward(w, drawn.tokens) for w in models]
    seen = [circuits.look(trace, drawn) for trace in traces]
    kinds = [circuits.classify(s.on_cue.mean(), s.on_answer.mean(), p["majority"]) for s in seen]
    found = [
        Measurement(
            f"induction.four_heads.{circuit}",
            kinds.count(circuit),
            f"four-head models of {len(seeds)} whose second block, averaged over heads, reads {where}",
            FLIPPED,
            "d",
        )
        for circuit, where in (("cue", "the cue"), ("answer", "the answer"), ("neither", "neither"))
    ]
    texts = {"on_cue": "the cue (offset −1)", "on_answer": "the answer (offset 0)"}
    found += [
        over_seeds(
            f"induction.four_heads.{name}",
            [float(getattr(s, name).mean()) for s in seen],
            seeds,
            f"weight of the second block's last query on {text}, mean of four heads, median over seeds",
            RETRAINED,
            ".3f",
        )
        for name, text in texts.items()
    ]
    last = [trace.attention[1].mean(axis=1)[:, -1] for trace in traces]
    arrays = {
        "four_heads.offsets": np.array([circuits.by_offset(weights, drawn, OFFSETS) for weights in last]),
        "four_heads.circuit": np.array(kinds),
    }
    return Findings((*found, *_heads(models[0], seen[0], kinds[0], drawn, p)), arrays, (_head_table(),))


def _heads(weights, seen: circuits.Look, circuit: str, drawn: match_then_read.Lookups, p: Mapping[str, Any]):
    """Seed 0's model with its shift removed in one head of block 1 at a time, and in all."""
    shift = OWN_SHIFT.get(circuit, PREVIOUS)
    moves = seen.cue_to_next if shift == NEXT else seen.answer_to_previous
    heads, length = SMALL["num_heads"], p["length"]
    fine = Close("one model's weights: retraining with other rounding gives other ones", atol=0.5)

    def without(chosen: Sequence[int]) -> float:
        allowed = circuits.cut(length, shift, heads=chosen, num_heads=heads)
        return circuits.accuracy_without(weights, drawn, allowed, causal=False)

    alone = [without([head]) for head in range(heads)]
    only = [without([other for other in range(heads) if other != head]) for head in range(heads)]
    found = [
        Measurement(
            "induction.head.all",
            without(range(heads)),
            "accuracy with the shift removed in all heads",
            fine,
            ".3f",
        ),
        Measurement(
            "induction.head.decisive",
            int(np.argmin(alone)) + 1,
            "the head of block 1 whose shift seed 0's model misses most, from 1",
            Close("which head takes the part is the seed's and the rounding's choice", atol=heads - 1),
            "d",
        ),
        Measurement(
            "induction.head.decisive_accuracy",
            min(alone),
            "accuracy once that one head's shift is removed",
            fine,
            ".3f",
        ),
        Measurement(
            "induction.head.decisive_weight",
            moves[int(np.argmin(alone))],
            "that head's weight on the shift, where it matters",
            fine,
            ".3f",
        ),
    ]
    for head in range(heads):
        found += [
            Measurement(
                f"induction.head.weight.h{head + 1}",
                moves[head],
                f"head {head + 1} of block 1: its weight",
                fine,
                ".3f",
            ),
            Measurement(
                f"induction.head.without.h{head + 1}",
                alone[head],
                f"accuracy with the shift removed in head {head + 1} alone",
                fine,
                ".3f",
            ),
            Measurement(
                f"induction.head.only.h{head + 1}",
                only[head],
                f"accuracy with the shift removed in all heads but head {head + 1}",
                fine,
                ".3f",
            ),
        ]
    return found


def _head_table() -> Table:
    columns = ("head of block 1", "its weight on the shift", "accuracy without it", "accuracy with it alone")
    rows = tuple(
        (str(h), *(Cell(f"induction.head.{what}.h{h}") for what in ("weight", "without", "only")))
        for h in range(1, SMALL["num_heads"] + 1)
    )
    return Table("induction.heads", columns, rows)


def any_cue(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """The variant whose cue differs from sequence to sequence: prefix matching and copying."""
    seeds = p["any_cue_seeds"]
    drawn, fixed = probes(p, match_then_read.draw_any_cue), probes(p)
    values: dict[str, list[float]] = {name: [] for name in ANY_CUE}
    for seed in seeds:
        weights = forward.weights_of(runs[f"circuit.any_cue.seed{seed}"])
        trace = forward.forward(weights, drawn.tokens, causal=True)
        seen = circuits.look(trace, drawn)
        without = circuits.cut(p["length"], PREVIOUS)
        values["accuracy"].append(circuits.accuracy(trace, drawn))
        values["prefix_matching"].append(float(seen.on_answer.mean()))
        values["previous_token"].append(float(seen.answer_to_previous.mean()))
        values["copying"].append(circuits.copied(weights, drawn, causal=True))
        values["direct_copying"].append(circuits.direct_copying(weights, trace, drawn))
        values["without_previous"].append(circuits.accuracy_without(weights, drawn, without, causal=True))
        values["moved_place"].append(circuits.transplant(weights, drawn, causal=True).as_answer_circuit)
    for seed in p["causal_seeds"]:  # models that met one cue only, asked about others
        weights = forward.weights_of(runs[f"circuit.causal.seed{seed}"])
        trace = forward.forward(weights, drawn.tokens, causal=True)
        values["fixed_cue_models"].append(circuits.accuracy(trace, drawn))
    values["on_the_fixed_cue"] = [
        circuits.accuracy(
            forward.forward(forward.weights_of(runs[f"circuit.any_cue.seed{s}"]), fixed.tokens, causal=True),
            fixed,
        )
        for s in seeds
    ]
    return Findings(
        tuple(
            over_seeds(
                f"induction.any_cue.{name}",
                got,
                p["causal_seeds"] if name == "fixed_cue_models" else seeds,
                ANY_CUE[name],
                RETRAINED,
                ".3f",
            )
            for name, got in values.items()
        ),
        tables=(_any_cue_table(),),
    )


ANY_CUE = {
    "accuracy": "accuracy of causal one-head models taught with a cue that varies",
    "prefix_matching": "prefix matching: block 2's weight on the position after its token's first place",
    "previous_token": "weight in block 1 from that position on the one before it",
    "copying": "copying: answers that follow a transplanted output of block 2's head",
    "direct_copying": "copying, straight to the logits: the head's output raises the right symbol the most",
    "without_previous": "accuracy once block 1 cannot see the previous position",
    "moved_place": "answers read at the donor's place once block 1's head output is transplanted",
    "fixed_cue_models": "accuracy, with a cue that varies, of causal models taught with one cue only",
    "on_the_fixed_cue": "accuracy, with the fixed cue, of causal models taught with a cue that varies",
}


def _any_cue_table() -> Table:
    labels = {
        "accuracy": "accuracy",
        "prefix_matching": "prefix matching",
        "copying": "copying, by transplant",
        "direct_copying": "copying, straight to the logits",
        "previous_token": "block 1's weight on the previous token",
        "without_previous": "accuracy without it",
    }
    return Table(
        "induction.any_cue",
        ("two causal blocks, one head, a cue that varies", "median over seeds"),
        tuple((label, Cell(f"induction.any_cue.{name}")) for name, label in labels.items()),
    )


def exported(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """What the site's live model gets, and how far the NumPy forward pass is from Keras."""
    worst, largest = [], []
    for seed in p["seeds"]:
        run = runs[f"reported.blocks2.seed{seed}"]
        ours = forward.forward(forward.weights_of(run), run["keras_tokens"]).logits
        worst.append(float(np.abs(ours - run["keras_logits"]).max()))
        largest.append(float(np.abs(run["keras_logits"]).max()))
    data, manifest = export.packed(runs["reported.blocks2.seed0"])
    return Findings(
        (
            Measurement(
                "induction.export.difference",
                max(worst),
                "largest difference in any logit between NumPy and Keras, all two-block models",
                AtMost(
                    "float32 rounding: its size is the claim, its digits depend on the machine", bound=1e-5
                ),
                ".1e",
                seeds=tuple(p["seeds"]),
                samples=tuple(worst),
            ),
            over_seeds(
                "induction.export.largest_logit", largest, p["seeds"], "largest absolute logit", LOGITS, ".1f"
            ),
            Measurement(
                "induction.export.sequences",
                len(runs["reported.blocks2.seed0"]["keras_tokens"]),
                "sequences compared, for each model",
                COUNT,
                ",d",
            ),
            Measurement("induction.export.bytes", len(data), "bytes of weights", COUNT, ",d", "bytes"),
        )
    )
