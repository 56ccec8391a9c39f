"""The experiments, in the order in which the pages need them. Importing this imports no framework."""

EXPERIMENTS = []
