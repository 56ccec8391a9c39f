"""The figures, by the experiments whose records they draw. Importing this imports no Matplotlib."""

FIGURES = []
