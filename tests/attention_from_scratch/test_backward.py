"""The gradients of attention, by hand, against differences and against TensorFlow."""

import numpy as np
import pytest

from attention_from_scratch import backward, masks
from attention_from_scratch.attention import attention, softmax
from attention_from_scratch.saturation import softmax_jacobian


def drawn(seed=0):
    generator = np.random.default_rng(seed)
    return [generator.normal(size=shape) for shape in ((2, 5, 4), (2, 5, 4), (2, 5, 3), (2, 5, 3))]


def test_the_softmaxs_gradient_is_its_jacobian_times_the_gradient():
    generator = np.random.default_rng(0)
    weights, gradient = softmax(generator.normal(size=(6, 7))), generator.normal(size=(6, 7))
    by_hand = backward.softmax_gradient(weights, gradient)
    jacobian = np.einsum("rij,rj->ri", softmax_jacobian(weights), gradient)
    np.testing.assert_allclose(by_hand, jacobian, atol=1e-14)
    np.testing.assert_allclose(by_hand.sum(axis=-1), 0, atol=1e-14)


@pytest.mark.parametrize("masked", [False, True])
def test_by_hand_as_by_differences_and_by_tensorflow(masked):
    import tensorflow as tf

    query, key, value, upstream = drawn()
    mask = masks.causal(5) if masked else None
    by_hand = backward.attention_gradients(query, key, value, upstream, mask)

    def loss(q, k, v):
        return (attention(q, k, v, mask)[0] * upstream).sum()

    numeric = (
        backward.finite_differences(lambda x: loss(x, key, value), query, 1e-5),
        backward.finite_differences(lambda x: loss(query, x, value), key, 1e-5),
        backward.finite_differences(lambda x: loss(query, key, x), value, 1e-5),
    )
    with tf.GradientTape() as tape:
        parts = [tf.Variable(x) for x in (query, key, value)]
        scores = tf.einsum("bqd,bkd->bqk", *parts[:2]) / 2.0
        scores = scores if mask is None else tf.where(mask, scores, tf.cast(-1e9, scores.dtype))
        output = tf.einsum("bqk,bkd->bqd", tf.nn.softmax(scores), parts[2])
        total = tf.reduce_sum(output * upstream)
    for ours, slope, theirs in zip(by_hand, numeric, tape.gradient(total, parts), strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-12)
        np.testing.assert_allclose(ours, slope, atol=1e-8)
        assert np.abs(ours).max() > 0.1
