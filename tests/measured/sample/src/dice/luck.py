"""A long run: the mean of many throws, for one seed."""

from dice.throwing import throw


def run(draws, seed):
    """The mean of so many throws."""
    return {"mean": throw(draws, seed).mean()}


def mean_of_throws(draws, seed):
    """What a trial keeps of a seed."""
    return {"mean": float(throw(draws, seed).mean()), "highest": int(throw(draws, seed).max())}
