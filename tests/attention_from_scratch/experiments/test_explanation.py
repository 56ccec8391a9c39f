"""The analysis of `explanation` on answers that are made here, where what must come out is known."""

import numpy as np
import pytest

import live_models
from attention_from_scratch import explanations, forward
from attention_from_scratch.experiments import explanation_errors as errors
from attention_from_scratch.experiments import explanation_runs, induction_pictures
from attention_from_scratch.experiments import induction_circuits as circuits
from attention_from_scratch.experiments.explanation_plan import PARAMETERS
from attention_from_scratch.tasks import match_then_read
from measured.terms.experiment import Findings

IMAGES = 400


def answers(seed: int, telling: float = 0.0) -> errors.Answered:
    """Answers, a tenth of them wrong, and statistics of which one tells them apart, upside down."""
    generator = np.random.default_rng(seed)
    right = generator.random(IMAGES) < 0.9
    noise = {name: generator.normal(size=IMAGES) for name in "abcdefgh"}
    noise |= {"entropy_mean.block2": generator.normal(size=IMAGES), "maximum_mean.block2": noise["a"]}
    noise["planted"] = generator.normal(size=IMAGES) - telling * right
    return errors.Answered(
        seed,
        right,
        generator.integers(0, 10, IMAGES),
        generator.random(IMAGES),
        noise,
        generator.normal(size=(IMAGES, 30)),
        generator.normal(size=(IMAGES, 10)),
        generator.normal(size=IMAGES),
    )


def area(model: errors.Answered, name: str) -> float:
    scores = errors.scores_of(model, [model], PARAMETERS)[name]
    return errors.area(scores, model.right)


def test_a_planted_statistic_is_chosen_in_its_direction():
    model = answers(0, telling=2.0)
    assert errors.best_statistic([model], np.arange(IMAGES) % 2 == 0) == ("planted", -1)
    assert area(model, "best_attention") > 0.85


@pytest.mark.parametrize(
    "name", ["best_attention", "learned", "class_alone", "image_and_attention", "with_confidence"]
)
def test_where_nothing_is_to_be_found_nothing_is_found(name):
    """Each is chosen or learned on other answers than those it is tested on, so that noise earns nothing."""
    areas = [area(answers(seed), name) for seed in range(8)]
    assert abs(np.mean(areas) - 0.5) < 0.06


def test_a_rule_on_image_and_attention_hears_both():
    model = answers(0, telling=2.0)
    alone = area(model, "best_attention")
    near = np.random.default_rng(9).normal(size=IMAGES) + 2.0 * model.right
    assert area(model._replace(typical_image=near), "image_and_attention") > alone + 0.03
    assert area(model, "image_and_attention") > alone - 0.05


def test_each_answer_is_tested_once_and_never_by_what_it_taught():
    model = answers(1)
    scores = errors.scores_of(model, [model], PARAMETERS)["best_attention"]
    np.testing.assert_array_equal((~np.isnan(scores)).sum(axis=0), 1)


def test_the_unremarkable_lie_among_the_right_ones():
    model = answers(2)
    everyone = np.ones(IMAGES, bool)
    assert errors.unremarkable(model, everyone) > 0.75
    far = {**model.statistics, "entropy_mean.block2": np.where(model.right, 0.0, 9.0)}
    assert errors.unremarkable(model._replace(statistics=far), everyone) == 0


def test_weights_are_handed_on_to_another_image_of_the_same_class():
    classes = np.random.default_rng(3).integers(0, 10, 200)
    others = explanation_runs._another_of_its_class(classes, np.random.default_rng(4))
    np.testing.assert_array_equal(classes[others], classes)
    assert (others != np.arange(200)).all()
    assert sorted(others) == list(range(200))


def test_stories_are_counted_for_each_rate_and_mask():
    counts = {"bidirectional": (4, 6, 3, 3), "slow": (0, 7, 0, 1), "causal": (0, 8, 0, 8)}
    found = []
    for kind, (cue, answer, cue_proven, answer_proven) in counts.items():
        of = {"kind": kind, "models": "models"}
        found += [circuits.PICTURED.of(n, read=r, **of) for r, n in (("cue", cue), ("answer", answer))]
        proven = {"cue": cue_proven, "answer": answer_proven, "pointer": 2}
        found += [circuits.CIRCUIT.of(n, circuit=c, **of) for c, n in proven.items()]
    told = {m.id: m.value for m in induction_pictures.right_stories(Findings(tuple(found))).measurements}
    right = {kind: told[f"explanation.own_models.right_stories.{kind}"] for kind in counts}
    shown = {kind: told[f"explanation.own_models.stories.{kind}"] for kind in counts}
    assert right == {"bidirectional": 6, "slow": 1, "causal": 8}
    assert shown == {"bidirectional": 10, "slow": 7, "causal": 8}


def test_another_symbol_takes_one_place():
    tokens = match_then_read.draw(50, 12, np.random.default_rng(5)).tokens
    for place in range(11):
        changed = induction_pictures.replaced(tokens, place)
        np.testing.assert_array_equal((changed != tokens).sum(axis=1), 1)
        assert (changed[:, place] != tokens[:, place]).all()
        assert changed[:, place].min() >= 1
        assert changed[:, place].max() <= match_then_read.SYMBOLS


def test_maps_of_a_block_model_leave_the_asking_position_out_and_name_what_decides():
    generator = np.random.default_rng(6)
    weights = live_models.random_weights(2, generator)
    tokens = match_then_read.draw(8, 12, generator).tokens
    maps = induction_pictures.maps_of(weights, tokens)
    trace = forward.forward(weights, tokens)
    assert {name: values.shape for name, values in maps.items()} == dict.fromkeys(maps, (8, 11))
    np.testing.assert_array_equal(maps["raw"], trace.attention[1][:, :, 0, :11].mean(axis=1))
    steps = [(block.mean(axis=1) + np.eye(12)) / 2 for block in (trace.attention[0],)]
    last = trace.attention[1].mean(axis=1)[:, 0] / 2
    last[:, 11] += 0.5
    np.testing.assert_allclose(
        explanations.rolled(trace.attention, query=11), (last[:, np.newaxis] @ steps[0])[:, 0], atol=1e-6
    )
