import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_from_scratch.tasks import recall

lengths = st.tuples(st.integers(1, 12), st.integers(0, 12))


def test_the_answer_is_the_first_token():
    drawn = recall.draw(200, 7, np.random.default_rng(0))
    assert (drawn.tokens[:, 0] - 1 == drawn.answers).all()
    assert set(np.unique(drawn.tokens)) == set(recall.SYMBOLS)
    assert 0.3 < drawn.answers.mean() < 0.7


def test_a_seed_gives_the_same_sequences_and_another_seed_does_not():
    first, again, other = (recall.draw(50, 9, np.random.default_rng(seed)).tokens for seed in (4, 4, 5))
    assert (first == again).all()
    assert (first != other).any()


@given(lengths, st.integers(0, 5), st.integers(0, 2**32))
def test_padding_moves_no_token_and_hides_none(bounds, more, seed):
    shortest, extra = bounds
    longest = shortest + extra
    drawn, counts = recall.draw_ragged(20, shortest, longest, np.random.default_rng(seed))
    post = recall.padded(drawn.tokens, longest + more, "post")
    pre = recall.padded(drawn.tokens, longest + more, "pre")
    for given_tokens, behind, before, count in zip(drawn.tokens, post, pre, counts, strict=True):
        real = given_tokens[:count]
        assert (real != recall.PADDING).all()
        assert (behind[:count] == real).all()
        assert (before[len(before) - count :] == real).all()
    assert (recall.is_real(post).sum(axis=1) == counts).all()
    assert (recall.is_real(pre).sum(axis=1) == counts).all()
    assert (counts >= shortest).all()
    assert (counts <= longest).all()


def test_the_last_real_token_may_be_asked_for():
    drawn, counts = recall.draw_ragged(50, 2, 9, np.random.default_rng(0), "last")
    assert (drawn.tokens[np.arange(50), counts - 1] - 1 == drawn.answers).all()
    with pytest.raises(ValueError, match="'first' or 'last'"):
        recall.draw_ragged(50, 2, 9, np.random.default_rng(0), "middle")


def test_a_sequence_without_a_first_token_is_refused():
    with pytest.raises(ValueError, match="needs a first token"):
        recall.draw(3, 0, np.random.default_rng(0))


@pytest.mark.parametrize(("shortest", "longest"), [(0, 4), (5, 4)])
def test_impossible_lengths_are_refused(shortest, longest):
    with pytest.raises(ValueError, match="1 <= shortest <= longest"):
        recall.draw_ragged(3, shortest, longest, np.random.default_rng(0))


def test_padding_that_would_cut_or_has_no_side_is_refused():
    tokens = np.ones((2, 5), np.int32)
    with pytest.raises(ValueError, match="total is 4"):
        recall.padded(tokens, 4, "post")
    with pytest.raises(ValueError, match="'pre' or 'post'"):
        recall.padded(tokens, 6, "left")
