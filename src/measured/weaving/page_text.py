"""The text of a page: a Markdown file as it is, a notebook as the Markdown that jupytext makes of it.

A notebook's stored outputs are not read: its cells are executed like any others, in the kernel of the
project's own environment, whatever its author called theirs. What it says of its cells in their metadata
becomes what a fence says, if a fence may say it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from measured import files
from measured.errors import MeasuredError

NOTEBOOK = ".ipynb"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SAID = ("tags", "source", "timeout", "alt", "html", "title", "hl_lines", "linenums")


def read_text(path: Path, shown: Path | str) -> str:
    """The text of a page.

    Args:
        path: the file.
        shown: its name in messages.

    Raises:
        MeasuredError: no text in UTF-8, or no notebook whose cells are Python.
    """
    text = files.read_text(path, shown)
    if path.suffix == NOTEBOOK:
        return as_markdown(text, shown)
    if control := _CONTROL.search(text):
        raise MeasuredError(
            f"the page holds the control character U+{ord(control[0]):04X}",
            path=shown,
            line=text.count("\n", 0, control.start()) + 1,
            expected="text that readers can see",
            mend="delete it",
        )
    return text


def as_markdown(notebook: str, shown: Path | str) -> str:
    """A notebook as a page.

    Raises:
        MeasuredError: it is none, or its cells are in another language.
    """
    import jupytext
    import nbformat

    try:
        with_cells = nbformat.reads(notebook, as_version=4)
        nbformat.validate(with_cells)
    except (ValueError, KeyError, AttributeError, TypeError, nbformat.ValidationError) as error:
        raise MeasuredError(
            f"the notebook cannot be read: {str(error).splitlines()[0]}",
            path=shown,
            expected="a notebook that Jupyter opens",
        ) from error
    metadata = with_cells.metadata
    kernel = dict(metadata.get("kernelspec") or {})
    language = kernel.get("language") or (metadata.get("language_info") or {}).get("name") or "python"
    if language.lower() != "python":
        raise MeasuredError(
            f"the notebook's cells are {language}",
            path=shown,
            expected="Python",
            mend="leave it out of the site with exclude_docs in mkdocs.yml",
        )
    with_cells.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        **({"jupytext": metadata["jupytext"]} if "jupytext" in metadata else {}),
    }
    for cell in with_cells.cells:
        cell.metadata = _said_on_fences(cell.metadata) if cell.cell_type == "code" else {}
        cell.pop("attachments", None) if cell.cell_type == "code" else _refuse_attachments(cell, shown)
    return jupytext.writes(with_cells, fmt="md")


def _said_on_fences(metadata: Any) -> dict[str, Any]:
    return {name: value for name, value in json.loads(json.dumps(metadata)).items() if name in _SAID}


def _refuse_attachments(cell: Any, shown: Path | str) -> None:
    if cell.get("attachments"):
        raise MeasuredError(
            f"the notebook holds a picture inside of itself: {', '.join(cell.attachments)}",
            path=shown,
            expected="pictures in files beside the page",
            mend="save the picture as a file, and name it: ![what it shows](picture.png)",
        )
