"""What crosses between the machine that builds and a worker: plain data and bytes, no objects of ours.

A scheduler needs none of our code to pass it on, and neither side believes a class of the other's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from measured.errors import MeasuredError
from measured.making.order import Order, Outcome
from measured.project import Project

KILLED, REFUSED, FAILED, STOPPED, MADE = "killed", "refused", "failed", "stopped", "made"

Message = dict[str, Any]


def of_order(order: Order) -> Message:
    """An order without the folders of the machine that gives it."""
    return {
        "quick": order.project.quick,
        "kind": order.kind,
        "name": order.name,
        "run": order.run,
        "inputs": dict(order.inputs),
        "known": dict(order.known),
        "shares": order.shares,
        "compiles": order.compiles,
    }


def order_from(message: Message, project: Project) -> Order:
    """The same for the clone in which it is worked on."""
    fields = {
        name: message[name] for name in ("kind", "name", "run", "inputs", "known", "shares", "compiles")
    }
    return Order(replace(project, quick=message["quick"]), **fields)


def of_outcome(outcome: Outcome) -> Message:
    """What was made."""
    return {
        "state": MADE,
        "files": dict(outcome.files),
        "seconds": outcome.seconds,
        "processor": outcome.processor,
        "memory": outcome.memory,
        "printed": outcome.printed,
        "environment": dict(outcome.environment),
    }


def outcome_from(message: Message) -> Outcome:
    """The same as an outcome; its files are looked at by whoever stores them."""
    found, environment = message["files"], message["environment"]
    if not all(isinstance(name, str) and isinstance(data, bytes) for name, data in found.items()):
        raise MeasuredError("the worker sent something else than files")
    return Outcome(
        found,
        float(message["seconds"]),
        int(message["memory"]),
        str(message["printed"]),
        dict(environment),
        float(message["processor"]),
        elsewhere=True,
    )


def of_failure(error: MeasuredError) -> Message:
    """What went wrong, in the parts that people are told."""
    path = None if error.path is None else str(error.path)
    told = {"problem": error.problem, "path": path, "line": error.line, "expected": error.expected}
    return {"state": FAILED, **told, "mend": error.mend}


def failure_from(message: Message) -> MeasuredError:
    """The same as an error."""
    fields = {name: message[name] for name in ("path", "line", "expected", "mend")}
    return MeasuredError(message["problem"], **fields)
