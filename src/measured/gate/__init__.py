"""Stored values, comparing, accepting."""
