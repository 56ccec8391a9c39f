"""A head that hands on what it looks at is told from one that does not, whether that is the answer or not."""

import numpy as np
import pytest

from attention_from_scratch import circuits, copying
from attention_from_scratch.forward import Trace
from attention_from_scratch.tasks import match_then_read

COUNT, LENGTH = 200, 12


@pytest.fixture
def drawn():
    return match_then_read.draw_any_cue(COUNT, LENGTH, np.random.default_rng(0))


def trace_of(drawn, looked_at, handed_on):
    """A last block whose one head looks at one place a sequence, and hands on a symbol as it is."""
    rows = np.arange(COUNT)
    attention = np.zeros((COUNT, 1, 1, LENGTH))
    attention[rows, 0, 0, looked_at] = 1
    heads = np.zeros((COUNT, 1, 1, match_then_read.VOCABULARY))
    heads[rows, 0, 0, handed_on] = 1
    return Trace(heads[:, 0, 0], [attention, attention], [heads, heads], [])


WEIGHTS = {
    "block2_attention.attention_output.kernel": np.eye(match_then_read.VOCABULARY)[np.newaxis],
    "logits.kernel": np.eye(match_then_read.VOCABULARY),
}


def test_what_is_read_and_handed_on_is_copied_though_it_is_not_the_answer(drawn):
    elsewhere = np.where(drawn.places > 2, drawn.places - 1, drawn.places + 2)
    read = drawn.tokens[np.arange(COUNT), elsewhere]
    trace = trace_of(drawn, elsewhere, read)
    assert copying.copying_of_what_is_read(WEIGHTS, trace, drawn) == 1
    assert circuits.direct_copying(WEIGHTS, trace, drawn) == np.mean(read == drawn.answers) < 0.5


def test_an_answer_that_is_handed_on_without_being_read_is_no_copy(drawn):
    elsewhere = np.where(drawn.places > 2, drawn.places - 1, drawn.places + 2)
    trace = trace_of(drawn, elsewhere, drawn.answers)
    assert circuits.direct_copying(WEIGHTS, trace, drawn) == 1
    assert copying.copying_of_what_is_read(WEIGHTS, trace, drawn) < 0.5


def test_a_head_that_reads_the_answer_and_hands_it_on_does_both(drawn):
    trace = trace_of(drawn, drawn.places + 1, drawn.answers)
    assert circuits.direct_copying(WEIGHTS, trace, drawn) == 1
    assert copying.copying_of_what_is_read(WEIGHTS, trace, drawn) == 1
