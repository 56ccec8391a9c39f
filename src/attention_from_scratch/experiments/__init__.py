"""One module an experiment: it returns measurements and arrays, and draws nothing."""
