"""Work that is done beside a process's own: handed to workers of this machine, and asked for later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

from measured.making.order import Order, Outcome

if TYPE_CHECKING:
    from measured.making.executor import Executor


class Beside:
    """Workers that go on while this process does something else; what is not asked for ends with the block.

    Each does in turn what it was handed, and keeps what it has imported for all of it.

    Args:
        start: makes the executor; not asked before there is an order.
    """

    def __init__(self, start: Callable[[], Executor]) -> None:
        self._start = start
        self._stack = ExitStack()
        self._executor: Executor | None = None
        self._loads: list[float] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def hand_out(self, orders: Mapping[str, tuple[Order, float]]) -> dict[str, Future[Outcome]]:
        """Hand out orders, the longest first, each to the worker that has the least to do.

        Args:
            orders: by name, each with the seconds that it may take. None waits for another.

        Returns:
            What each will give, by name.
        """
        if self._executor is None and orders:
            self._executor = self._stack.enter_context(self._start())
            self._loads = [0.0] * self._executor.workers
        given = {}
        for name, (order, seconds) in sorted(orders.items(), key=lambda item: (-item[1][1], item[0])):
            worker = self._loads.index(min(self._loads))
            self._loads[worker] += seconds
            given[name] = self._executor.submit(worker, order)
        return given

    def folder(self, parent: Path, prefix: str) -> Path:
        """A folder for what comes of it; it goes with the block."""
        parent.mkdir(parents=True, exist_ok=True)
        return Path(self._stack.enter_context(TemporaryDirectory(dir=parent, prefix=prefix)))
