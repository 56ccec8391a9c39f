"""The light experiments: their instruments are right, and they notice what they are meant to notice."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from attention_from_scratch.attention import softmax
from attention_from_scratch.empty_rows import masked_scores, outcome
from attention_from_scratch.experiments import agreement, heads, masks, registry, scale, scale_runs
from attention_from_scratch.saturation import row_statistics, softmax_jacobian
from attention_from_scratch.tasks import lookup

LIGHT = ("agreement", "scale", "masks", "heads")
TINY = {
    "agreement": {"seeds": [0]},
    "scale": {"draws": 300, "keras_seeds": [0], "keras_sequences": 4},
    "masks": {"sequences": 4, "keras_sequences": 2},
    "heads": {"fetches": 200, "online_length": 64, "online_block": 16},
}


@functools.cache
def found(name):
    return found_anew(name)


def found_anew(name):
    experiment = {e.name: e for e in registry.EXPERIMENTS}[name]
    settings = {**experiment.parameters, **TINY[name]}
    if experiment.runs:
        curve = {"steps": np.arange(3), "scaled": np.ones(3), "unscaled": np.full(3, 0.4)}
        settings["runs"] = {run.name: curve for run in experiment.runs}
    findings = experiment.measure(**settings)
    experiment.check(findings)
    return findings


@pytest.mark.parametrize("name", LIGHT)
def test_an_experiment_gives_the_same_findings_twice(name):
    first, second = found(name), found_anew(name)
    assert [m.as_dict() for m in first.measurements] == [m.as_dict() for m in second.measurements]


# -- agreement ---------------------------------------------------------------------------------------


def test_swapped_projections_are_noticed():
    import keras

    from attention_from_scratch.heads import Projections, multi_head_attention

    keras.utils.set_random_seed(0)
    layer = keras.layers.MultiHeadAttention(2, 4)
    settings = {**agreement.PARAMETERS, "d_model": 8}
    query, value, mask = agreement.inputs("float32", "causal", 0, **settings)
    right = agreement._difference(layer, query, value, mask)
    weights = layer.get_weights()
    swapped = [*weights[2:4], *weights[:2], *weights[4:]]
    wrong = multi_head_attention(query, value, value, Projections.of(swapped), mask)[0]
    assert right[0] < 1e-6
    assert np.abs(wrong - np.asarray(layer(query, value, attention_mask=mask))).max() > 1e-2


# -- scale -------------------------------------------------------------------------------------------


def test_the_jacobian_is_the_derivative_of_the_softmax():
    scores = np.random.default_rng(0).normal(size=6)
    step = 1e-6 * np.eye(6)
    numeric = (softmax(scores + step) - softmax(scores - step)).T / 2e-6  # weights by scores
    np.testing.assert_allclose(softmax_jacobian(softmax(scores)[np.newaxis])[0], numeric, atol=1e-9)


def test_the_jacobian_keeps_its_digits_where_a_row_is_saturated():
    weights = softmax(np.array([[40.0, 0.0, 0.0]]))
    assert 1 - weights[0, 0] == 0  # what a direct w (1 - w) would multiply with
    assert softmax_jacobian(weights)[0, 0, 0] == pytest.approx(2 * np.exp(-40), rel=1e-6)


def test_the_query_gradient_is_the_derivative_by_the_query():
    generator = np.random.default_rng(0)
    query, key, upstream = generator.normal(size=3), generator.normal(size=(5, 3)), generator.normal(size=5)
    rows = row_statistics((key @ query)[np.newaxis], key[np.newaxis], upstream[np.newaxis], 0.5)

    def loss(at):
        return softmax(0.5 * key @ at) @ upstream

    numeric = [(loss(query + step) - loss(query - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    assert rows["query_gradient"][0] == pytest.approx(np.linalg.norm(numeric), rel=1e-6)


def test_a_lookup_asks_for_a_key_that_is_there_once_and_answers_with_its_value():
    keys, held, asked, answers = lookup.draw(0, 200, 12, 16, 8)
    where = keys == asked[:, np.newaxis]
    assert (where.sum(axis=1) == 1).all()
    assert (held[where] == answers).all()
    with pytest.raises(ValueError, match="13 different keys"):
        lookup.draw(0, 1, 13, 12, 8)


def test_a_trained_lookup_is_the_same_twice_and_only_the_division_differs():
    settings = {"seed": 0, "key_dim": 16, "length": 3, "symbols": 4, "values": 2}
    training = {"steps": 40, "every": 20, "batch": 16, "test_sequences": 50}
    first, second = (scale_runs.train(**settings, **training) for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert not np.array_equal(first["scaled"], first["unscaled"])
    assert first["steps"].tolist() == [0, 20, 40]
    assert len(first["scaled"]) == 3


def test_the_worst_seed_is_the_worst_and_keeps_them_all():
    steps = np.arange(0, 1_001, 20)
    curves = {way: np.full((3, len(steps)), 0.5) for way in scale.WAYS}
    curves["scaled"][:, -1], curves["unscaled"][:, -1] = [0.9, 1.0, 0.95], [0.4, 0.3, 0.6]
    found = {m.id: m for m in scale._trained(curves, steps, [0, 1, 2])}
    assert found["scale.training.lowest.scaled"].value == 0.9
    assert found["scale.training.highest.unscaled"].value == 0.6
    assert found["scale.training.highest.unscaled"].samples == (0.4, 0.3, 0.6)


# -- masks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "allowed", "expected"),
    [
        ([0.5, 0.5, 0, 0], [True, True, False, False], "blocked 0"),
        ([0.5, 0.4, 0.1, 0], [True, True, False, False], "leaks"),
        ([0.25, 0.25, 0.25, 0.25], [False] * 4, "uniform"),
        ([0, 0, 0, 0], [False] * 4, "zeros"),
        ([np.nan] * 4, [False] * 4, "NaN"),
        ([0.1, 0.2, 0.3, 0.4], [False] * 4, "as unmasked"),
        ([0.4, 0.3, 0.2, 0.1], [False] * 4, "something else"),
    ],
)
def test_each_outcome_has_its_word(weights, allowed, expected):
    unmasked = np.array([0.1, 0.2, 0.3, 0.4])
    assert outcome(np.array(weights, float), np.array(allowed), unmasked) == expected


def test_a_large_constant_overflows_in_float16_alone():
    row, nothing = np.zeros(3, np.float16), np.zeros(3, bool)
    assert np.isneginf(masked_scores(row, nothing, "replace_1e9")).all()
    assert np.isfinite(masked_scores(row, nothing, "replace_3e4")).all()
    assert np.isfinite(masked_scores(row.astype(np.float32), nothing, "replace_1e30")).all()


def test_masking_after_the_softmax_is_seen_to_leak():
    findings = found("masks")
    assert findings["masks.after_softmax.leak"] > 0.01
    assert findings["masks.before_softmax.leak"] == 0


def test_one_output_that_moves_is_a_leak_of_its_whole_size():
    """One changed value among many: an average would hide it."""
    tokens = np.zeros((3, 5, 4, 2))
    other = tokens.copy()
    other[2, 3, 3, 0] = 8.0  # seen by every query of one sequence, with a quarter of its weight
    kept = np.array([True, True, True, False])
    assert masks.largest_change(tokens, other, None, kept) == 2.0
    assert masks.largest_change(tokens, other, np.tri(4, dtype=bool), kept) == 0


# -- heads -------------------------------------------------------------------------------------------


def test_what_a_linear_map_explains_is_not_left_over():
    generator = np.random.default_rng(0)
    given = generator.normal(size=(500, 2))
    assert heads.unexplained(given, given @ generator.normal(size=(2, 2))) < 1e-20
    assert heads.unexplained(given, generator.normal(size=(500, 2))) > 0.9


@pytest.mark.parametrize("name", ["heads", "masks"])
def test_claims_that_rest_on_no_sample_size_hold_in_small(name):
    findings = found(name)
    experiment = {e.name: e for e in registry.EXPERIMENTS}[name]
    sampled = {"heads.one_head_loses_half"}
    for claim in experiment.claims:
        if claim.id not in sampled:
            assert claim.predicate(findings).holds, claim.id
