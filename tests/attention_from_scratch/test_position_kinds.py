"""Five kinds of positions: the formulas, and the same layer in Keras with the weights carried over."""

import numpy as np
import pytest

from attention_from_scratch import masks, position_kinds
from attention_from_scratch.heads import Projections
from attention_from_scratch.linear_attention import linear_attention
from when_used import WhenUsed

sequences = WhenUsed("attention_from_scratch.models.sequences")
training = WhenUsed("attention_from_scratch.training")


def layer_and_tokens(kind, *, linear=False, num_heads=4, width=16, length=9):
    training.set_seed(0)
    layer = sequences.CausalAttention(num_heads, kind, linear=linear)
    tokens = np.random.default_rng(1).normal(size=(3, length, width)).astype("float32")
    layer.build(tokens.shape)
    generator = np.random.default_rng(2)
    layer.set_weights([w + generator.normal(scale=0.2, size=w.shape) for w in layer.get_weights()])
    return layer, tokens


@pytest.mark.parametrize("kind", position_kinds.KINDS)
def test_each_kind_agrees_with_keras(kind):
    layer, tokens = layer_and_tokens(kind)
    ours, weights = position_kinds.self_attention(
        tokens, Projections.of(layer.get_weights()), kind, masks.causal(tokens.shape[1])
    )
    np.testing.assert_allclose(ours, layer(tokens).numpy(), atol=1e-5)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    plain, _ = position_kinds.self_attention(
        tokens, Projections.of(layer.get_weights()), "none", masks.causal(tokens.shape[1])
    )
    assert (np.abs(ours - plain).max() > 0.01) == (kind in ("rope", "alibi"))


def test_without_positions_inside_it_is_keras_own_layer():
    import keras

    layer, tokens = layer_and_tokens("none")
    theirs = keras.layers.MultiHeadAttention(4, 4)
    theirs.build(tokens.shape, tokens.shape)
    theirs.set_weights(layer.get_weights())
    np.testing.assert_allclose(layer(tokens), theirs(tokens, tokens, use_causal_mask=True).numpy(), atol=1e-5)


@pytest.mark.parametrize("kind", ["learned", "sinusoidal"])
def test_what_is_added_to_tokens_agrees_with_keras(kind):
    training.set_seed(0)
    model = sequences.SequenceTransformer(vocabulary=5, answers=2, positions=kind, longest=8, width=16)
    tokens = np.array([[1, 2, 3, 4, 0, 1]], np.int32)
    table = model.table.embeddings.numpy() if kind == "learned" else None
    ours = position_kinds.add_positions(model.embedding.embeddings.numpy()[tokens], kind, table)
    np.testing.assert_allclose(ours, model.streams(tokens)[0].numpy(), atol=1e-6)


def test_a_turned_pair_knows_its_distance_and_not_its_place():
    generator = np.random.default_rng(0)
    query, key = np.tile(generator.normal(size=(2, 1, 8)), (1, 30, 1))
    scores = position_kinds.rotate(query) @ position_kinds.rotate(key).T
    for distance in range(-29, 30):
        diagonal = np.diagonal(scores, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-12)
    assert np.ptp(scores[0]) > 0.1
    np.testing.assert_allclose(
        np.linalg.norm(position_kinds.rotate(query), axis=-1), np.linalg.norm(query, axis=-1)
    )


def test_alibis_slopes_are_the_papers():
    bias = position_kinds.alibi(8, 4)
    np.testing.assert_allclose(-bias[:, 1, 0], [2.0**-h for h in range(1, 9)])
    np.testing.assert_allclose(bias[0, 3], [-1.5, -1.0, -0.5, 0.0])


def test_what_cannot_be_placed_is_refused():
    tokens = np.zeros((1, 6, 4))
    with pytest.raises(ValueError, match="a table of 5 rows"):
        position_kinds.add_positions(tokens, "learned", np.zeros((5, 4)))
    with pytest.raises(ValueError, match="no table"):
        position_kinds.add_positions(tokens, "learned")
    with pytest.raises(ValueError, match="positions are 'rotary'"):
        position_kinds.add_positions(tokens, "rotary")
    with pytest.raises(ValueError, match="even width"):
        position_kinds.rotate(np.zeros((3, 5)))
    with pytest.raises(ValueError, match="one of them is unknown"):
        sequences.SequenceTransformer(vocabulary=5, answers=2, positions="rotary")
    with pytest.raises(ValueError, match="no multiple"):
        sequences.SequenceTransformer(vocabulary=5, answers=2, width=30)
    with pytest.raises(ValueError, match="layer is 'rnn'"):
        sequences.SequenceRecurrent(layer="rnn", vocabulary=5, answers=2)


def test_linear_attention_is_a_recurrence_and_a_product():
    layer, tokens = layer_and_tokens("none", linear=True)
    weights = Projections.of(layer.get_weights())
    query, key, value = (
        position_kinds.split_heads(tokens, *pair)
        for pair in (
            (weights.query_kernel, weights.query_bias),
            (weights.key_kernel, weights.key_bias),
            (weights.value_kernel, weights.value_bias),
        )
    )
    read = linear_attention(query, key, value)
    ours = np.einsum("bhqv,hvd->bqd", read, weights.output_kernel) + weights.output_bias
    np.testing.assert_allclose(ours, layer(tokens).numpy(), atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        *({"positions": kind} for kind in position_kinds.KINDS),
        {"residual": False, "norm": "none"},
        {"feed_forward": 0, "norm": "after"},
        {"linear": True},
    ],
    ids=str,
)
def test_no_answer_depends_on_a_later_token_to_the_last_bit(options):
    training.set_seed(0)
    model = sequences.SequenceTransformer(vocabulary=5, answers=3, **options)
    tokens = np.random.default_rng(0).integers(0, 5, (4, 8)).astype(np.int32)
    changed = tokens.copy()
    changed[:, 5:] = (changed[:, 5:] + 1) % 5
    before, after = model(tokens).numpy(), model(changed).numpy()
    assert (before[:, :5] == after[:, :5]).all()
    assert (before[:, 5:] != after[:, 5:]).any()


@pytest.mark.parametrize("asked", [1, 2, 3])
def test_the_last_positions_answer(asked):
    tokens = np.zeros((2, 12), np.int32)
    for model in (
        sequences.SequenceTransformer(vocabulary=5, answers=3, asked=asked),
        sequences.SequenceRecurrent(layer="gru", vocabulary=5, answers=3, asked=asked),
    ):
        assert model(tokens).shape == (2, 12 // asked, 3)
