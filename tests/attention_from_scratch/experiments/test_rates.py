"""How a rate is chosen: the rule goes on where the best is at an end, and ends with the ladder."""

import pytest

from attention_from_scratch.experiments import rates


def tried(merits):
    """What the rule names, trial by trial, until it names nothing new."""
    made = {}
    while missing := [rate for rate in rates.rates_tried(made.get) if rate not in made]:
        assert rates.chosen_rate(made.get) is None
        made[missing[0]] = merits[missing[0]]
    return rates.rates_tried(made.get), rates.chosen_rate(made.get)


@pytest.mark.parametrize(
    ("merits", "expected", "chosen"),
    [
        ({1e-3: 0.1, 3e-3: 0.3, 1e-2: 0.2}, [1e-3, 3e-3, 1e-2], 3e-3),
        ({1e-3: 0.1, 3e-3: 0.2, 1e-2: 0.3, 3e-2: 0.4, 1e-1: 0.0}, [1e-3, 3e-3, 1e-2, 3e-2, 1e-1], 3e-2),
        ({3e-4: 0.1, 1e-3: 0.3, 3e-3: 0.2, 1e-2: 0.1}, [3e-4, 1e-3, 3e-3, 1e-2], 1e-3),
        ({1e-3: 0.1, 3e-3: 0.2, 1e-2: 0.3, 3e-2: 0.4, 1e-1: 0.5}, [1e-3, 3e-3, 1e-2, 3e-2, 1e-1], 1e-1),
        ({1e-3: 0.5, 3e-3: 0.5, 1e-2: 0.5, 3e-4: 0.5, 1e-4: 0.5}, [1e-4, 3e-4, 1e-3, 3e-3, 1e-2], 1e-4),
    ],
    ids=["inside", "upwards", "downwards", "to the ladder's end", "of equals the lowest"],
)
def test_a_best_rate_at_an_end_is_not_the_end(merits, expected, chosen):
    assert tried(merits) == (expected, chosen)
