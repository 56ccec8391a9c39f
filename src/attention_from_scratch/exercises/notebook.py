"""An exercise as a notebook that runs by itself: starter and checks inside, nothing needed but NumPy.

The same source gives the same bytes: cell ids are counted, and nothing has a date.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from attention_from_scratch.exercises import checking
from attention_from_scratch.exercises.catalogue import EXERCISES
from attention_from_scratch.exercises.exercise import Exercise

FOLDER = "exercises/notebooks"


def published() -> Iterator[tuple[str, str]]:
    """Where each notebook is published, as the site sees it from its root, and its text."""
    for exercise in EXERCISES:
        yield f"{FOLDER}/{exercise.slug}.ipynb", as_text(notebook(exercise))


def notebook(exercise: Exercise) -> dict[str, Any]:
    """The notebook (nbformat 4.5) of one exercise, as plain data."""
    name = exercise.name
    cells = [
        ("markdown", _task(exercise), {}),
        ("code", _source(exercise.starter, "import numpy as np"), {}),
        (
            "markdown",
            "Run the next two cells. The first defines the checks: read it when you want to know more.",
            {},
        ),
        ("code", _checks(exercise), {"jupyter": {"source_hidden": True}}),
        ("code", f'print(report("{name}", examine({name}, PROPERTIES)))', {}),
        ("markdown", "A worked solution is in the next cell, folded. Running it replaces your function.", {}),
        ("code", _source(exercise.solution), {"jupyter": {"source_hidden": True}}),
    ]
    return {
        "cells": [_cell(number, *cell) for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def as_text(content: dict[str, Any]) -> str:
    """A notebook as nbformat writes it: one blank an indent, keys in order, a line break at the end."""
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _task(exercise: Exercise) -> str:
    lines = [
        f"# {exercise.number}. {exercise.title}",
        "",
        f"Write `{exercise.name}`. It has these properties:",
        "",
    ]
    sentences = (inspect.getdoc(each).partition("\n\n")[0] for each in exercise.properties)
    lines += [f"- {' '.join(sentence.split())}" for sentence in sentences]
    return "\n".join(lines)


def _checks(exercise: Exercise) -> str:
    """The checking code and the properties in one piece, without imports from this project."""
    modules = (checking, import_module(exercise.properties[0].__module__))
    parts = [_without_project_imports(inspect.getsource(module)) for module in modules]
    return "\n\n\n".join(parts)


def _without_project_imports(source: str) -> str:
    lines = (line for line in source.splitlines() if not line.startswith("from attention_from_scratch"))
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip()


def _source(function, *before: str) -> str:
    return "\n\n\n".join([*before, inspect.getsource(function).strip()])


def _cell(number: int, kind: str, source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": metadata, "source": _lines(source)}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)
