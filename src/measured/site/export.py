"""The woven pages as a folder of plain Markdown, for another site generator or for a comparison."""

from __future__ import annotations

from pathlib import Path

from measured import folders, private_words
from measured.errors import MeasuredError
from measured.mkdocs_yml import SiteSettings
from measured.project import Project
from measured.site.weave_site import weave_site


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
    settings = SiteSettings.load(project.root)
    refuse_target(project, target, settings.docs)
    site = weave_site(project, settings)
    made = project.build / "export"
    folders.fresh(made)
    count = site.write(made)
    private_words.refuse(made, project.root)
    folders.publish(made, target)
    return count


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
