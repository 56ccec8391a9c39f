"""The question: what a second attention block buys, on a task that takes two steps.

The task is match-then-read (see `tasks`): find the cue, name the symbol after it. The experiment is first
run as the write-up ran it: thirty epochs, one block and two. Then its claim is pushed: one block gets
fresh sequences and more steps (`depth` asks what width and length do). Budgets and stop rules are in
`induction_plan`, with what was changed after a look at data.

Then the trained models are opened. The last query of the second block *reads* what gets more than half
of its weight: the first cue, the answer after it, or neither. That is a picture. A model counts as having
a circuit only if it also behaves like it: a *cue* circuit falls below one half when block 1 cannot look
from the cue at the answer, an *answer* circuit when it cannot look from the answer at the cue. A model
that reads the answer and survives that cut has a *pointer* circuit if, given what block 1 handed to the
last query of another sequence, it reads at that sequence's place more often than at its own. All others
are *neither*. (The rule first had the picture alone. The interventions were added after the first models,
because the picture miscounted them.)

What would refute the page: a one-block model that solves length 12 within the thirty epochs; one that jumps
as two blocks do; a circuit whose models survive the cut of their own shift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_from_scratch import ladder
from attention_from_scratch.experiments import induction_circuits as opening
from attention_from_scratch.experiments import induction_pictures as pictures
from attention_from_scratch.experiments import induction_plan as plan
from attention_from_scratch.experiments import induction_training as training
from attention_from_scratch.experiments import induction_trials as trials
from measured.terms.claims import Claim, Verdict, above, below, between, equal, every
from measured.terms.experiment import Experiment, Findings
from measured.terms.null import (
    becomes,
    instead,
    one_seed,
    planted,
    relabelled,
    swapped,
    with_array,
    with_values,
)
from measured.terms.scope import Scope
from measured.terms.trial import Confirmation, Trial


def measure(runs: Mapping[str, Mapping[str, np.ndarray]], **p: Any) -> Findings:
    """Everything, from runs that are already made."""
    proven = opening.one_head(runs, p)
    parts = [
        training.parameters(runs),
        training.rungs(p),
        training.as_reported(runs, p),
        training.pushed(runs, p),
        opening.four_heads(runs, p),
        proven,
        pictures.right_stories(proven),
        pictures.both_causes(runs, p),
        opening.any_cue(runs, p),
        opening.exported(runs, p),
    ]
    return Findings(
        tuple(m for part in parts for m in part.measurements),
        {name: array for part in parts for name, array in part.arrays.items()},
        tuple(table for part in parts for table in part.tables),
    )


def _ceiling(found: Findings, length: int = 12) -> float:
    """What an answer is worth that does not see the order."""
    return training.CEILING.value(found, length=length)


def _simulation_agrees(found: Findings) -> Verdict:
    """Exact and simulated ceilings, in standard errors of the simulation."""
    families = (training.CEILING, training.SIMULATED, training.SIMULATION_ERROR)
    exact, simulated, error = (list(family.values(found).values()) for family in families)
    names = training.CEILING.values(found)
    distances = np.abs(np.subtract(exact, simulated)) / error
    apart = below(dict(zip(names, map(float, distances), strict=True)), 4.0)
    return every(apart, below(training.SIMULATION_ERROR.values(found), 0.005))


def _jumps_from_the_rung(found: Findings) -> Verdict:
    return every(below(training.JUMP_LENGTH.samples(found), 3.5), _waits_near_the_rung(found))


def _waits_near_the_rung(found: Findings) -> Verdict:
    """Of the seeds that wait at all: before the sixth epoch there is no plateau to average over."""
    jumped = training.JUMP_EPOCH.samples(found).values()
    plateaus = training.PLATEAU_OF_TWO.samples(found)
    waited = {
        n: p for (n, p), epoch in zip(plateaus.items(), jumped, strict=True) if epoch >= training.WAITED
    }
    return _near_ceiling(found, waited, 0.06)


def _one_waiting_seed(by: str) -> Callable[[Findings], dict[str, Findings]]:
    """Worlds in which one of the seeds that waited stands elsewhere; those that did not have no plateau."""

    def worlds(found: Findings) -> dict[str, Findings]:
        jumped = training.JUMP_EPOCH.samples(found).values()
        made = one_seed("induction.plateau.blocks2", by=by).worlds(found)
        return {n: w for (n, w), epoch in zip(made.items(), jumped, strict=True) if epoch >= training.WAITED}

    return worlds


def _climb_in_epochs(found: Findings) -> float:
    return found["induction.long.climb.blocks1"] / STEPS_AN_EPOCH


def _climbs(found: Findings) -> Verdict:
    """One block, trained on: it arrives, late, and without a leap between two looks."""
    return every(_never_leaps(found), above(training.LONG_BEST.samples(found), plan.PARAMETERS["jump_to"]))


def _never_leaps(found: Findings) -> Verdict:
    """One block, trained on: it climbs, wherever it gets to, without a leap between two looks."""
    return every(above(training.LONG_CLIMB.samples(found), 10_000), below(_gains(found), 0.2))


def _mostly_climbs(found: Findings) -> Verdict:
    """One block, trained on, by the median seed: it climbs without a leap between two looks."""
    return every(
        above(training.LONG_CLIMB.values(found), 10_000), below(training.LONG_GAIN.values(found), 0.2)
    )


def _gains(found: Findings) -> dict[str, float]:
    gains = np.diff(found.arrays["long.accuracies"], axis=1).max(axis=1)
    return {f"largest gain, curve {index}": float(gain) for index, gain in enumerate(gains)}


def _one_leap(found: Findings) -> dict[str, Findings]:
    """Of each curve in turn, what it was before half time is the plateau, and then it is at its end."""
    worlds, curves = {}, found.arrays["long.accuracies"]
    for index in range(len(curves)):
        leapt = curves.copy()
        leapt[index] = np.where(np.arange(curves.shape[1]) < curves.shape[1] // 2, 0.3, curves[index, -1])
        worlds[f"curve {index}"] = with_array(found, "long.accuracies", leapt)
    return worlds


def _names_more_than_by_chance(found: Findings) -> Verdict:
    return every(
        above(training.NAMES_MOST_COMMON.values(found), 0.7),
        below(training.RANDOM_NAMES_MOST_COMMON.values(found), 0.55),
    )


def _another_head(found: Findings) -> dict[str, Findings]:
    decisive = opening.DECISIVE.value(found)
    others = [head for head in range(1, plan.SMALL["num_heads"] + 1) if head != decisive]
    return {f"head {head}": with_values(found, {opening.DECISIVE.id: head}) for head in others}


def _one_other_circuit(found: Findings) -> Findings:
    name = opening.CIRCUIT.id_of(circuit="answer", kind="causal")
    return with_values(found, {name: found[name] - 1})


def _sooner_with_a_mask(found: Findings) -> Verdict:
    free = opening.STEPS.samples(found, kind=["bidirectional", "slow"])
    return every(below(opening.STEPS.samples(found, kind="causal"), SOON), above(free, SOON))


def _near_ceiling(found: Findings, values: Mapping[str, float], distance: float) -> Verdict:
    return between(values, _ceiling(found) - distance, _ceiling(found) + distance)


def _leaves_early(found: Findings) -> Verdict:
    best = max(training.TEST_ACCURACY.samples(found, model="blocks1").values())
    return above({"best seed": best}, _ceiling(found) + 0.1)


def _pictures_miscount(found: Findings) -> Verdict:
    kinds = ("bidirectional", "slow")
    pictured, proven = opening.PICTURED_SOLVED, opening.CIRCUIT.at(circuit="answer")
    return above({k: pictured.value(found, kind=k) - proven.value(found, kind=k) for k in kinds}, 0)


def _reads_the_cue_and_needs_it(found: Findings) -> Verdict:
    """Four-head models that read the cue: broken without its edge to the answer, whole without the other."""
    cut = opening.FOUR_HEADS_CUT.at(read="cue")
    return every(
        below(cut.samples(found, edge="cue_to_answer"), 0.5),
        above(cut.samples(found, edge="answer_to_cue"), 0.9),
    )


def _breaks_by_its_edge(trial: Trial) -> dict[str, Any]:
    """What the claims say of models that read the cue, put to the fresh seeds of a trial."""
    return {
        "words": "four-head models whose second block reads the cue fall below one half with the edge from "
        "the cue to the answer cut in block 1, and keep more than 0.9 with the opposite edge cut",
        "predicate": _reads_the_cue_and_needs_it,
        "nulls": (
            swapped(
                "induction.four_heads_cut.cue.cue_to_answer", "induction.four_heads_cut.cue.answer_to_cue"
            ),
            instead("induction.four_heads_cut.cue.{edge}", by="induction.four_heads_cut.answer.{edge}"),
        ),
        "confirmed_by": Confirmation(
            trial,
            "reads != 'cue' or (cue_to_answer < 0.5 and answer_to_cue > 0.9)",
            given="reads == 'cue'",
        ),
    }


def _most_read_the_answer(found: Findings) -> Verdict:
    """Four-head models: most read the answer, and those do by the edge that the answer circuit needs."""
    cut = opening.FOUR_HEADS_CUT.at(read="answer")
    return every(
        above({"read the answer": opening.FOUR_HEADS.value(found, read="answer")}, len(P["seeds"]) / 2),
        below(cut.samples(found, edge="answer_to_cue"), 0.5),
        above(cut.samples(found, edge="cue_to_answer"), 0.9),
    )


def _some_fit_no_story(found: Findings) -> Verdict:
    """The models that solve the task and read the answer, by their circuits: they add up to all of them."""
    read = {circuit: opening.MARKS.value(found, mark="read_answer", circuit=circuit) for circuit in STORIES}
    pictured = sum(opening.PICTURED_SOLVED.value(found, kind=kind) for kind in opening.FREE)
    return every(
        above({"neither": read["neither"]}, 0),
        equal({"answer circuits, pointers and neither": sum(read.values())}, pictured),
    )


def _one_head_carries_it(found: Findings) -> Verdict:
    """The decisive head alone is enough and no other is; without it little is left, without another all."""
    heads = range(1, plan.SMALL["num_heads"] + 1)
    decisive = opening.DECISIVE.value(found)
    others = [head for head in heads if head != decisive]
    return every(
        above(opening.HEAD_ONLY.values(found, head=[decisive]), 0.99),
        below(opening.HEAD_ONLY.values(found, head=others), 0.3),
        below(opening.HEAD_WITHOUT.values(found, head=[decisive]), 0.3),
        above(opening.HEAD_WITHOUT.values(found, head=others), 0.99),
    )


def _causal_reads_the_answer(found: Findings) -> Verdict:
    models = len(opening.STEPS.samples(found, kind="causal"))
    return equal(opening.CIRCUIT.values(found, circuit="answer", kind="causal"), models)


def _proof(found: Findings, what: str | list[str], *groups: str) -> dict[str, float]:
    """What each model of these groups did under an intervention."""
    return opening.PROOF.samples(found, what=what, group=list(groups))


P = plan.PARAMETERS
STORIES = ("answer", "pointer", "neither")
SOON = 400  # steps between the slowest causal model and the fastest without a mask, after a look
RUNG = float(ladder.most_common_symbol(plan.PARAMETERS["length"]))
STEPS_AN_EPOCH = plan.PARAMETERS["sequences"] / plan.PARAMETERS["batch"]

CLAIMS = (
    Claim(
        "induction.parameters",
        "one block has exactly 9,129 parameters and two have 17,673",
        lambda f: every(
            equal(training.PARAMETER_COUNT.values(f, part="blocks1"), 9_129),
            equal(training.PARAMETER_COUNT.values(f, part="blocks2"), 17_673),
        ),
        nulls=(swapped("induction.parameters.blocks1", "induction.parameters.blocks2"),),
    ),
    Claim(
        "induction.ladder_agrees",
        "the simulated worth of the most common symbol is within four standard errors of the exact one, "
        "itself known to 0.005, at all lengths of the experiment",
        _simulation_agrees,
        nulls=(
            instead(
                "induction.order_blind_simulated.l{n}",
                by="induction.random_symbol.l{n}",
                words="a random symbol",
            ),
            becomes(
                "induction.order_blind_standard_error.l{n}",
                by="induction.chance",
                words="a simulation too small to say",
            ),
        ),
    ),
    Claim(
        "induction.two_blocks_solve",
        "after thirty epochs two blocks answer more than 0.99 of the test sequences, for every seed",
        lambda f: above(training.TEST_ACCURACY.samples(f, model="blocks2"), 0.99),
        nulls=(
            one_seed("induction.test_accuracy.blocks2", by="induction.order_blind_ceiling.l12"),
            relabelled("induction.test_accuracy.blocks1", "induction.test_accuracy.blocks2"),
        ),
        confirmed_by=Confirmation(trials.TWO_BLOCKS, "test_accuracy > 0.99"),
    ),
    Claim(
        "induction.one_block_stays",
        "after thirty epochs one block's median test accuracy is within 0.02 of the order-blind ceiling",
        lambda f: _near_ceiling(f, training.TEST_ACCURACY.values(f, model="blocks1"), 0.02),
        nulls=(
            instead("induction.test_accuracy.blocks1", by="induction.test_accuracy.blocks2"),
            instead(
                "induction.order_blind_ceiling.l12",
                by="induction.order_blind_ceiling.l16",
                words="another length's rung",
            ),
        ),
        confirmed_by=Confirmation(trials.ONE_BLOCK, f"abs(test_accuracy - {RUNG:.4f}) < 0.02", least="most"),
    ),
    Claim(
        "induction.one_block_is_unsolved",
        "after thirty epochs no single block, of the reported size or with as many parameters as two "
        "blocks, answers more than 0.6, for any seed",
        lambda f: below(training.TEST_ACCURACY.samples(f, model=["blocks1", "matched"]), 0.6),
        nulls=(
            one_seed("induction.test_accuracy.blocks1", by=1.0),
            one_seed("induction.test_accuracy.matched", by=1.0),
            instead("induction.test_accuracy.matched", by="induction.test_accuracy.blocks2"),
        ),
        confirmed_by=Confirmation(trials.ONE_BLOCK, "max(test_accuracy, matched) < 0.6"),
    ),
    Claim(
        "induction.one_seed_leaves_early",
        "one seed of one block is already more than 0.1 above the order-blind ceiling after thirty epochs",
        _leaves_early,
        nulls=(
            becomes(
                "induction.test_accuracy.blocks1",
                by="induction.order_blind_ceiling.l12",
                words="all seeds on the rung",
            ),
        ),
        confirmed_by=Confirmation(trials.ONE_BLOCK, f"test_accuracy > {RUNG + 0.1:.4f}", least="one"),
    ),
    Claim(
        "induction.same_plateau",
        "each seed of two blocks that passes one half in its sixth epoch or later has waited before it, "
        "with a mean accuracy within 0.06 of the order-blind ceiling",
        _waits_near_the_rung,
        nulls=(
            planted(
                "one seed that waited, at a random symbol's worth",
                _one_waiting_seed("induction.random_symbol.l12"),
            ),
            becomes("induction.plateau.blocks2", by="induction.chance"),
        ),
        confirmed_by=Confirmation(
            trials.TWO_BLOCKS,
            f"half_epoch < {training.WAITED} or abs(plateau - {RUNG:.4f}) < 0.06",
            given=f"half_epoch >= {training.WAITED}",
        ),
    ),
    Claim(
        "induction.two_blocks_jump",
        "every seed of two blocks gets from below 0.4 to 0.9 or more in at most three of its thirty "
        "epochs, and if it passes one half in the sixth or later, from within 0.06 of the order-blind "
        "ceiling",
        _jumps_from_the_rung,
        nulls=(
            one_seed(
                "induction.jump_length.blocks2", by=_climb_in_epochs, words="one seed as slow as one block"
            ),
            planted("one seed that waited, at chance", _one_waiting_seed("induction.chance")),
        ),
        confirmed_by=Confirmation(
            trials.TWO_BLOCKS,
            f"jump_length < 3.5 and (half_epoch < {training.WAITED} or abs(plateau - {RUNG:.4f}) < 0.06)",
        ),
    ),
    Claim(
        "induction.one_block_climbs",
        "from below 0.4 to 0.9, which every seed of one block reaches, each takes more than 10,000 of its "
        "40,000 steps, and between two looks, 500 steps apart, none gains 0.2",
        _climbs,
        nulls=(
            one_seed(
                "induction.long.climb.blocks1", by=5_000, words="one seed has arrived after 5,000 steps"
            ),
            one_seed("induction.long.best_accuracy.blocks1", by=0.85, words="one seed stays below 0.9"),
            planted("one seed leaps", _one_leap),
        ),
        confirmed_by=Confirmation(
            trials.LONG, "climb > 10_000 and best_accuracy >= 0.9 and largest_gain < 0.2"
        ),
    ),
    Claim(
        "induction.one_block_never_leaps",
        "from its last look below 0.4 each seed of one block takes more than 10,000 of its 40,000 steps to "
        "0.9 or to the end of its budget, and between two looks, 500 steps apart, none gains 0.2",
        _never_leaps,
        nulls=(
            one_seed(
                "induction.long.climb.blocks1", by=5_000, words="one seed has arrived after 5,000 steps"
            ),
            planted("one seed leaps", _one_leap),
        ),
        confirmed_by=Confirmation(trials.STEADY, "climb > 10_000 and largest_gain < 0.2"),
    ),
    Claim(
        "induction.one_block_mostly_climbs",
        "by the median seed one block takes more than 10,000 of its 40,000 steps from its last look below "
        "0.4 to 0.9 or to the end of its budget, and gains less than 0.2 between two looks, 500 steps apart",
        _mostly_climbs,
        nulls=(
            becomes("induction.long.climb.blocks1", by=5_000, words="the median arrives after 5,000 steps"),
            becomes("induction.long.largest_gain.blocks1", by=0.6, words="the median leaps"),
        ),
        confirmed_by=Confirmation(
            trials.MOSTLY_STEADY, "climb > 10_000 and largest_gain < 0.2", least="most"
        ),
    ),
    Claim(
        "induction.names_most_common",
        "after thirty epochs one block names a most common symbol in over 0.7 of sequences (median seed); "
        "a symbol picked blindly is one in fewer than 0.55",
        _names_more_than_by_chance,
        nulls=(
            becomes(
                "induction.names_most_common.blocks1",
                by="induction.random_names_most_common",
                words="a random symbol",
            ),
            instead(
                "induction.random_names_most_common",
                by="induction.names_most_common.blocks1",
                words="a symbol picked blindly does as well",
            ),
        ),
        confirmed_by=Confirmation(trials.ONE_BLOCK, "names_most_common > 0.7", least="most"),
    ),
    Claim(
        "induction.one_block_improves",
        "trained on, the same one block answers more than twice the order-blind ceiling, for every seed",
        lambda f: above(training.LONG_TEST.samples(f), 2 * _ceiling(f)),
        nulls=(
            one_seed("induction.long.test_accuracy.blocks1", by="induction.order_blind_ceiling.l12"),
            instead(
                "induction.long.test_accuracy.blocks1",
                by="induction.test_accuracy.blocks1",
                words="no further training",
            ),
        ),
        confirmed_by=Confirmation(trials.LONG, f"test_accuracy > {2 * RUNG:.4f}"),
    ),
    Claim(
        "induction.the_seed_decides",
        "among the four-head models of the reported experiment some read the cue and some the answer",
        lambda f: above(opening.FOUR_HEADS.values(f, read=["cue", "answer"]), 0),
        nulls=(
            becomes("induction.four_heads.cue", by=0.0, words="no seed reads the cue"),
            becomes("induction.four_heads.answer", by=0.0, words="no seed reads the answer"),
        ),
        confirmed_by=Confirmation(trials.TWO_BLOCKS, "reads == 'cue'", least="one"),
    ),
    Claim(
        "induction.most_read_the_answer",
        "most four-head models of the reported experiment read the answer's position; these fall below one "
        "half with the edge from the answer to the cue cut in block 1, and keep more than 0.9 with the "
        "opposite edge cut",
        _most_read_the_answer,
        nulls=(
            becomes("induction.four_heads.answer", by=2.0, words="fewer than half read the answer"),
            swapped(
                "induction.four_heads_cut.answer.cue_to_answer",
                "induction.four_heads_cut.answer.answer_to_cue",
            ),
            one_seed("induction.four_heads_cut.answer.answer_to_cue", by=1.0),
            one_seed("induction.four_heads_cut.answer.cue_to_answer", by="induction.chance"),
        ),
        confirmed_by=Confirmation(
            trials.AGAIN,
            "reads == 'answer' and answer_to_cue < 0.5 and cue_to_answer > 0.9",
            least="most",
        ),
    ),
    # Of the ten seeds of the first trial none reads the cue: the page rests on a longer one.
    Claim("induction.cue_circuit_by_its_edge", **_breaks_by_its_edge(trials.TWO_BLOCKS)),
    Claim("induction.cue_readers_by_their_edge", **_breaks_by_its_edge(trials.CUE_READERS)),
    Claim(
        "induction.one_head_carries_it",
        "in seed 0's model one head of block 1 alone keeps the accuracy above 0.99 and no other head alone "
        "above 0.3; without it less than 0.3 is left, without any other more than 0.99",
        _one_head_carries_it,
        nulls=(planted("another head is called the decisive one", _another_head),),
        confirmed_by=Confirmation(
            trials.TWO_BLOCKS,
            "best_alone > 0.99 and second_alone < 0.3 and least_without < 0.3 and second_without > 0.99",
            least="one",
        ),
    ),
    Claim(
        "induction.causal_reads_the_answer",
        "with a causal mask every seed finds the answer circuit",
        _causal_reads_the_answer,
        nulls=(planted("one seed has another circuit", _one_other_circuit),),
        confirmed_by=Confirmation(trials.CIRCUITS, "causal_circuit == 'answer'"),
    ),
    Claim(
        "induction.causal_is_sooner",
        "each causal model is solved in fewer than 400 steps, and no model without a mask is, at either rate",
        _sooner_with_a_mask,
        nulls=(
            relabelled("induction.circuit.steps.causal", "induction.circuit.steps.bidirectional"),
            swapped("induction.circuit.steps.causal", "induction.circuit.steps.bidirectional"),
            one_seed("induction.circuit.steps.bidirectional", by="induction.circuit.steps.causal"),
            one_seed("induction.circuit.steps.slow", by="induction.circuit.steps.causal"),
            one_seed("induction.circuit.steps.causal", by="induction.circuit.steps.bidirectional"),
        ),
        confirmed_by=Confirmation(trials.CIRCUITS, f"causal_steps < {SOON} < free_steps"),
    ),
    Claim(
        "induction.opposite_edge_is_idle",
        "cut, the edge that belongs to the cue circuit leaves every answer circuit trained without a mask "
        "above 0.9 (with a causal mask there is no such edge)",
        lambda f: above(_proof(f, "cue_to_answer", "answer"), 0.9),
        nulls=(
            instead("induction.proof.cue_to_answer.{group}", by="induction.proof.answer_to_cue.{group}"),
            one_seed("induction.proof.cue_to_answer.answer", by="induction.chance"),
        ),
        confirmed_by=Confirmation(
            trials.CIRCUITS,
            "free_circuit != 'answer' or free_cue_to_answer > 0.9",
            given="free_circuit == 'answer'",
        ),
    ),
    Claim(
        "induction.pictures_miscount",
        "of the models without a mask that solve the task and read the answer, not all have the answer "
        "circuit, at either rate",
        _pictures_miscount,
        nulls=(
            instead(
                "induction.pictured_solved.{kind}",
                by="induction.circuit.answer.{kind}",
                words="pictures that count right",
            ),
        ),
        confirmed_by=Confirmation(
            trials.SLOW, "slow_reads == 'answer' and slow_solved and slow_circuit != 'answer'", least="one"
        ),
    ),
    Claim(
        "induction.some_fit_no_story",
        "of the models without a mask that solve the task and read the answer's position some have neither "
        "the answer circuit nor a pointer; with those that have one of the two they are all of them",
        _some_fit_no_story,
        nulls=(
            becomes("induction.marks.read_answer.neither", by=0.0, words="each fits a story"),
            becomes(
                "induction.marks.read_answer.pointer", by=0.0, words="the pointers are not among those models"
            ),
        ),
        confirmed_by=Confirmation(
            trials.MASKLESS,
            "free_solved and free_reads == 'answer' and free_circuit == 'neither'",
            least="one",
        ),
    ),
    Claim(
        "induction.answer_circuits_read_at_the_donors_place",
        "given another sequence's block 1, every answer circuit trained without a mask reads at the "
        "other's place in more than half of the sequences",
        lambda f: above(_proof(f, "moved_place", "answer"), 0.5),
        nulls=(
            instead("induction.proof.moved_place.answer", by="induction.proof.pointed_place.answer"),
            one_seed("induction.proof.moved_place.answer", by="induction.chance"),
        ),
        confirmed_by=Confirmation(
            trials.CIRCUITS,
            "free_circuit != 'answer' or free_moved_place > 0.5",
            given="free_circuit == 'answer'",
        ),
    ),
    Claim(
        "induction.pointers_avoid_the_cue",
        "in block 1 the last query of every pointer circuit gives the cue under a quarter of an even share",
        lambda f: below(_proof(f, "hole", "pointer"), 0.25 / 12),
        nulls=(
            instead("induction.proof.hole.pointer", by="induction.proof.hole.answer"),
            one_seed("induction.proof.hole.pointer", by=1 / 12, words="one seed gives the cue an even share"),
        ),
        confirmed_by=Confirmation(
            trials.SLOW,
            "slow_circuit != 'pointer' or slow_hole < 0.25 / 12",
            given="slow_circuit == 'pointer'",
        ),
    ),
    Claim(
        "induction.pointers_need_no_edge",
        "every pointer circuit keeps more than 0.8 with the cue hidden from all of block 1 (that it "
        "survives the cut from the answer to the cue is its definition)",
        lambda f: above(_proof(f, "hidden_cue", "pointer"), 0.8),
        nulls=(
            instead("induction.proof.hidden_cue.pointer", by="induction.proof.hidden_cue.answer"),
            one_seed("induction.proof.hidden_cue.pointer", by="induction.chance"),
        ),
        confirmed_by=Confirmation(
            trials.SLOW,
            "slow_circuit != 'pointer' or slow_hidden_cue > 0.8",
            given="slow_circuit == 'pointer'",
        ),
    ),
    Claim(
        "induction.pointers_follow_the_last_query",
        "given another sequence's output for the last query alone, every answer circuit answers as before in "
        "more than 0.95 of the sequences, and reads at that sequence's place in fewer than 0.05 (pointers do "
        "so by definition)",
        lambda f: every(
            above(_proof(f, "pointed_own", "answer", "causal"), 0.95),
            below(_proof(f, "pointed_place", "answer", "causal"), 0.05),
        ),
        nulls=(
            instead("induction.proof.pointed_place.answer", by="induction.proof.pointed_place.pointer"),
            one_seed("induction.proof.pointed_place.causal", by=0.5),
            one_seed(
                "induction.proof.pointed_own.answer", by="induction.chance", words="one is wrecked by it"
            ),
            one_seed(
                "induction.proof.pointed_own.causal", by="induction.chance", words="one is wrecked by it"
            ),
        ),
        confirmed_by=Confirmation(
            trials.SLOW,
            "causal_circuit != 'answer' or (causal_pointed_own > 0.95 and causal_pointed_place < 0.05)",
            given="causal_circuit == 'answer'",
        ),
    ),
    Claim(
        "induction.answer_circuits_keep_their_answer",
        "given another sequence's output for the last query alone, every answer circuit, with a mask and "
        "without, keeps its own answer in more than 0.95 of the sequences",
        lambda f: above(_proof(f, "pointed_own", "answer", "causal"), 0.95),
        nulls=(
            instead("induction.proof.pointed_own.answer", by="induction.proof.pointed_own.pointer"),
            one_seed("induction.proof.pointed_own.answer", by="induction.chance", words="one is wrecked"),
            one_seed("induction.proof.pointed_own.causal", by="induction.chance", words="one is wrecked"),
        ),
        confirmed_by=Confirmation(
            trials.CIRCUITS,
            "(causal_circuit != 'answer' or causal_pointed_own > 0.95) "
            "and (free_circuit != 'answer' or free_pointed_own > 0.95)",
            given="'answer' in (causal_circuit, free_circuit)",
        ),
    ),
    Claim(
        "induction.the_gap_moves_the_reading",
        "with the last query's weights in block 1 on the cue and on another place exchanged, every pointer "
        "reads after the other place in more than 0.3 of the sequences, and every other model, with a mask "
        "and without, in less than 0.2",
        lambda f: every(
            above(_proof(f, "gap_place", "pointer"), 0.3),
            below(_proof(f, "gap_place", "answer", "neither", "causal"), 0.2),
        ),
        nulls=(
            swapped("induction.proof.gap_place.pointer", "induction.proof.gap_place.answer"),
            instead("induction.proof.gap_place.pointer", by="induction.proof.gap_place.neither"),
            one_seed("induction.proof.gap_place.pointer", by="induction.chance"),
            *(
                one_seed(f"induction.proof.gap_place.{group}", by="induction.proof.gap_place.pointer")
                for group in ("answer", "neither", "causal")
            ),
        ),
        confirmed_by=Confirmation(
            trials.CIRCUITS,
            "causal_gap_place < 0.2 and "
            "(free_gap_place > 0.3 if free_circuit == 'pointer' else free_gap_place < 0.2)",
        ),
    ),
    Claim(
        "induction.the_gap_moves_pointers",
        "with the last query's weights in block 1 on the cue and on another place exchanged, every pointer "
        "reads after the other place in more than 0.3 of the sequences",
        lambda f: above(_proof(f, "gap_place", "pointer"), 0.3),
        nulls=(
            instead("induction.proof.gap_place.pointer", by="induction.proof.gap_place.neither"),
            one_seed("induction.proof.gap_place.pointer", by="induction.proof.gap_place.answer"),
        ),
        confirmed_by=Confirmation(
            trials.GAP,
            "free_circuit != 'pointer' or free_gap_place > 0.3",
            given="free_circuit == 'pointer'",
        ),
    ),
    Claim(
        "induction.the_gap_mostly_moves_pointers",
        "with the last query's weights in block 1 on the cue and on another place exchanged, the median "
        "pointer reads after the other place in more than 0.3 of the sequences",
        lambda f: above(opening.PROOF.values(f, what="gap_place", group="pointer"), 0.3),
        nulls=(instead("induction.proof.gap_place.pointer", by="induction.proof.gap_place.neither"),),
        confirmed_by=Confirmation(
            trials.GAP_AGAIN,
            "free_circuit != 'pointer' or free_gap_place > 0.3",
            given="free_circuit == 'pointer'",
            least="most",
        ),
    ),
    Claim(
        "induction.is_an_induction_head",
        "with a cue that varies, every seed's second block puts more than half of its weight on the "
        "position after the cue, and its output, straight to the logits, raises the answer the most in "
        "more than 0.9 of the sequences",
        lambda f: every(
            above(opening.ANY_CUE.samples(f, what="prefix_matching"), 0.5),
            above(opening.ANY_CUE.samples(f, what="direct_copying"), 0.9),
        ),
        nulls=(
            one_seed("induction.any_cue.prefix_matching", by=1 / 12, words="one seed looks evenly"),
            one_seed("induction.any_cue.direct_copying", by="induction.chance"),
            becomes(
                "induction.any_cue.direct_copying", by="induction.random_symbol.l12", words="a random symbol"
            ),
        ),
        confirmed_by=Confirmation(trials.ANY_CUE, "prefix_matching > 0.5 and direct_copying > 0.9"),
    ),
    Claim(
        "induction.forward_agrees",
        "NumPy's forward pass is within 1e-5 of Keras' logits",
        lambda f: below(opening.EXPORT_DIFFERENCE.values(f), 1e-5),
        nulls=(
            becomes(
                "induction.export.difference", by="induction.export.largest_logit", words="another function"
            ),
        ),
        confirmed_by=Confirmation(trials.TWO_BLOCKS, "forward_difference < 1e-5"),
    ),
    Claim(
        "induction.forward_nearly_agrees",
        "NumPy's forward pass is within 1e-4 of Keras' logits",
        lambda f: below(opening.EXPORT_DIFFERENCE.values(f), 1e-4),
        nulls=(
            becomes(
                "induction.export.difference", by="induction.export.largest_logit", words="another function"
            ),
        ),
        confirmed_by=Confirmation(trials.AGAIN, "forward_difference < 1e-4"),
    ),
)

_LOOKUP = "Match-then-read, length {length}, "
_ONE_HEAD = _LOOKUP + "two blocks with one head, at most {circuit_steps} steps of {batch} fresh sequences, "
_UNTRAINED = Scope(
    "Match-then-read, lengths {lengths}, one block and two: counted, computed or drawn; nothing was trained.",
    trained=False,
)
_FREE = (
    _ONE_HEAD + "no mask, seeds {bidirectional_seeds} at a rate of {learning_rate} and {slow_seeds} at "
    "{slow_learning_rate}"
)
SCOPES = {
    "induction.parameters.*": _UNTRAINED,
    "induction.order_blind_*": _UNTRAINED,
    "induction.random_*": _UNTRAINED,
    "induction.chance": _UNTRAINED,
    "induction.long.*": Scope(
        _LOOKUP + "one block, {long_steps} steps of {long_batch} fresh sequences at a rate of "
        "{long_learning_rate}, chosen after a look at seed {long_seeds.first}; seeds {long_seeds}."
    ),
    "long.*": Scope(_LOOKUP + "curves of one block, trained on; seeds {long_seeds}.", seeds=("long_seeds",)),
    "induction.any_cue.fixed_cue_models": Scope(
        _ONE_HEAD + "a causal mask, a rate of {learning_rate}, taught with one cue; seeds {causal_seeds}."
    ),
    "induction.any_cue.*": Scope(
        _ONE_HEAD + "a causal mask, a rate of {learning_rate}, a cue that varies; seeds {any_cue_seeds}."
    ),
    "induction.*.slow": Scope(
        _ONE_HEAD + "no mask, a rate of {slow_learning_rate}; seeds {slow_seeds}, added after a look.",
        seeds=("slow_seeds",),
    ),
    "induction.*.causal": Scope(
        _ONE_HEAD + "a causal mask, a rate of {learning_rate}; seeds {causal_seeds}.",
        seeds=("causal_seeds",),
    ),
    "induction.*.bidirectional": Scope(
        _ONE_HEAD + "no mask, a rate of {learning_rate}; seeds {bidirectional_seeds}.",
        seeds=("bidirectional_seeds",),
    ),
    "explanation.own_models.both_named.*": Scope(_ONE_HEAD + "no mask, solved; seeds {bidirectional_seeds}."),
    "explanation.own_models.answer_first.*": Scope(
        _ONE_HEAD + "no mask, solved; seeds {bidirectional_seeds}."
    ),
    "explanation.own_models.*.slow": Scope(
        _ONE_HEAD + "no mask, a rate of {slow_learning_rate}; seeds {slow_seeds}, added after a look.",
        seeds=("slow_seeds",),
    ),
    "explanation.own_models.*.causal": Scope(
        _ONE_HEAD + "a causal mask; seeds {causal_seeds}.", seeds=("causal_seeds",)
    ),
    "explanation.own_models.*.bidirectional": Scope(
        _ONE_HEAD + "no mask; seeds {bidirectional_seeds}.", seeds=("bidirectional_seeds",)
    ),
    "induction.proof.*": Scope(
        _FREE + "; sorted by the circuit that they were found to have; interventions added after a look."
    ),
    "induction.head.*": Scope(
        _LOOKUP + "two blocks with four heads, seed {seeds.first} alone.", seeds=("seeds.first",)
    ),
    "induction.pictured.*": Scope(
        _FREE + "; looked at after their circuits were known.", seeds=("bidirectional_seeds", "slow_seeds")
    ),
    "induction.marks.*": Scope(
        _FREE + "; counted after a look.", seeds=("bidirectional_seeds", "slow_seeds")
    ),
    "induction.*": Scope(
        _LOOKUP + "{sequences} sequences in batches of {batch} for {epochs} epochs, Adam at a rate of "
        "{learning_rate}, four heads; seeds {seeds}.",
        seeds=("seeds",),
    ),
}

EXPERIMENT = Experiment(
    name="induction",
    question="What does a second attention block buy, and how do two blocks do it?",
    measure=measure,
    parameters=plan.PARAMETERS,
    quick=plan.QUICK,
    prefixes=("explanation",),
    runs=plan.runs(),
    claims=CLAIMS,
    scopes=SCOPES,
)
