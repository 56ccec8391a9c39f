"""What a word costs each speller, against counts by hand."""

import pytest

from attention_from_scratch import decoding, speller_costs
from attention_from_scratch.experiments import spelling_plan as plan
from attention_from_scratch.tasks.spelling import SOUND_TOKENS


def test_a_recurrent_speller_by_hand():
    """Two units: two gates' worth of products each way, a decoder of four."""
    read = 2 * 5 * 4 * 2 * (64 + 2)
    said = 3 * (4 * 4 * (64 + 4) + 4 * SOUND_TOKENS)
    assert speller_costs.multiply_adds("lstm", {"units": 2}, 5, 3) == read + said
    looked = 3 * (4 * 4 * 4 + 4 * 4 + 2 * 5 * 4 + 8 * 4)
    assert speller_costs.multiply_adds("lstm_attention", {"units": 2}, 5, 3) == read + said + looked


def test_a_gru_has_three_gates_for_an_lstms_four():
    lstm, gru = (speller_costs.multiply_adds(cell, {"units": 8}, 6, 1) for cell in ("lstm", "gru"))
    logits = 16 * SOUND_TOKENS
    assert (gru - logits) * 4 == (lstm - logits) * 3


def test_a_transformer_is_its_encoder_and_its_decoder():
    sizes = {"width": 8, "num_heads": 2, "feed_forward": 12, "blocks": 1}
    encoder = 5 * (4 * 64 + 2 * 8 * 12) + 2 * 25 * 8
    decoder = decoding.cost(
        3, 5, d_model=8, num_heads=2, feed_forward=12, blocks=1, target_tokens=SOUND_TOKENS
    )
    assert speller_costs.multiply_adds("transformer", sizes, 5, 3) == encoder + decoder.multiply_adds


@pytest.mark.parametrize("model", plan.MODELS)
def test_models_of_one_size_cost_about_alike(model):
    costs = {name: speller_costs.multiply_adds(name, sizes, 7, 7) for name, sizes in plan.MODELS.items()}
    assert 0.5 < costs[model] / costs["transformer"] < 2
