"""How far the work is: a live table on a terminal, a line every few seconds where there is none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

EVERY = 5.0  # seconds between two lines
SURE = 60.0  # seconds after which the end that is expected is worth a look at the clock


class Progress:
    """What is done, what is left, and when it will be done.

    Args:
        expected: seconds that each piece of work may take.
        workers: how many work at the same time.
        say: receives lines.
        live: whether to draw a table; None asks the terminal.
    """

    def __init__(
        self,
        expected: Sequence[float],
        workers: int,
        say: Callable[[str], None],
        live: bool | None = None,
    ) -> None:
        self._count, self._workers, self._say = len(expected), max(1, workers), say
        self._left = sum(expected)
        self._done = 0
        self._expected_so_far = self._taken_so_far = 0.0
        self._busy: dict[int, tuple[str, float]] = {}
        self._live = sys.stdout.isatty() if live is None else live
        self._table: Any = None
        self._began = self._last = time.monotonic()

    def __enter__(self) -> Self:
        if self._live and self._count:
            from rich.live import Live

            self._table = Live(self._drawn(), refresh_per_second=4, transient=True)
            self._table.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._table is not None:
            self._table.__exit__(*error)

    def begins(self, worker: int, name: str) -> None:
        """A worker has begun a piece of work."""
        self._busy[worker] = name, time.monotonic()

    def ends(self, worker: int, expected: float, taken: float) -> None:
        """A worker has done it, or failed."""
        self._busy.pop(worker, None)
        self._done += 1
        self._left -= expected
        self._expected_so_far += expected
        self._taken_so_far += taken

    def show(self) -> None:
        """Draw the table anew, or say a line if the last one is some seconds old."""
        if self._table is not None:
            self._table.update(self._drawn())
        elif time.monotonic() - self._last >= EVERY and self._done < self._count:
            self._last = time.monotonic()
            busy = ", ".join(name for name, _ in self._busy.values())
            self._say(f"  {self.in_words()}{'; now ' if busy else ''}{busy}")

    def in_words(self) -> str:
        """Done, left, and when the rest will be done."""
        left = self._count - self._done
        seconds = self.seconds_left()
        said = f"{self._done} of {self._count} done, {left} left, {_duration(seconds)}"
        if seconds is None or time.monotonic() - self._began < SURE:
            return said
        return f"{said}, until {time.strftime('%H:%M', time.localtime(time.time() + seconds))}"

    def seconds_left(self) -> float | None:
        """What the rest will take, by what the first pieces took; None before any is done."""
        if not self._expected_so_far or not self._taken_so_far:
            return None
        return max(self._left, 0.0) * self._taken_so_far / self._expected_so_far / self._workers

    def _drawn(self) -> Any:
        from rich.table import Table

        table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
        for name, since in self._busy.values():
            table.add_row(name, f"{time.monotonic() - since:.0f} s")
        table.add_row(self.in_words())
        return table


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "not known yet how long"
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"
