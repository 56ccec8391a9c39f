"""How the lookup of `scale` is trained, in the page's figures, in the grid, and from fresh seeds alike.

A lookup over as many pairs as `scale` has keys; sixteen symbols, so that keys differ from sequence to
sequence; eight values, so that guessing is worth little. A fresh batch at each update.
"""

TRAINING = {
    "key_dim": 256,
    "length": 12,
    "symbols": 16,
    "values": 8,
    "steps": 1_000,
    "every": 20,
    "batch": 64,
    "test_sequences": 1_000,
}
