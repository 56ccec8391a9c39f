"""Runs made by other machines: a Dask scheduler hands them to workers, each in a clone of its own."""
