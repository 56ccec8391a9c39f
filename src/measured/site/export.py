"""The woven pages as a folder of plain Markdown, for another site generator or for a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException
from mkdocs.structure.files import get_files

from measured import folders, private_words
from measured.errors import MeasuredError
from measured.files import write_bytes, write_text
from measured.project import Project


def export(project: Project, target: Path) -> int:
    """Write every woven page, and every file that the pages refer to; whole, or nothing.

    Args:
        project: measured and drawn.
        target: a folder that is absent, empty, or of an earlier export.

    Returns:
        How many pages were written.

    Raises:
        MeasuredError: a page cannot be woven, or the folder holds what is not ours.
    """
    target = target.absolute()
    config = load_config(str(project.root / "mkdocs.yml"))
    refuse_target(project, target, Path(config.docs_dir))
    plugin = config.plugins["measured"]
    try:
        config.plugins.on_startup(command="build", dirty=False)
        config = config.plugins.on_config(config)
        files = config.plugins.on_files(get_files(config), config=config)
    except MkDocsException as error:
        raise MeasuredError(str(error)) from None
    made = project.build / "export"
    folders.fresh(made)
    for file in files:
        path = folders.inside(made, file.src_uri)
        page = plugin.pages.get(file.src_uri)
        if page is None:
            write_bytes(path, file.content_bytes)
        else:
            write_text(path, _front_matter(page.meta) + page.woven.markdown)
    private_words.refuse(made, project.root)
    folders.publish(made, target)
    return len(plugin.pages)


def refuse_target(project: Project, target: Path, docs: Path) -> None:
    """Refuse to export over what somebody has made, before anything is woven.

    Raises:
        MeasuredError: the folder is the project, one that holds it, or one of its sources; or it holds files
            that no earlier export has put there.
    """
    where = target.resolve()
    sources = [docs, project.stored, project.site, project.build, project.root / "src", project.root / ".git"]
    within = next((s for s in sources if where.is_relative_to(s.resolve())), None)
    if project.root.is_relative_to(where) or within is not None:
        raise MeasuredError(
            "an export cannot be written over the project, nor into its sources or its site",
            path=target,
            expected="a folder that is absent, empty, or of an earlier export",
            mend="choose another folder",
        )
    folders.refuse_strangers(target)


def _front_matter(meta: Mapping[str, Any]) -> str:
    """What a page says of itself, without the notebook's part: the cells have run."""
    kept = {key: value for key, value in meta.items() if key != "jupyter"}
    return f"---\n{yaml.safe_dump(kept, sort_keys=False)}---\n\n" if kept else ""
