"""The instruments that open models, tried on models whose mechanism is built by hand."""

import numpy as np
import pytest

from attention_from_scratch import circuits, gaps
from attention_from_scratch.circuits import NEXT, PREVIOUS
from attention_from_scratch.forward import Trace, forward
from attention_from_scratch.tasks import match_then_read

LENGTH, WIDTH, HEADS = 8, 16, 2


@pytest.fixture
def weights():
    generator = np.random.default_rng(0)
    shapes = {"embedding.embeddings": (match_then_read.VOCABULARY, WIDTH)}
    for block in (1, 2):
        attention = f"block{block}_attention"
        for part in ("query", "key", "value"):
            shapes[f"{attention}.{part}.kernel"] = (WIDTH, HEADS, WIDTH // HEADS)
            shapes[f"{attention}.{part}.bias"] = (HEADS, WIDTH // HEADS)
        shapes[f"{attention}.attention_output.kernel"] = (HEADS, WIDTH // HEADS, WIDTH)
        shapes[f"{attention}.attention_output.bias"] = (WIDTH,)
        for norm in ("norm1", "norm2"):
            shapes[f"block{block}_{norm}.gamma"] = shapes[f"block{block}_{norm}.beta"] = (WIDTH,)
        shapes[f"block{block}_hidden.kernel"], shapes[f"block{block}_hidden.bias"] = (WIDTH, 8), (8,)
        shapes[f"block{block}_output.kernel"], shapes[f"block{block}_output.bias"] = (8, WIDTH), (WIDTH,)
    shapes["logits.kernel"], shapes["logits.bias"] = (
        (WIDTH, match_then_read.VOCABULARY),
        (match_then_read.VOCABULARY,),
    )
    return {name: generator.normal(size=shape) for name, shape in shapes.items()}


@pytest.fixture
def drawn():
    return match_then_read.draw(100, LENGTH, np.random.default_rng(1))


def looking(drawn, first_shift, last_offset):
    """A trace whose block 1 looks by a shift, and whose block 2 looks at an offset from the answer."""
    count = len(drawn.places)
    rows = np.arange(LENGTH)
    first = np.zeros((count, 1, LENGTH, LENGTH))
    first[:, 0, rows, np.clip(rows + first_shift, 0, LENGTH - 1)] = 1
    last = np.zeros((count, 1, 1, LENGTH))
    last[np.arange(count), 0, 0, drawn.places + 1 + last_offset] = 1
    return Trace(np.zeros((count, match_then_read.VOCABULARY)), [first, last], [], [])


@pytest.mark.parametrize(
    ("shift", "offset", "circuit"), [(NEXT, -1, "cue"), (PREVIOUS, 0, "answer"), (PREVIOUS, 1, "neither")]
)
def test_a_model_is_sorted_by_where_it_looks(drawn, shift, offset, circuit):
    seen = circuits.look(looking(drawn, shift, offset), drawn)
    assert circuits.classify(float(seen.on_cue.mean()), float(seen.on_answer.mean()), 0.5) == circuit
    assert seen.cue_to_next == [shift == NEXT]
    assert seen.answer_to_previous == [shift == PREVIOUS]


def test_half_of_the_weight_is_no_majority():
    assert circuits.classify(0.5, 0.5, 0.5) == "neither"


def test_attention_by_offset_is_counted_from_the_answer(drawn):
    last = looking(drawn, NEXT, -1).attention[1][:, 0, 0]
    assert circuits.by_offset(last, drawn, [-2, -1, 0, 1]).tolist() == [0, 1, 0, 0]


def test_a_cut_takes_its_edges_and_no_others(weights, drawn):
    for shift in (NEXT, PREVIOUS):
        allowed = circuits.cut(LENGTH, shift)
        first = forward(weights, drawn.tokens, allowed={1: allowed}).attention[0]
        gap = np.arange(LENGTH) - np.arange(LENGTH)[:, np.newaxis]
        assert (first[..., gap == shift] == 0).all()
        assert (first[..., gap != shift] > 0).all()


def test_a_cut_in_one_head_leaves_the_other_whole(weights, drawn):
    allowed = circuits.cut(LENGTH, PREVIOUS, heads=[1], num_heads=HEADS)
    whole = forward(weights, drawn.tokens).attention[0]
    first = forward(weights, drawn.tokens, allowed={1: allowed}).attention[0]
    assert (first[:, 0] == whole[:, 0]).all()
    assert (first[:, 1, 3, 2] == 0).all()


def test_an_edge_is_cut_in_its_own_sequence_alone(weights, drawn):
    allowed = circuits.cut_edge(LENGTH, drawn.places + 1, drawn.places)
    first = forward(weights, drawn.tokens, allowed={1: allowed}).attention[0]
    rows = np.arange(len(drawn.places))
    assert (first[rows, :, drawn.places + 1, drawn.places] == 0).all()
    assert ((first == 0).sum(axis=(1, 2, 3)) == HEADS).all()


def test_a_hidden_position_is_seen_by_itself_alone(weights, drawn):
    allowed = circuits.hide(LENGTH, drawn.places)
    first = forward(weights, drawn.tokens, allowed={1: allowed}).attention[0]
    rows = np.arange(len(drawn.places))
    seen = first[rows, :, :, drawn.places] > 0  # (sequences, heads, queries)
    assert (seen.sum(axis=-1) == 1).all()
    assert seen[rows, :, drawn.places].all()


def test_a_model_that_gets_its_own_outputs_back_answers_as_before(weights, drawn):
    trace = forward(weights, drawn.tokens)
    again = forward(weights, drawn.tokens, edit=lambda block, heads: trace.heads[block - 1])
    np.testing.assert_allclose(again.logits, trace.logits)


def test_a_transplant_changes_what_is_answered(weights, drawn):
    moved = circuits.transplant(weights, drawn, causal=False)
    assert all(0 <= share <= 1 for share in moved)
    assert sum(moved) <= 1
    assert 0 <= circuits.copied(weights, drawn, causal=False) <= 1


def test_of_a_moved_gap_the_last_query_is_told_and_nobody_else(weights, drawn, monkeypatch):
    """With weights exchanged by hand, the output of block 1 differs at the last position alone."""
    edited = {}

    def watched(weights, tokens, *, causal=False, edit=None, **more):
        def kept(block, heads):
            made = edit(block, heads)
            edited[block] = (heads, made)
            return made

        return forward(weights, tokens, causal=causal, edit=kept if edit else None, **more)

    monkeypatch.setattr(gaps, "forward", watched)
    gaps.move_gap(weights, drawn, causal=False)
    before, after = edited[1]
    assert np.array_equal(before[:, :, :-1], after[:, :, :-1])
    rows, other = np.arange(len(drawn.places)), np.roll(drawn.places, 1)
    own = forward(weights, drawn.tokens).attention[0][:, :, -1]
    values = gaps._values(weights, forward(weights, drawn.tokens).inputs[0])
    moved = own[rows, :, other] - own[rows, :, drawn.places]  # what the cue gains and the other loses
    gained = values[rows, :, drawn.places] - values[rows, :, other]
    assert np.allclose(after[:, :, -1], before[:, :, -1] + moved[..., np.newaxis] * gained)
    assert np.array_equal(*edited[2])
