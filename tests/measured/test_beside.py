"""Work beside a process's own: who does what, when it begins, and that it ends with the block."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from measured.making.beside import Beside


class Workers:
    """Two workers that note what they are handed and never finish anything."""

    def __init__(self):
        self.workers, self.handed, self.ended = 2, [], False

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.ended = True

    def submit(self, worker, order):
        self.handed.append((worker, order))
        return Future()


def test_the_longest_begin_and_what_comes_later_goes_to_whoever_has_less_to_do():
    workers = Workers()
    with Beside(lambda: workers) as beside:
        assert set(beside.hand_out({"a": ("a", 1.0), "b": ("b", 5.0), "c": ("c", 3.0)})) == {"a", "b", "c"}
        assert workers.handed == [(0, "b"), (1, "c"), (1, "a")]
        beside.hand_out({"d": ("d", 2.0)})
        assert workers.handed[-1] == (1, "d")


def test_nobody_is_started_for_nothing_and_everybody_ends_with_the_block(tmp_path):
    with Beside(lambda: pytest.fail("there is nothing to do")) as beside:
        assert beside.hand_out({}) == {}
    workers = Workers()
    with Beside(lambda: workers) as beside:
        beside.hand_out({"a": ("a", 1.0)})
        folder = beside.folder(tmp_path / "build", "again-")
        assert folder.is_dir()
        assert not workers.ended
    assert workers.ended
    assert not folder.exists()
