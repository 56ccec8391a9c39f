"""What a process is asked to make, and what it hands back: plain data and bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from measured.making.fingerprint import Fingerprint
from measured.project import Project

OUTCOME = "outcome.json"  # what the run of a trial or study hands back


@dataclass(frozen=True)
class Order:
    """What is to be made; plain data, to cross to another process.

    Args:
        project: the project's settings.
        kind: `run`, `record`, `figure` or `outcome`.
        name: of the experiment, the figure, or of the trial or study.
        run: of the long run.
        inputs: what it is going to be made from, as the plan has it.
        known: the outcomes that a study has so far; its next runs may depend on them.
        shares: orders with the same word share their modules, and what these compiled; empty for none.
        compiles: whether models are compiled; a few steps are sooner made without.
    """

    project: Project
    kind: str
    name: str
    run: str = ""
    inputs: Fingerprint = field(default_factory=dict)
    known: Mapping[str, Any] = field(default_factory=dict)
    shares: str = ""
    compiles: bool = True


@dataclass(frozen=True)
class Outcome:
    """What was made.

    Args:
        files: content by path, below the folder of everything generated; the one that vouches comes last.
        seconds: that it took.
        memory: the most that the process held, in bytes.
        printed: the end of what was written to its output.
        environment: Python, versions, CPU class and settings of the process that worked.
        processor: seconds of the processor's that it took.
        elsewhere: whether another machine made it, or may have.
    """

    files: Mapping[str, bytes]
    seconds: float
    memory: int
    printed: str = ""
    environment: Mapping[str, Any] = field(default_factory=dict)
    processor: float = 0.0
    elsewhere: bool = False
