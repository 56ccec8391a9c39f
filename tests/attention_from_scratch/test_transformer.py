"""The transformer in NumPy against Keras, with weights carried over; masks that hide to the last bit."""

import numpy as np
import pytest

from attention_from_scratch import positions, transformer
from when_used import WhenUsed

blocks = WhenUsed("attention_from_scratch.models.blocks")
models = WhenUsed("attention_from_scratch.models.encoder_decoder")
training = WhenUsed("attention_from_scratch.training")

OPTIONS = {
    "source_vocabulary": 9,
    "target_vocabulary": 7,
    "source_length": 6,
    "target_length": 5,
    "width": 16,
    "num_heads": 2,
    "feed_forward": 24,
}
SOURCE = np.array([[3, 4, 5, 8, 0, 0], [1, 2, 3, 4, 5, 6]], np.int32)
TARGET = np.array([[1, 3, 4, 0, 0], [1, 6, 5, 4, 2]], np.int32)


def shaken_model(norm_first):
    training.set_seed(0)
    model = models.encoder_decoder(norm_first=norm_first, **OPTIONS)
    generator = np.random.default_rng(1)
    model.set_weights([w + generator.normal(scale=0.3, size=w.shape) for w in model.get_weights()])
    return model, blocks.weights_by_name(model)


def numpy_logits(weights, source, target):
    def embedded(name, tokens):
        table = weights[f"{name}_embedding.embeddings"]
        return table[tokens] + positions.sinusoidal(tokens.shape[1], table.shape[1]).astype(table.dtype)

    real = source != 0
    memory, _ = transformer.encoder(
        embedded("source", source),
        transformer.blocks_of(weights, "encoder"),
        real,
        transformer.norm_of(weights, "encoder_norm"),
    )
    x, _, crossed = transformer.decoder(
        embedded("target", target),
        memory,
        transformer.blocks_of(weights, "decoder"),
        real,
        transformer.norm_of(weights, "decoder_norm"),
    )
    return x @ weights["logits.kernel"] + weights["logits.bias"], crossed


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_and_decoder_agree_with_keras(norm_first):
    model, weights = shaken_model(norm_first)
    ours, crossed = numpy_logits(weights, SOURCE, TARGET)
    theirs = model((SOURCE, TARGET)).numpy()
    assert np.abs(theirs).max() > 0.1
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert [c.shape for c in crossed] == [(2, 2, 5, 6)] * 2
    assert not crossed[0][0, :, :, 4:].any()  # the source's padding has no weight
    np.testing.assert_allclose(crossed[1].sum(axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("norm_first", [False, True])
def test_no_output_depends_on_a_later_target_to_the_last_bit(norm_first):
    model, weights = shaken_model(norm_first)
    for place in range(1, TARGET.shape[1]):
        changed = TARGET.copy()
        changed[:, place:] = (changed[:, place:] + 1) % OPTIONS["target_vocabulary"]
        for logits_of in (
            lambda t: numpy_logits(weights, SOURCE, t)[0],
            lambda t: model((SOURCE, t)).numpy(),
        ):
            before, after = logits_of(TARGET), logits_of(changed)
            assert (before[:, :place] == after[:, :place]).all()
            assert (before[:, place:] != after[:, place:]).any()


def test_what_stands_in_the_sources_padding_changes_nothing():
    _, weights = shaken_model(True)
    longer = np.pad(SOURCE, ((0, 0), (0, 3)))
    np.testing.assert_allclose(
        numpy_logits(weights, SOURCE, TARGET)[0], numpy_logits(weights, longer, TARGET)[0], atol=1e-5
    )


def test_a_block_without_residual_sums_is_not_this_block():
    _, weights = shaken_model(False)
    block = transformer.blocks_of(weights, "encoder")[0]
    x = np.random.default_rng(2).normal(size=(6, 16)).astype("float32")
    out, attended = transformer.encoder_block(x, block)
    changed, _ = transformer.multi_head_attention(x, x, x, block.attention)
    first = transformer.layer_norm(x + changed, block.attention_norm)
    second = first + transformer.feed_forward(first, block.feed_forward)
    np.testing.assert_allclose(out, transformer.layer_norm(second, block.feed_forward_norm), atol=1e-6)
    assert attended.shape == (2, 6, 6)


def test_layer_norm_leaves_mean_zero_and_variance_one():
    x = np.random.default_rng(3).normal(3, 5, size=(4, 64))
    normed = transformer.layer_norm(x, transformer.Norm(np.ones(64), np.zeros(64)))
    np.testing.assert_allclose(normed.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(normed.var(axis=-1), 1, atol=1e-3)


def test_weights_without_the_stack_are_refused():
    with pytest.raises(ValueError, match="no decoder among"):
        transformer.blocks_of({"embedding.embeddings": np.zeros((2, 2))}, "decoder")
    with pytest.raises(ValueError, match="no multiple"):
        models.encoder_decoder(**{**OPTIONS, "num_heads": 3})
