"""Exercises: starters, properties that any correct solution has, and the mistakes people make."""
