"""What models are taught on: each set of sequences is made from a seed, by NumPy alone."""
