"""The half of `induction` that opens trained models: where they look, what breaks them, what moves them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from attention_from_scratch import circuits, export, forward, gaps
from attention_from_scratch.circuits import NEXT, PREVIOUS
from attention_from_scratch.experiments.induction_plan import SMALL
from attention_from_scratch.experiments.induction_training import RETRAINED, Runs, of_seeds, probes
from attention_from_scratch.experiments.policies import COUNT
from attention_from_scratch.tasks import match_then_read
from measured.terms.experiment import Findings, Table
from measured.terms.family import Family, rows, table
from measured.terms.measurement import AtMost, Close, Measurement, Spread

OFFSETS = tuple(range(-5, 6))
GAP = 0.25 / 12  # of the last query's weight in block 1 on the cue: a quarter of an even share
KEEPS = 0.8  # of the answers, with the cue hidden in block 1
OWN_SHIFT = {"cue": NEXT, "answer": PREVIOUS}
FLIPPED = Close(
    "a seed can end in the other circuit when rounding changes; more than three flips would be news", atol=3
)
RETRAINED_STEPS = Spread(
    "steps of a training, which other rounding moves: four standard errors, and two evaluations",
    k=4.0,
    floor=250.0,
)
INTERVENED = Spread(
    "an intervention on trainings that are sorted by what they became: four standard errors, at least 0.1",
    k=4.0,
    floor=0.1,
)
ONE_MODEL = Close("one model's weights: retraining with other rounding gives other ones", atol=0.5)

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
# Groups of models that share a circuit: of which kinds, which circuit, and what they are called.
FREE = ("bidirectional", "slow")
GROUPS = {
    "cue": (FREE, "cue", "cue circuit"),
    "answer": (FREE, "answer", "answer circuit"),
    "pointer": (FREE, "pointer", "pointer circuit"),
    "neither": (FREE, "neither", "neither"),
    "causal": (("causal",), "answer", "answer circuit, causal mask"),
}
AHEAD = ("cue_looks_at_answer", "cue_to_answer", "next")  # a causal mask leaves no such edge
INTERVENTIONS = {
    "weight": "weight of block 2's last query where it reads",
    "answer_looks_at_cue": "weight in block 1 from the answer on the cue before it",
    "cue_looks_at_answer": "weight in block 1 from the cue on the answer after it",
    "hole": "weight in block 1 from the last query on the cue",
    "whole": "accuracy, nothing removed",
    "answer_to_cue": "accuracy, block 1's edge from the answer to the cue cut",
    "cue_to_answer": "accuracy, block 1's edge from the cue to the answer cut",
    "hidden_cue": "accuracy, the cue hidden from all others in block 1",
    "gap_place": "last query's weights on the cue and another place exchanged: share that reads after that",
    "gap_own": "the same exchange: share that answers as before",
    "previous": "accuracy, every edge to the previous position cut in block 1",
    "next": "accuracy, every edge to the next position cut in block 1",
    "moved_place": "transplanted block 1: share that reads at the donor's place",
    "moved_symbol": "transplanted block 1: share that says the donor's symbol",
    "pointed_place": "transplanted last query alone: share that reads at the donor's place",
    "pointed_own": "transplanted last query alone: share that answers as before",
}
ANY_CUE_WORDS = {
    "accuracy": "accuracy of causal one-head models taught with a cue that varies",
    "prefix_matching": "prefix matching: block 2's weight on the position after its token's first place",
    "previous_token": "weight in block 1 from that position on the one before it",
    "copying": "copying: answers that follow a transplanted output of block 2's head",
    "direct_copying": "the head's output, straight to the logits, raises the answer the most, above each "
    "symbol's mean",
    "without_previous": "accuracy once block 1 cannot see the previous position",
    "moved_place": "answers read at the donor's place once block 1's head output is transplanted",
    "fixed_cue_models": "accuracy, with a cue that varies, of causal models taught with one cue only",
    "on_the_fixed_cue": "accuracy, with the fixed cue, of causal models taught with a cue that varies",
}
LABELS = {
    "circuit": CIRCUITS,
    "read": {"cue": "the cue", "answer": "the answer", "neither": "neither"},
    "position": {"on_cue": "the cue (offset −1)", "on_answer": "the answer (offset 0)"},
    "group": {group: words for group, (_, _, words) in GROUPS.items()},
    "what": INTERVENTIONS,
}

# What is measured: its name, what it is, how far it may drift, how it is shown.
# fmt: off
PICTURED = Family("induction.pictured.{read}.{kind}",
    "{models}: second block reads {read}, by its weights alone", FLIPPED, "d", labels=LABELS)
PICTURED_SOLVED = Family("induction.pictured_solved.{kind}",
    "{models}: second block reads answer, by its weights alone, and the task is solved", FLIPPED, "d")
FINER = Family("induction.pictured.finer.{look}",
    "pairs of a maskless one-head model that has the answer circuit and one that reads the answer and has "
    "not: share in which the first has the larger {look}", Close("a seed can end elsewhere when rounding "
    "changes; half would be a look that tells nothing", atol=0.3), ".2f",
    labels={"look": {"block1": "weight in block 1 from the answer on the cue before it",
    "block2": "weight in block 2 of the last query on the answer"}})
KEPT = Family("induction.pictured.kept",
    "maskless one-head models that solve the task, read the answer and have no answer circuit: accuracy with "
    "block 1's edge from the answer to the cue cut, median", INTERVENED, ".2f", statistic="median")
LEAST_KEPT = Family("induction.pictured.least_kept",
    "the same, of the model that keeps least", Close("one model's, which retraining makes another", atol=0.3),
    ".2f", statistic="smallest")
MARKS = Family("induction.marks.{mark}.{circuit}",
    "maskless one-head models, at either rate: {circuit}, {mark}", FLIPPED, "d",
    labels={**LABELS, "mark": {"models": "how many",
    "read_answer": "how many that solve the task and read the answer's position",
    "gap": "how many whose last query gives the cue under a quarter of an even share in block 1",
    "both": "how many with that gap that keep more than 0.8 with the cue hidden"}})
CIRCUIT = Family("induction.circuit.{circuit}.{kind}", "{models}: {circuit}", FLIPPED, "d", labels=LABELS)
SOLVED = Family("induction.circuit.solved.{kind}",
    "{models}: reach a validation accuracy of {solved} within {steps:,} steps", FLIPPED, "d")
STEPS = Family("induction.circuit.steps.{kind}",
    "steps until solved, or until the budget ends, median over seeds: {models}", RETRAINED_STEPS, ",.0f",
    statistic="median")
PROOF = Family("induction.proof.{what}.{group}",
    "{what}; one-head models, {group}, median", INTERVENED, ".3f", statistic="median", labels=LABELS)
FOUR_HEADS = Family("induction.four_heads.{read}",
    "four-head models of {count} whose second block, averaged over heads, reads {read}", FLIPPED, "d",
    labels=LABELS)
FOUR_HEADS_WEIGHT = Family("induction.four_heads.{position}",
    "weight of the second block's last query on {position}, mean of four heads, median over seeds", RETRAINED,
    ".3f", statistic="median", labels=LABELS)
FOUR_HEADS_CUT = Family("induction.four_heads_cut.{read}.{edge}",
    "accuracy of four-head models whose second block reads {read}, block 1's edge {edge} cut, median",
    Close("an intervention on as few models as read there: retraining gives other ones", atol=0.3), ".3f",
    statistic="median",
    labels={**LABELS, "edge": {"cue_to_answer": "from the cue to the answer",
    "answer_to_cue": "from the answer to the cue"}})
ALL_HEADS = Family("induction.head.all", "accuracy with the shift removed in all heads", ONE_MODEL, ".3f")
DECISIVE = Family("induction.head.decisive",
    "the head of block 1 whose shift seed 0's model misses most, from 1",
    Close("which head takes the part is the seed's and the rounding's choice", atol=SMALL["num_heads"] - 1),
    "d")
DECISIVE_ACCURACY = Family("induction.head.decisive_accuracy",
    "accuracy once that one head's shift is removed", ONE_MODEL, ".3f")
DECISIVE_WEIGHT = Family("induction.head.decisive_weight",
    "that head's weight on the shift, where it matters", ONE_MODEL, ".3f")
HEAD_WEIGHT = Family("induction.head.weight.h{head}", "head {head} of block 1: its weight", ONE_MODEL, ".3f")
HEAD_WITHOUT = Family("induction.head.without.h{head}",
    "accuracy with the shift removed in head {head} alone", ONE_MODEL, ".3f")
HEAD_ONLY = Family("induction.head.only.h{head}",
    "accuracy with the shift removed in all heads but head {head}", ONE_MODEL, ".3f")
ANY_CUE = Family("induction.any_cue.{what}",
    "{what}", RETRAINED, ".3f", statistic="median", labels={"what": ANY_CUE_WORDS})
EXPORT_DIFFERENCE = Family("induction.export.difference",
    "largest difference in any logit between NumPy and Keras, all two-block models",
    AtMost("float32 rounding: its size is the claim, its digits depend on the machine", bound=9e-6), ".1e",
    statistic="largest")
LARGEST_LOGIT = Family("induction.export.largest_logit",
    "largest absolute logit", Spread("a trained value, said for scale only", k=6.0, floor=5.0), ".1f",
    statistic="median")
EXPORT_SEQUENCES = Family("induction.export.sequences", "sequences compared, for each model", COUNT, ",d")
EXPORT_BYTES = Family("induction.export.bytes", "bytes of weights", COUNT, ",d", "bytes")
# fmt: on


def one_head(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """Which circuit each one-head model has, without and with a causal mask, and the proof of it."""
    opened = {
        kind: [opened_up(run, kind == "causal", p) for run in _one_head_runs(runs, kind, p)] for kind in KINDS
    }
    groups = {
        group: [
            (seed, model)
            for kind in kinds
            for seed, model in _seeded(opened, kind, p)
            if model["circuit"] == circuit
        ]
        for group, (kinds, circuit, _) in GROUPS.items()
    }
    groups = {name: models for name, models in groups.items() if len(models) > 1}
    found = [m for kind, models in opened.items() for m in _counts(kind, models, runs, p)]
    for group, models in groups.items():
        seeds = [seed for seed, _ in models]
        found += [
            PROOF.over_seeds([model[what] for _, model in models], seeds, what=what, group=group)
            for what in _asked_of(group)
        ]
    free = [one for kind in FREE for one in _seeded(opened, kind, p)]
    found += [*_finer(free, p), *_marks([model for _, model in free], p)]
    by_kind = {kind: np.array([model["by_offset"] for model in models]) for kind, models in opened.items()}
    circuit = {kind: np.array([model["circuit"] for model in models]) for kind, models in opened.items()}
    arrays = {"offsets": np.array(OFFSETS)}
    arrays |= {f"offsets.{kind}": array for kind, array in by_kind.items()}
    arrays |= {f"circuit.{kind}": array for kind, array in circuit.items()}
    return Findings(tuple(found), arrays, (_circuit_table(), _proof_table(groups)))


def _seeded(
    opened: Mapping[str, list[dict[str, Any]]], kind: str, p: Mapping[str, Any]
) -> Iterator[tuple[int, dict[str, Any]]]:
    return zip(p[f"{kind}_seeds"], opened[kind], strict=True)


def _asked_of(group: str) -> list[str]:
    """The interventions that a group's models can be put to."""
    kinds, *_ = GROUPS[group]
    return [what for what in INTERVENTIONS if "causal" not in kinds or what not in AHEAD]


def _finer(free: Sequence[tuple[int, dict[str, Any]]], p: Mapping[str, Any]) -> Iterator[Measurement]:
    """What a finer look at the same weights would have told of the models that read the answer."""
    pictured = [(seed, m) for seed, m in free if m["read"] == "answer" and m["whole"] >= p["solved"]]
    those = [m for _, m in pictured if m["circuit"] == "answer"]
    others = [(seed, m) for seed, m in pictured if m["circuit"] != "answer"]
    if not those or len(others) < 2:
        return
    for look, of in (("block1", "answer_looks_at_cue"), ("block2", "weight")):
        larger = [one[of] > other[of] for one in those for _, other in others]
        yield FINER.of(float(np.mean(larger)), look=look)
    kept, seeds = [m["answer_to_cue"] for _, m in others], [seed for seed, _ in others]
    yield KEPT.over_seeds(kept, seeds)
    yield LEAST_KEPT.over_seeds(kept, seeds)


def _marks(free: Sequence[dict[str, Any]], p: Mapping[str, Any]) -> Iterator[Measurement]:
    """How many models of each circuit read the answer, and how many have the marks of a pointer."""
    for circuit in ("answer", "pointer", "neither"):
        those = [model for model in free if model["circuit"] == circuit]
        read = [model for model in those if model["read"] == "answer" and model["whole"] >= p["solved"]]
        gap = [model for model in those if model["hole"] < GAP]
        yield MARKS.of(len(read), mark="read_answer", circuit=circuit)
        yield MARKS.of(len(those), mark="models", circuit=circuit)
        yield MARKS.of(len(gap), mark="gap", circuit=circuit)
        yield MARKS.of(sum(model["hidden_cue"] > KEEPS for model in gap), mark="both", circuit=circuit)


def _one_head_runs(runs: Runs, kind: str, p: Mapping[str, Any]) -> list[Mapping[str, np.ndarray]]:
    return of_seeds(runs, f"circuit.{kind}", p[f"{kind}_seeds"])


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
    gap = gaps.move_gap(weights, drawn, causal)
    read = circuits.classify(on["cue"], on["answer"], p["majority"])
    whole = circuits.accuracy(trace, drawn)
    return {
        "read": read,
        "circuit": named(read, cuts, pointed, p["majority"]) if whole >= p["solved"] else "neither",
        "weight": max(on.values()),
        "hole": float(trace.attention[0][np.arange(len(cue)), :, -1, cue].mean()),
        "answer_looks_at_cue": float(seen.answer_to_previous.mean()),
        "cue_looks_at_answer": float(seen.cue_to_next.mean()),
        "whole": whole,
        "moved_place": moved.as_answer_circuit,
        "moved_symbol": moved.as_cue_circuit,
        "pointed_place": pointed.as_answer_circuit,
        "pointed_own": pointed.unmoved,
        "gap_place": gap.there,
        "gap_own": gap.own,
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
    kind: str, opened: Sequence[dict[str, Any]], runs: Runs, p: Mapping[str, Any]
) -> Iterator[Measurement]:
    """How many models of a kind have which circuit, by the picture alone and proven; how soon, how good."""
    mask, rate = KINDS[kind]
    models = f"one-head models of {len(opened)}, with {mask}, at {rate}"
    made, of = _one_head_runs(runs, kind, p), {"kind": kind, "models": models}
    for read in ("cue", "answer"):
        yield PICTURED.of(sum(model["read"] == read for model in opened), read=read, **of)
    solvers = [model for model in opened if model["whole"] >= p["solved"]]
    yield PICTURED_SOLVED.of(sum(model["read"] == "answer" for model in solvers), **of)
    for circuit in CIRCUITS:
        yield CIRCUIT.of(sum(model["circuit"] == circuit for model in opened), circuit=circuit, **of)
    solved, budget = sum(bool(np.isfinite(run["solved_at"])) for run in made), p["circuit_steps"]
    yield SOLVED.of(solved, solved=p["circuit_solved"], steps=budget, **of)
    yield STEPS.over_seeds([run["steps"][-1] for run in made], p[f"{kind}_seeds"], **of)


def _circuit_table() -> Table:
    kinds = {kind: f"{mask}, {rate}" for kind, (mask, rate) in KINDS.items()}
    columns = {circuit: CIRCUIT.at(circuit=circuit) for circuit in CIRCUITS}
    columns |= {"solved": SOLVED, "steps": STEPS}
    return table("induction.circuits", "one-head models trained with", rows("kind", kinds), columns)


def _proof_table(groups: Mapping[str, Any]) -> Table:
    heads = tuple(LABELS["group"][group] for group in groups)
    lines = [
        (
            words,
            *(
                PROOF.cell(what=what, group=group) if what in _asked_of(group) else "no such edge"
                for group in groups
            ),
        )
        for what, words in INTERVENTIONS.items()
    ]
    return Table("induction.proof", ("median over the models of a kind", *heads), tuple(lines))


def four_heads(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """The two-block models of the reported experiment: their circuits, and which head carries seed 0's."""
    drawn, seeds = probes(p), p["seeds"]
    models = [forward.weights_of(run) for run in of_seeds(runs, "reported.blocks2", seeds)]
    traces = [forward.forward(weights, drawn.tokens) for weights in models]
    seen = [circuits.look(trace, drawn) for trace in traces]
    kinds = [circuits.classify(s.on_cue.mean(), s.on_answer.mean(), p["majority"]) for s in seen]
    on = {position: [getattr(s, position).mean() for s in seen] for position in LABELS["position"]}
    found = [
        *(FOUR_HEADS.of(kinds.count(read), read=read, count=len(seeds)) for read in LABELS["read"]),
        *(FOUR_HEADS_WEIGHT.over_seeds(weights, seeds, position=at) for at, weights in on.items()),
        *_four_heads_cut(models, kinds, seeds, drawn),
        *_heads(models[0], seen[0], kinds[0], drawn),
    ]
    last = [trace.attention[1].mean(axis=1)[:, -1] for trace in traces]
    arrays = {
        "four_heads.offsets": np.array([circuits.by_offset(weights, drawn, OFFSETS) for weights in last]),
        "four_heads.circuit": np.array(kinds),
    }
    columns = {
        "its weight on the shift": HEAD_WEIGHT,
        "accuracy without it": HEAD_WITHOUT,
        "accuracy with it alone": HEAD_ONLY,
    }
    heads = rows("head", range(1, SMALL["num_heads"] + 1))
    return Findings(tuple(found), arrays, (table("induction.heads", "head of block 1", heads, columns),))


def _four_heads_cut(
    models: Sequence[forward.Weights],
    kinds: Sequence[str],
    seeds: Sequence[int],
    drawn: match_then_read.Lookups,
) -> Iterator[Measurement]:
    """Each edge between cue and answer cut in all heads of block 1, in the models that read either."""
    for read in ("cue", "answer"):
        those = [(s, m) for s, m, kind in zip(seeds, models, kinds, strict=True) if kind == read]
        left = [_without_edges(weights, drawn) for _, weights in those]
        for edge in FOUR_HEADS_CUT.labels["edge"] if those else ():
            of_edge = [without[edge] for without in left]
            yield FOUR_HEADS_CUT.over_seeds(of_edge, [seed for seed, _ in those], read=read, edge=edge)


def _without_edges(weights: forward.Weights, drawn: match_then_read.Lookups) -> dict[str, float]:
    """Accuracy of a maskless model with either edge between cue and answer cut in all heads of block 1."""
    length, cue, answer = drawn.tokens.shape[1], drawn.places, drawn.places + 1
    edges = {
        "cue_to_answer": circuits.cut_edge(length, cue, answer),
        "answer_to_cue": circuits.cut_edge(length, answer, cue),
    }
    return {
        edge: circuits.accuracy_without(weights, drawn, allowed, causal=False)
        for edge, allowed in edges.items()
    }


def heads_alone(weights: forward.Weights, p: Mapping[str, Any]) -> dict[str, Any]:
    """What a four-head model reads, and how alone its best head of block 1 carries the shift.

    Returns:
        `reads`; accuracy with the shift left to the best head alone and to the second best (`best_alone`,
        `second_alone`); with it taken from the head that is missed most, and second most (`least_without`,
        `second_without`); with either edge between cue and answer cut (`cue_to_answer`, `answer_to_cue`).
    """
    drawn, heads = probes(p), range(SMALL["num_heads"])
    seen = circuits.look(forward.forward(weights, drawn.tokens), drawn)
    reads = circuits.classify(seen.on_cue.mean(), seen.on_answer.mean(), p["majority"])

    def without(chosen: Sequence[int]) -> float:
        shift = OWN_SHIFT.get(reads, PREVIOUS)
        allowed = circuits.cut(p["length"], shift, heads=chosen, num_heads=len(heads))
        return circuits.accuracy_without(weights, drawn, allowed, causal=False)

    alone = sorted((without([other for other in heads if other != head]) for head in heads), reverse=True)
    missed = sorted(without([head]) for head in heads)
    return {
        "reads": reads,
        "best_alone": alone[0],
        "second_alone": alone[1],
        "least_without": missed[0],
        "second_without": missed[1],
        **_without_edges(weights, drawn),
    }


def _heads(
    weights: forward.Weights, seen: circuits.Look, circuit: str, drawn: match_then_read.Lookups
) -> Iterator[Measurement]:
    """Seed 0's model with its shift removed in one head of block 1 at a time, and in all."""
    shift, heads = OWN_SHIFT.get(circuit, PREVIOUS), range(SMALL["num_heads"])
    moves: Float[np.ndarray, " heads"] = seen.cue_to_next if shift == NEXT else seen.answer_to_previous

    def without(chosen: Sequence[int]) -> float:
        allowed = circuits.cut(drawn.tokens.shape[1], shift, heads=chosen, num_heads=len(heads))
        return circuits.accuracy_without(weights, drawn, allowed, causal=False)

    alone = [without([head]) for head in heads]
    decisive = int(np.argmin(alone))
    yield ALL_HEADS.of(without(heads))
    yield DECISIVE.of(decisive + 1)
    yield DECISIVE_ACCURACY.of(alone[decisive])
    yield DECISIVE_WEIGHT.of(moves[decisive])
    for head in heads:
        yield HEAD_WEIGHT.of(moves[head], head=head + 1)
        yield HEAD_WITHOUT.of(alone[head], head=head + 1)
        yield HEAD_ONLY.of(without([other for other in heads if other != head]), head=head + 1)


def any_cue(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """The variant whose cue differs from sequence to sequence: prefix matching and copying."""
    drawn = probes(p, match_then_read.draw_any_cue)

    def asked_about_others(run: Mapping[str, np.ndarray]) -> float:
        trace = forward.forward(forward.weights_of(run), drawn.tokens, causal=True)
        return circuits.accuracy(trace, drawn)

    models = [induction_scores(run, p) for run in _one_head_runs(runs, "any_cue", p)]
    found = [
        ANY_CUE.over_seeds([model[what] for model in models], p["any_cue_seeds"], what=what)
        for what in models[0]
    ]
    one_cue = [asked_about_others(run) for run in _one_head_runs(runs, "causal", p)]
    found.append(ANY_CUE.over_seeds(one_cue, p["causal_seeds"], what="fixed_cue_models"))
    return Findings(tuple(found), tables=(_any_cue_table(),))


def induction_scores(run: Mapping[str, np.ndarray], p: Mapping[str, Any]) -> dict[str, float]:
    """A causal one-head model on sequences whose cue varies: its scores as an induction head."""
    drawn, fixed = probes(p, match_then_read.draw_any_cue), probes(p)
    cut, weights = circuits.cut(p["length"], PREVIOUS), forward.weights_of(run)
    trace = forward.forward(weights, drawn.tokens, causal=True)
    seen = circuits.look(trace, drawn)
    on_fixed = forward.forward(weights, fixed.tokens, causal=True)
    return {
        "accuracy": circuits.accuracy(trace, drawn),
        "prefix_matching": seen.on_answer.mean(),
        "previous_token": seen.answer_to_previous.mean(),
        "copying": circuits.copied(weights, drawn, causal=True),
        "direct_copying": circuits.direct_copying(weights, trace, drawn),
        "without_previous": circuits.accuracy_without(weights, drawn, cut, causal=True),
        "moved_place": circuits.transplant(weights, drawn, causal=True).as_answer_circuit,
        "on_the_fixed_cue": circuits.accuracy(on_fixed, fixed),
    }


def _any_cue_table() -> Table:
    labels = {
        "accuracy": "accuracy",
        "prefix_matching": "prefix matching",
        "copying": "copying, by transplant",
        "direct_copying": "the answer raised most, straight to the logits",
        "previous_token": "block 1's weight on the previous token",
        "without_previous": "accuracy without it",
    }
    corner = "two causal blocks, one head, a cue that varies"
    return table("induction.any_cue", corner, rows("what", labels), {"median over seeds": ANY_CUE})


def exported(runs: Runs, p: Mapping[str, Any]) -> Findings:
    """What the site's live model gets, and how far the NumPy forward pass is from Keras."""
    made, seeds = of_seeds(runs, "reported.blocks2", p["seeds"]), p["seeds"]

    data, _ = export.packed(made[0])
    return Findings(
        (
            EXPORT_DIFFERENCE.over_seeds(map(difference_from_keras, made), seeds),
            LARGEST_LOGIT.over_seeds([np.abs(run["keras_logits"]).max() for run in made], seeds),
            EXPORT_SEQUENCES.of(len(made[0]["keras_tokens"])),
            EXPORT_BYTES.of(len(data)),
        )
    )


def difference_from_keras(run: Mapping[str, np.ndarray]) -> float:
    """The largest difference of any logit between the NumPy forward pass and Keras'."""
    ours = forward.forward(forward.weights_of(run), run["keras_tokens"]).logits
    return float(np.abs(ours - run["keras_logits"]).max())
