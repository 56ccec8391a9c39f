"""A long run: the mean of many throws, for one seed."""

from dice.throwing import throw


def run(draws, seed):
    """The mean of so many throws."""
    return {"mean": throw(draws, seed).mean()}
