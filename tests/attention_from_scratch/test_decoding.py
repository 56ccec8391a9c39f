"""A kept cache, greedy decoding and beams, on random weights; and what a decoder may not see."""

import itertools

import numpy as np
import pytest

from attention_from_scratch import decoding
from attention_from_scratch.heads import Projections
from attention_from_scratch.transformer import Block, FeedForward, Norm

WIDTH, HEADS, HIDDEN, SOURCE, STEPS, TOKENS = 8, 2, 12, 5, 6, 7
START, END = 5, 6


def a_norm(rng):
    return Norm(rng.normal(1, 0.2, WIDTH), rng.normal(0, 0.2, WIDTH))


def a_block(rng, *, crossing, key_heads=HEADS):
    own = Projections.random(rng, WIDTH, HEADS, WIDTH // HEADS)
    if key_heads != HEADS:
        own = Projections(
            own.query_kernel,
            own.query_bias,
            *(part[..., :key_heads, :] for part in (own.key_kernel, own.key_bias)),
            *(part[..., :key_heads, :] for part in (own.value_kernel, own.value_bias)),
            own.output_kernel,
            own.output_bias,
        )
    fed = FeedForward(
        rng.normal(size=(WIDTH, HIDDEN)),
        rng.normal(size=HIDDEN),
        rng.normal(size=(HIDDEN, WIDTH)) / 3,
        np.zeros(WIDTH),
    )
    cross = Projections.random(rng, WIDTH, HEADS, WIDTH // HEADS) if crossing else None
    return Block(own, a_norm(rng), fed, a_norm(rng), cross, a_norm(rng) if crossing else None)


def a_model(seed=0, *, key_heads=HEADS, dtype=np.float64):
    rng = np.random.default_rng(seed)
    made = decoding.EncoderDecoder(
        rng.normal(size=(TOKENS, WIDTH)),
        rng.normal(size=(SOURCE, WIDTH)),
        rng.normal(size=(TOKENS, WIDTH)),
        rng.normal(size=(STEPS, WIDTH)),
        [a_block(rng, crossing=False)],
        a_norm(rng),
        [a_block(rng, crossing=True, key_heads=key_heads) for _ in range(2)],
        a_norm(rng),
        rng.normal(size=(WIDTH, TOKENS)),
        np.zeros(TOKENS),
    )
    return cast(made, dtype)


def cast(made, dtype):
    """All arrays of nested dataclasses in one dtype."""
    if isinstance(made, np.ndarray):
        return made.astype(dtype)
    if isinstance(made, list):
        return [cast(each, dtype) for each in made]
    if made is None:
        return None
    return type(made)(*(cast(each, dtype) for each in vars(made).values()))


def some_sources(count, seed=1):
    rng = np.random.default_rng(seed)
    source = rng.integers(1, TOKENS, (count, SOURCE))
    lengths = rng.integers(1, SOURCE + 1, count)
    return np.where(np.arange(SOURCE) < lengths[:, np.newaxis], source, 0)


def stepped(model, source, previous):
    """Logits of each step, one after the other."""
    cache, logits = decoding.empty_cache(model, decoding.encode(model, source)), []
    for token in previous.T:
        found, cache = decoding.step(model, cache, token)
        logits.append(found)
    return np.stack(logits, axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_with_a_cache_give_what_the_whole_decoder_gives(dtype):
    model, source = a_model(dtype=dtype), some_sources(50)
    previous = np.random.default_rng(2).integers(1, TOKENS, (50, STEPS))
    logits, _ = decoding.whole(model, decoding.encode(model, source), previous)
    kept = stepped(model, source, previous)
    assert logits.dtype == kept.dtype == dtype
    np.testing.assert_allclose(kept, logits, atol=200 * np.finfo(dtype).eps, rtol=0)


def test_a_step_leaves_the_cache_that_it_was_given():
    model, source = a_model(), some_sources(3)
    cache = decoding.empty_cache(model, decoding.encode(model, source))
    before = [array.copy() for array in cache.keys]
    _, longer = decoding.step(model, cache, np.array([1, 2, 3]))
    assert [array.shape[2] for array in cache.keys] == [0, 0]
    assert [array.shape[2] for array in longer.keys] == [1, 1]
    for array, was in zip(cache.keys, before, strict=True):
        np.testing.assert_array_equal(array, was)


def test_outputs_do_not_depend_on_later_targets_to_the_last_bit():
    model, source = a_model(dtype=np.float32), some_sources(20)
    rng, memory = np.random.default_rng(3), decoding.encode(a_model(dtype=np.float32), some_sources(20))
    previous = rng.integers(1, TOKENS, (20, STEPS))
    logits, _ = decoding.whole(model, memory, previous)
    assert len(source) == len(memory.tokens)
    for seen in range(1, STEPS):
        other = previous.copy()
        other[:, seen:] = rng.integers(1, TOKENS, (20, STEPS - seen))
        again, _ = decoding.whole(model, memory, other)
        np.testing.assert_array_equal(again[:, :seen], logits[:, :seen])
        assert np.any(again[:, seen:] != logits[:, seen:])


def test_padding_of_the_source_changes_nothing():
    model = a_model()
    short = np.array([[3, 2, 4]])
    padded = np.array([[3, 2, 4, 0, 0]])
    previous = np.array([[START, 1, 2]])
    logits = [decoding.whole(model, decoding.encode(model, s), previous)[0] for s in (short, padded)]
    np.testing.assert_allclose(*logits, atol=1e-12)


def test_greedy_decoding_says_the_likeliest_token_each_time():
    model, source = a_model(3), some_sources(30)
    said = decoding.greedy(model, source, START, END)
    previous = np.concatenate([np.full((30, 1), START), said[:, :-1]], axis=1)
    logits, _ = decoding.whole(model, decoding.encode(model, source), previous)
    ended = np.cumsum(previous == END, axis=1) > 0
    np.testing.assert_array_equal(said[~ended], logits.argmax(axis=-1)[~ended])
    assert (said[ended] == END).all()
    assert ended.any()
    assert not ended.all()


def test_one_beam_is_greedy_decoding():
    model, source = a_model(3), some_sources(30)
    said = decoding.greedy(model, source, START, END)
    for row, written in zip(source, said, strict=True):
        beam = decoding.beam_search(model, row, START, END, 1)[0]
        assert list(beam.tokens) == written[: len(beam.tokens)].tolist()
        assert beam.ended or len(beam.tokens) == STEPS


def test_enough_beams_find_the_likeliest_sequence_of_all():
    model, source = a_model(5), some_sources(1)
    short = decoding.EncoderDecoder(**{**vars(model), "target_positions": model.target_positions[:3]})
    memory = decoding.encode(short, source)
    best = -np.inf
    for sequence in itertools.product(range(TOKENS), repeat=3):
        ended = sequence.index(END) + 1 if END in sequence else 3
        previous = np.array([[START, *sequence[:2]]])
        logits = decoding.log_softmax(decoding.whole(short, memory, previous)[0][0])
        best = max(best, sum(logits[t, sequence[t]] for t in range(ended)))
    found = decoding.beam_search(short, source[0], START, END, 400)
    assert found[0].log_probability == pytest.approx(best, abs=1e-12)
    kept = [beam.log_probability for beam in found]
    assert kept == sorted(kept, reverse=True)
    assert sum(np.exp(kept)) == pytest.approx(1)  # nothing was left out, so all of it adds up


def test_more_beams_may_find_what_greedy_decoding_misses():
    better = 0
    for seed in range(20):
        model, source = a_model(seed), some_sources(1, seed)
        one, many = (decoding.beam_search(model, source[0], START, END, n)[0] for n in (1, 5))
        better += many.log_probability > one.log_probability + 1e-9
    assert better > 0


def test_no_beam_is_refused():
    with pytest.raises(ValueError, match="beams is 0"):
        decoding.beam_search(a_model(), some_sources(1)[0], START, END, 0)


def test_shared_key_value_heads_keep_fewer_bytes_and_give_what_repeated_ones_give():
    model, source = a_model(key_heads=1), some_sources(4)
    repeated = decoding.EncoderDecoder(
        **{**vars(model), "decoder": [with_repeated_heads(b) for b in model.decoder]}
    )
    previous = np.random.default_rng(2).integers(1, TOKENS, (4, STEPS))
    np.testing.assert_allclose(
        stepped(model, source, previous), stepped(repeated, source, previous), atol=1e-12
    )
    kept = []
    for each in (model, repeated):
        cache = decoding.empty_cache(each, decoding.encode(each, source))
        for token in previous.T:
            _, cache = decoding.step(each, cache, token)
        kept.append(sum(array.nbytes for array in (*cache.keys, *cache.values)))
    assert kept[1] == HEADS * kept[0]


def with_repeated_heads(block):
    own = block.attention
    wide = {
        name: np.repeat(getattr(own, name), HEADS, axis=-2)
        for name in ("key_kernel", "key_bias", "value_kernel", "value_bias")
    }
    return Block(**{**vars(block), "attention": Projections(**{**vars(own), **wide})})


def test_pooled_heads_are_the_means_of_neighbours_and_equal_heads_lose_nothing():
    model, source = a_model(), some_sources(4)
    one = decoding.with_pooled_keys(model, 1)
    own, pooled = model.decoder[0].attention, one.decoder[0].attention
    np.testing.assert_allclose(pooled.key_kernel[:, 0], own.key_kernel.mean(axis=1))
    equal = decoding.EncoderDecoder(**{**vars(one), "decoder": [with_repeated_heads(b) for b in one.decoder]})
    previous = np.random.default_rng(2).integers(1, TOKENS, (4, STEPS))
    again = decoding.with_pooled_keys(equal, 1)
    np.testing.assert_allclose(stepped(again, source, previous), stepped(equal, source, previous), atol=1e-12)
    with pytest.raises(ValueError, match="2 heads cannot be pooled into 3"):
        decoding.with_pooled_keys(model, 3)


SIZES = {"d_model": WIDTH, "num_heads": HEADS, "feed_forward": HIDDEN, "blocks": 2, "target_tokens": TOKENS}


@pytest.mark.parametrize("key_heads", [1, 2])
def test_counted_bytes_are_those_of_the_arrays(key_heads):
    model, source = a_model(key_heads=key_heads, dtype=np.float32), np.ones((1, SOURCE), int)
    cache = decoding.empty_cache(model, decoding.encode(model, source))
    for _ in range(4):
        _, cache = decoding.step(model, cache, np.array([1]))
    arrays = (*cache.keys, *cache.values, *cache.memory_keys, *cache.memory_values)
    counted = decoding.cost(4, SOURCE, **SIZES, key_value_heads=key_heads)
    assert counted.bytes_kept == sum(array.nbytes for array in arrays)


def test_counted_multiply_adds_by_hand():
    """One step over one token: eight square products, two of the feed-forward layer, the pairs."""
    block = 8 * WIDTH**2 + 2 * WIDTH * HIDDEN + 2 * WIDTH * (1 + 1)
    assert decoding.cost(1, 1, **SIZES).multiply_adds == 2 * block + WIDTH * TOKENS
    assert decoding.cost(1, 1, **SIZES, cached=False).multiply_adds == 2 * block + WIDTH * TOKENS
    assert decoding.cost(1, 1, **SIZES, cached=False).bytes_kept == 0


def test_without_a_cache_the_cost_grows_faster():
    ratios = [
        decoding.cost(n, SOURCE, **SIZES, cached=False).multiply_adds
        / decoding.cost(n, SOURCE, **SIZES).multiply_adds
        for n in (1, 4, 16, 64)
    ]
    assert ratios == sorted(ratios)
    assert ratios[0] == 1
    assert ratios[-1] > 20
