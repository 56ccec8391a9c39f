"""The one error that the engine raises for what a person can mend."""

from __future__ import annotations

from pathlib import Path


class MeasuredError(Exception):
    """Bad input, told once: where, what is wrong, what was expected, how to mend it.

    Args:
        problem: one sentence, what is wrong.
        path: the file that holds the fault, if one does.
        line: its line there, counted from 1.
        expected: what would have been right.
        mend: what to type or to change.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        expected: str = "",
        mend: str = "",
    ) -> None:
        self.problem = problem
        self.path = path
        self.line = line
        self.expected = expected
        self.mend = mend
        super().__init__(str(self))

    def __reduce__(self):  # keeps the parts when the error crosses from a worker process
        return _rebuild, (self.problem, self.path, self.line, self.expected, self.mend)

    def __str__(self) -> str:
        where = ""
        if self.path is not None:
            where = f"{self.path}:{self.line}: " if self.line is not None else f"{self.path}: "
        lines = [f"{where}{self.problem}"]
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.mend:
            lines.append(f"  to mend: {self.mend}")
        return "\n".join(lines)


def _rebuild(problem, path, line, expected, mend) -> MeasuredError:
    return MeasuredError(problem, path=path, line=line, expected=expected, mend=mend)
