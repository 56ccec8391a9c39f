"""Throw dice."""
