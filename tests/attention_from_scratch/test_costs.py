import pytest

from attention_from_scratch import costs


@pytest.mark.parametrize(("layer", "gates"), [("simple_rnn", 1), ("gru", 3), ("lstm", 4)])
def test_a_recurrent_layer_multiplies_two_square_matrices_a_gate_and_step(layer, gates):
    counted = costs.recurrent(layer, length=10, width=8)
    assert counted.multiply_adds == 10 * gates * 2 * 8 * 8
    assert counted.sequential_steps == 10
    assert counted.path == 9


def test_attention_takes_one_step_and_pays_with_the_square_of_the_length():
    short, long = (costs.attention(n, width=8, num_heads=2) for n in (100, 200))
    assert short.sequential_steps == long.sequential_steps == long.path == 1
    assert long.training_bytes == 4 * short.training_bytes
    assert short.multiply_adds == 4 * 100 * 8 * 8 + 2 * 100 * 100 * 8
    assert long.carried_bytes == 2 * short.carried_bytes


@pytest.mark.parametrize("width", [8, 64])
def test_work_crosses_the_lstm_at_twice_the_width(width):
    # 4 n d² + 2 n² d > 8 n d² from n > 2 d on.
    assert costs.crossing("lstm", width, 1, "multiply_adds") == 2 * width + 1


def test_memory_crosses_sooner_with_more_heads():
    one, four = (costs.crossing("lstm", 64, heads, "training_bytes") for heads in (1, 4))
    assert (one, four) == (129, 33)


def test_what_never_crosses_is_told():
    with pytest.raises(ValueError, match="stays at or below"):
        costs.crossing("lstm", 8, 1, "sequential_steps", longest=50)


def test_an_unknown_layer_is_refused():
    with pytest.raises(ValueError, match="expected one of simple_rnn, gru, lstm"):
        costs.recurrent("transformer", 4, 8)
