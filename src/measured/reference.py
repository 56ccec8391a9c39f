"""The reference of whatever an author writes, as a page of Markdown, read from docstrings by griffe."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

import click

from measured.making.fingerprint import ENGINE, file_of
from measured.project import Project
from measured.site import schemas

# What authors write, by the question that they come with.
SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "Experiments": {
        "experiment": ("Experiment", "Findings", "Run", "Table", "Cell"),
        "scope": ("Scope",),
    },
    "Measurements": {
        "family": ("Family", "rows", "table"),
        "measurement": ("Measurement", "Exact", "Close", "AtMost", "AtLeast", "Spread"),
    },
    "Claims": {
        "claims": ("Claim", "Verdict", "below", "above", "between", "equal", "rises", "falls", "every"),
    },
    "Worlds in which a claim is false": {
        "null": (
            "instead",
            "swapped",
            "flat",
            "permuted",
            "relabelled",
            "one_seed",
            "becomes",
            "planted",
            "with_values",
            "with_array",
        ),
    },
    "Fresh seeds and long studies": {"trial": ("Trial", "Confirmation", "Study", "read_outcomes")},
    "Figures": {"drawing": ("Plot", "Drawing", "Palette", "subplots", "given")},
    "Errors": {"": ("MeasuredError",)},
}
_OPENING = """\
---
title: Reference
description: Terms, commands and settings for authors of such sites, from the engine's own docstrings.
search:
  boost: 0.5
---

# Reference

Whatever you write for such a site, from the engine's own docstrings. How a page refers to it stands in
[Write pages](pages.md).
"""

_DATA = """\
---
title: The site's data
description: The files that such a site publishes beside its pages, and what they hold.
---

# The site's data

A site publishes what its pages rest on, for whoever wants to compute with it.

| file | holds |
|---|---|
| `measurements.json` | each measurement: value, tolerance, seeds, source, pages |
| `claims.json` | each claim: words, sentence, the worlds in which it is false, margin |
| `records/NAME.json`, `.npz` | what one experiment found, and its arrays |
| `data/tables/NAME.csv` | a table, with its values in full |
| `data/figures/NAME.svg`, `.csv` | a figure, and the data that it draws |
| `PAGE.ipynb` | a page with cells, as an executed notebook |

The first two have schemas with a version in their name. What would break a reader (a key that goes, or means
something else) makes the next version, published under its own name; a new key does not. Each build checks
its files against them.
"""


def page() -> str:
    """The whole page."""
    sections = (_section(title, modules) for title, modules in SECTIONS.items())
    return "\n".join([_OPENING, *sections, _settings(), _commands()])


def names() -> Iterator[tuple[str, str]]:
    """Module and name of everything that is described."""
    for modules in SECTIONS.values():
        for module, listed in modules.items():
            yield from ((_path(module), name) for name in listed)


def _path(module: str) -> str:
    return f"measured.terms.{module}" if module else "measured.errors"


def _section(title: str, modules: dict[str, tuple[str, ...]]) -> str:
    lines = [f"## {title}\n"]
    for module, listed in modules.items():
        path = _path(module)
        found = _read(path)
        for name in listed:
            lines += _member(found[name], path)
    return "\n".join(lines)


def _read(path: str) -> Any:
    """A module as its source has it; its room is read, once, and not the whole engine."""
    room, _, module = path.removeprefix(f"{ENGINE}.").partition(".")
    loader = _loader()
    if room not in loader.modules_collection:
        loader.load(room)
    found = loader.modules_collection[room]
    return found[module] if module else found


@cache
def _loader() -> Any:
    import griffe

    return griffe.GriffeLoader(search_paths=[file_of(ENGINE).parent], docstring_parser=griffe.Parser.google)


def _member(found: Any, module: str) -> Iterator[str]:
    yield f"### `{found.name}` {{#{found.name}}}\n"
    yield f"```py\nfrom {module} import {found.name}\n\n{_signature(found)}\n```\n"
    yield from _described(found)
    if not found.is_class:
        return
    for name, method in found.members.items():
        if method.is_function and not name.startswith("_") and method.docstring:
            yield f"#### `{found.name}.{name}` {{#{found.name}.{name}}}\n"
            yield f"```py\n{_signature(method)}\n```\n"
            yield from _described(method)


def _signature(found: Any) -> str:
    """How it is called."""
    if found.is_class:
        parameters = [p for p in found.parameters if p.name != "self"]
    else:
        parameters = [p for p in found.parameters if p.name not in ("self", "cls")]
    shown, starred = [], False
    for p in parameters:
        kind = getattr(p.kind, "value", "")
        if kind == "keyword-only" and not starred:
            shown.append("*")
            starred = True
        star = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        starred = starred or kind == "variadic positional"
        default = f" = {p.default}" if p.default is not None and not star else ""
        shown.append(f"{star}{p.name}{default}")
    one_line = f"{found.name}({', '.join(shown)})"
    if len(one_line) <= 90:
        return one_line
    return "\n".join([f"{found.name}(", *(f"    {part}," for part in shown), ")"])


def _described(found: Any) -> Iterator[str]:
    for section in found.docstring.parsed if found.docstring else ():
        kind = section.kind.value
        if kind == "text":
            yield f"{_prose(section.value)}\n"
        elif kind in ("parameters", "other parameters"):
            yield "\n".join(f"- `{p.name}`: {_line(p.description)}" for p in section.value) + "\n"
        elif kind == "returns":
            yield "\n".join(f"Returns: {_prose(r.description)}" for r in section.value) + "\n"
        elif kind == "raises":
            yield "\n".join(f"Raises `{r.annotation}`: {_prose(r.description)}" for r in section.value) + "\n"


def _prose(text: str) -> str:
    """A docstring as Markdown: its indented examples are code."""
    text = re.sub(r"(?<!`)\{\{ ?([^`]*?) ?\}\}(?!`)", r"`{{ \1 }}`", text.strip())
    return re.sub(r"<(?=[a-zA-Z/])", "&lt;", text)


def _line(text: str) -> str:
    return " ".join(_prose(text).split())


def data_page() -> str:
    """The page on the site's data, from its schemas."""
    lines = [_DATA]
    for name, schema in schemas.VERSIONS.items():
        found = schemas.schema_of(name)
        lines += [
            f"## {name}\n",
            f"{found['description']} Schema: [{schema}](../{schemas.FOLDER}/{schema}).\n",
        ]
        lines += ["| key | holds |", "|---|---|"]
        keys = found["items"]["properties"].items()
        lines += [f"| `{key}` | {of.get('description', '')} |" for key, of in keys]
        lines.append("")
    return "\n".join(lines)


def _settings() -> str:
    """The keys of `[tool.measured]`, from the class that reads them."""
    import griffe

    parsed = griffe.load("measured.project", docstring_parser="google")["Project"].docstring.parsed
    words = {p.name: p.description for s in parsed if s.kind.value == "parameters" for p in s.value}
    lines = [
        "## Settings {#settings}\n",
        "In `[tool.measured]` of `pyproject.toml`:\n",
        "| key | means | default |",
        "|---|---|---|",
    ]
    for one in fields(Project):
        if one.name in ("root", "quick", "output"):
            continue
        default = "must be there" if one.default is MISSING else f"`{_written(one.default)}`"
        lines.append(f"| `{one.name}` | {' '.join(words[one.name].split())} | {default} |")
    return "\n".join(lines) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{one}"' for one in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _commands() -> str:
    """What can be typed, from the command line itself."""
    from measured.commands import cli

    lines = ["## Commands {#commands}\n", "`measured --help` says the same.\n"]
    for name, command in sorted(cli.commands.items()):
        context = click.Context(command, info_name=f"measured {name}")
        lines.append(f"### `measured {name}` {{#measured-{name}}}\n")
        lines.append(f"```sh\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n")
        lines.append(f"{_prose(inspect.cleandoc(command.help or ''))}\n")
        options = [p.get_help_record(context) for p in command.params if isinstance(p, click.Option)]
        lines += [f"- `{record[0]}`: {record[1]}" for record in filter(None, options)]
        lines.append("")
    return "\n".join(lines)
