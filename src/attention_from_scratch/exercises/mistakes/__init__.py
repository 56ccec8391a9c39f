"""One module an exercise: wrong solutions that people really write, each of which a property rejects."""
