"""The question: what a second attention block buys, on a task that takes two steps.

The task is match-then-read (see `tasks`): find the cue, name the symbol after it. The experiment is first
run as the write-up ran it: thirty epochs, one block and two. Then its claim is pushed. One block gets
fresh sequences and more steps, then more width; all sizes get other lengths. Budgets and stop rules are
in `induction_plan`, with what was changed after a look at data.

Then the trained models are opened. The last query of the second block *reads* what gets more than half
of its weight: the first cue, the answer after it, or neither. That is a picture. A model counts as having
a circuit only if it also behaves like it: a *cue* circuit falls below one half when block 1 cannot look
from the cue at the answer, an *answer* circuit when it cannot look from the answer at the cue. A model
that reads the answer and survives that cut has a *pointer* circuit if, given what block 1 handed to the
last query of another sequence, it reads at that sequence's place more often than at its own. All others
are *neither*. (The rule first had the picture alone. The interventions were added after the first models,
because the picture miscounted them.)

What would refute the page: a one-block model that solves length 12 within the thirty epochs; no
one-block model that solves it with any budget or width tried; a one-block model that solves length 24
within the budget of the map; a circuit whose models survive the cut of their own shift.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_from_scratch.experiments import induction_circuits as opening
from attention_from_scratch.experiments import induction_plan as plan
from attention_from_scratch.experiments import induction_training as training
from measured.terms.claims import Claim, Verdict, above, below, between, equal, every, rises
from measured.terms.experiment import Experiment, Findings


def measure(runs: Mapping[str, Mapping[str, np.ndarray]], **p: Any) -> Findings:
    """Everything, from runs that are already made."""
    parts = [
        training.parameters(runs, p),
        training.rungs(p),
        training.as_reported(runs, p),
        training.pushed(runs, p),
        training.mapped(runs, p),
        opening.four_heads(runs, p),
        opening.one_head(runs, p),
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
    return below(dict(zip(names, map(float, distances), strict=True)), 4.0)


def _near_ceiling(found: Findings, values: Mapping[str, float], distance: float) -> Verdict:
    return between(values, _ceiling(found) - distance, _ceiling(found) + distance)


def _leaves_early(found: Findings) -> Verdict:
    best = max(training.TEST_ACCURACY.samples(found, model="blocks1").values())
    return above({"best seed": best}, _ceiling(found) + 0.1)


def _pictures_miscount(found: Findings) -> Verdict:
    kinds = ("bidirectional", "slow")
    pictured, proven = opening.PICTURED.at(read="answer"), opening.CIRCUIT.at(circuit="answer")
    return above({k: pictured.value(found, kind=k) - proven.value(found, kind=k) for k in kinds}, 0)


def _one_head_carries_it(found: Findings) -> Verdict:
    best = max(opening.HEAD_ONLY.values(found).values())
    return every(above({"with it alone": best}, 0.99), below(opening.DECISIVE_ACCURACY.values(found), 0.3))


def _causal_reads_the_answer(found: Findings) -> Verdict:
    models = len(opening.STEPS.samples(found, kind="causal"))
    return equal(opening.CIRCUIT.values(found, circuit="answer", kind="causal"), models)


def _proof(found: Findings, what: str | list[str], *groups: str) -> dict[str, float]:
    """What each model of these groups did under an intervention."""
    return opening.PROOF.samples(found, what=what, group=list(groups))


CLAIMS = (
    Claim(
        "induction.parameters",
        "one block has exactly 9,129 parameters and two have 17,673",
        lambda f: every(
            equal(training.PARAMETER_COUNT.values(f, part="blocks1"), 9_129),
            equal(training.PARAMETER_COUNT.values(f, part="blocks2"), 17_673),
        ),
    ),
    Claim(
        "induction.ladder_agrees",
        "the simulated worth of the most common symbol is within four standard errors of the exact one, "
        "at every length",
        _simulation_agrees,
    ),
    Claim(
        "induction.two_blocks_solve",
        "after thirty epochs two blocks answer more than 0.99 of the test sequences, for every seed",
        lambda f: above(training.TEST_ACCURACY.samples(f, model="blocks2"), 0.99),
    ),
    Claim(
        "induction.one_block_stays",
        "after thirty epochs one block's median test accuracy is within 0.03 of the order-blind ceiling",
        lambda f: _near_ceiling(f, training.TEST_ACCURACY.values(f, model="blocks1"), 0.03),
    ),
    Claim(
        "induction.one_block_is_unsolved",
        "after thirty epochs no single block, of the reported size or with as many parameters as two blocks, "
        "answers more than 0.6, for any seed",
        lambda f: below(training.TEST_ACCURACY.samples(f, model=["blocks1", "matched"]), 0.6),
    ),
    Claim(
        "induction.one_seed_leaves_early",
        "one seed of one block is already more than 0.1 above the order-blind ceiling after thirty epochs",
        _leaves_early,
    ),
    Claim(
        "induction.same_plateau",
        "before its jump the two-block model's mean accuracy is within 0.06 of the order-blind ceiling",
        lambda f: _near_ceiling(f, training.PLATEAU_OF_TWO.samples(f), 0.06),
    ),
    Claim(
        "induction.two_blocks_jump",
        "every seed of two blocks gets from below 0.4 to 0.9 or more in at most three of its thirty epochs",
        lambda f: below(training.JUMP_LENGTH.samples(f), 3.5),
    ),
    Claim(
        "induction.one_block_climbs",
        "from below 0.4 to 0.9 every seed of one block takes more than 10,000 of its 40,000 steps",
        lambda f: above(training.LONG_CLIMB.samples(f), 10_000),
    ),
    Claim(
        "induction.names_most_common",
        "after thirty epochs one block names a most common symbol in over 0.7 of sequences (median seed)",
        lambda f: above(training.NAMES_MOST_COMMON.values(f), 0.7),
    ),
    Claim(
        "induction.one_block_improves",
        "trained on, the same one block answers more than twice the order-blind ceiling, for every seed",
        lambda f: above(training.LONG_TEST.samples(f), 2 * _ceiling(f)),
    ),
    Claim(
        "induction.wide_block_solves",
        "a wider single block reaches 0.98 on test sequences of length 12, for every seed",
        lambda f: above(training.MAP_ACCURACY.samples(f, model="wide", length=12), 0.98),
    ),
    Claim(
        "induction.all_solve_the_shortest",
        "at length 8 every model reaches 0.98, for every seed",
        lambda f: above(training.MAP_ACCURACY.samples(f, length=8), 0.98),
    ),
    Claim(
        "induction.two_blocks_solve_all_lengths",
        "two blocks reach 0.98 at every length of the map, for every seed",
        lambda f: above(training.MAP_ACCURACY.samples(f, model="deep"), 0.98),
    ),
    Claim(
        "induction.one_block_fails_at_24",
        "at length 24 no single block, narrow or wide, gets more than 0.03 above the order-blind ceiling",
        lambda f: below(
            training.MAP_ACCURACY.samples(f, model=["narrow", "wide"], length=24), _ceiling(f, 24) + 0.03
        ),
    ),
    Claim(
        "induction.length_costs_one_block",
        "the wide block's steps rise from length 8 to 12 to 16",
        lambda f: rises(training.MAP_STEPS.values(f, model="wide", length=[8, 12, 16])),
    ),
    Claim(
        "induction.the_seed_decides",
        "among the four-head models of the reported experiment some read the cue and some the answer",
        lambda f: above(opening.FOUR_HEADS.values(f, read=["cue", "answer"]), 0),
    ),
    Claim(
        "induction.one_head_carries_it",
        "in seed 0's model one head of block 1 alone keeps the accuracy above 0.99, and all others without "
        "it leave less than 0.3",
        _one_head_carries_it,
    ),
    Claim(
        "induction.causal_reads_the_answer",
        "with a causal mask every seed finds the answer circuit",
        _causal_reads_the_answer,
    ),
    Claim(
        "induction.causal_is_sooner",
        "the causal models' median steps are fewer than those of the models without a mask",
        lambda f: rises(opening.STEPS.values(f, kind=["causal", "bidirectional"])),
    ),
    Claim(
        "induction.opposite_edge_is_idle",
        "cut, the edge that belongs to the cue circuit leaves every answer circuit above 0.9",
        lambda f: above(_proof(f, "cue_to_answer", "answer", "causal"), 0.9),
    ),
    Claim(
        "induction.pictures_miscount",
        "without a mask more models read the answer than have the answer circuit, at both rates",
        _pictures_miscount,
    ),
    Claim(
        "induction.answer_circuits_read_at_the_donors_place",
        "given another sequence's block 1, every answer circuit trained without a mask reads at the "
        "other's place in more than half of the sequences",
        lambda f: above(_proof(f, "moved_place", "answer"), 0.5),
    ),
    Claim(
        "induction.pointers_avoid_the_cue",
        "in block 1 the last query of every pointer circuit gives the cue under a quarter of an even share",
        lambda f: below(_proof(f, "hole", "pointer"), 0.25 / 12),
    ),
    Claim(
        "induction.pointers_need_no_edge",
        "every pointer circuit keeps more than 0.8 with the edge from the answer to the cue cut, and with "
        "the cue hidden from all of block 1",
        lambda f: above(_proof(f, ["answer_to_cue", "hidden_cue"], "pointer"), 0.8),
    ),
    Claim(
        "induction.pointers_follow_the_last_query",
        "given the last query's output alone, every pointer circuit reads at the other sequence's place in "
        "more than 0.4 of the sequences, and no answer circuit in more than 0.05",
        lambda f: every(
            above(_proof(f, "pointed_place", "pointer"), 0.4),
            below(_proof(f, "pointed_place", "answer", "causal"), 0.05),
        ),
    ),
    Claim(
        "induction.is_an_induction_head",
        "with a cue that varies, every seed's second block puts more than half of its weight on the position "
        "after the cue, and in more than 0.9 of the sequences the model says what that head is made to read",
        lambda f: every(
            above(opening.ANY_CUE.samples(f, what="prefix_matching"), 0.5),
            above(opening.ANY_CUE.samples(f, what="copying"), 0.9),
        ),
    ),
    Claim(
        "induction.forward_agrees",
        "NumPy's forward pass is within 1e-5 of Keras' logits",
        lambda f: below(opening.EXPORT_DIFFERENCE.values(f), 1e-5),
    ),
)

EXPERIMENT = Experiment(
    name="induction",
    question="What does a second attention block buy, and how do two blocks do it?",
    measure=measure,
    parameters=plan.PARAMETERS,
    quick=plan.QUICK,
    runs=plan.runs(),
    claims=CLAIMS,
)
