"""The woven pages as a folder of plain Markdown, for another site generator or for a comparison."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException
from mkdocs.structure.files import get_files

from measured.errors import MeasuredError
from measured.project import Project


def export(project: Project, target: Path) -> int:
    """Write every woven page, and every file that the pages refer to.

    Args:
        project: measured and drawn.
        target: a folder, emptied first.

    Returns:
        How many pages were written.

    Raises:
        MeasuredError: a page cannot be woven.
    """
    config = load_config(str(project.root / "mkdocs.yml"))
    plugin = config.plugins["measured"]
    try:
        config.plugins.on_startup(command="build", dirty=False)
        config = config.plugins.on_config(config)
        files = config.plugins.on_files(get_files(config), config=config)
    except MkDocsException as error:
        raise MeasuredError(str(error)) from None
    shutil.rmtree(target, ignore_errors=True)
    for file in files:
        path = target / file.src_uri
        path.parent.mkdir(parents=True, exist_ok=True)
        page = plugin.pages.get(file.src_uri)
        if page is None:
            path.write_bytes(file.content_bytes)
        else:
            path.write_text(_front_matter(page.meta) + page.woven.markdown, encoding="utf-8")
    return len(plugin.pages)


def _front_matter(meta: Mapping[str, Any]) -> str:
    """What a page says of itself, without the notebook's part: the cells have run."""
    kept = {key: value for key, value in meta.items() if key != "jupyter"}
    return f"---\n{yaml.safe_dump(kept, sort_keys=False)}---\n\n" if kept else ""
