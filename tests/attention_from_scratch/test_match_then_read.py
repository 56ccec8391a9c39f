import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_from_scratch.tasks import match_then_read

DRAWS = {"fixed": match_then_read.draw, "any": match_then_read.draw_any_cue}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@given(length=st.integers(3, 30), seed=st.integers(0, 1_000))
def test_the_cue_stands_twice_and_the_answer_after_the_first(draw, length, seed):
    drawn = draw(50, length, np.random.default_rng(seed))
    rows = np.arange(50)
    cue = drawn.tokens[:, -1]
    assert ((drawn.tokens == cue[:, np.newaxis]).sum(axis=1) == 2).all()
    assert (drawn.tokens.argmax(axis=1) >= 0).all()
    assert (drawn.tokens[rows, drawn.places] == cue).all()
    assert (drawn.tokens[rows, drawn.places + 1] == drawn.answers).all()
    assert (drawn.places + 1 < length - 1).all()
    assert drawn.tokens.min() >= 1
    assert drawn.tokens.max() <= match_then_read.CUE
    assert (drawn.answers != cue).all()


def test_the_fixed_cue_is_one_symbol_and_the_other_takes_all():
    generator = np.random.default_rng(0)
    assert set(match_then_read.draw(200, 8, generator).tokens[:, -1]) == {match_then_read.CUE}
    assert set(match_then_read.draw_any_cue(200, 8, generator).tokens[:, -1]) == set(range(1, 9))


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_answers_and_places_are_uniform(draw):
    drawn = draw(70_000, 12, np.random.default_rng(1))
    places = np.bincount(drawn.places, minlength=10)
    assert len(places) == 10
    assert np.abs(places / 70_000 - 0.1).max() < 0.006
    answers = np.bincount(drawn.answers)[1:]
    assert np.abs(answers / 70_000 - 1 / len(answers)).max() < 0.006


def test_one_seed_gives_the_same_sequences_twice():
    first, again = (match_then_read.draw(20, 12, np.random.default_rng(7)) for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_sequence_without_room_is_refused(draw):
    with pytest.raises(ValueError, match="length is 2"):
        draw(1, 2, np.random.default_rng(0))
