"""One module an exercise: what every correct solution has in common, one function a property."""
