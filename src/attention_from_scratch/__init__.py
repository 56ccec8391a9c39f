"""Attention, built from NumPy up and measured against Keras; knows nothing of pages or sites."""
