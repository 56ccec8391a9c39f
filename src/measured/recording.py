"""Writing a build's receipt: what it looked at, and what it left, so that the next one need not.

Each part is hashed before the work that rests on it and again after it: a receipt says what the work saw, or
there is none. What `measured.unchanged` reads is written here; what it holds is asked of the same places as
the whole way asks, and of whatever of the project was opened meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from measured import files, unchanged, vouched_json
from measured.gate import prose, publishable, verdicts
from measured.making import confirming, fingerprint, watching, workflow
from measured.making.fingerprint import HashOfCode, hash_of_code
from measured.making.watching import WholeWatch, hash_of_part
from measured.project import Project
from measured.results import remeasuring
from measured.site import product
from measured.site.product import SiteProduct
from measured.unchanged import Parts


class Recording:
    """What a build looks at, from its beginning on.

    Args:
        project: what is built.
        asked: with which options; None where nothing is kept, because the process began before the build.
        code: hashes a file of code, where somebody knows some of them.
    """

    def __init__(
        self, project: Project, asked: Sequence[str] | None, code: HashOfCode = hash_of_code
    ) -> None:
        self._code = code
        self._project, self._root, self._asked = project, str(project.root), asked
        self._path = project.build / unchanged.NAME
        self._measured: Parts | None = None
        self._before: Parts = {}
        self._said: dict[str, list[str]] = {"measured": [], "made": []}
        self._stack = ExitStack()
        self._watch: WholeWatch | None = None

    def __enter__(self) -> Recording:
        if self._asked is not None:
            apart = (self._project.build, self._project.site, fingerprint.file_of(fingerprint.ENGINE).parent)
            self._watch = watching.begin_with(WholeWatch(self._project.root, apart, code=self._code))
            self._stack.callback(watching.end, self._watch)
            self._stack.enter_context(watching.watching_environment(self._watch))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        if error[0] is not None:
            self._path.unlink(missing_ok=True)

    def is_measured(self, say: Callable[[str], None]) -> bool:
        """Whether nothing has changed of what plan, gate and claims looked at; say then what they said."""
        receipt = unchanged.read(str(self._path)) if self._asked is not None else None
        if receipt is None or receipt["asked"] != self._asked:
            return False
        if not unchanged.is_as_it_was(receipt["measured"], self._root):
            return False
        stamps = set(_stamps(self._project))
        self._measured = {part: sha for part, sha in receipt["measured"].items() if part not in stamps}
        self._said["measured"] = receipt["said_of_measured"]
        for line in self._said["measured"]:
            say(line)
        return True

    def before_plan(self) -> None:
        """A plan is about to be made: what it finds is that of now, unless it changes meanwhile."""
        if self._watch is not None:
            self._before = unchanged.hashes_of(_looked_at(self._project), self._root)

    def after_measuring(self, jobs: Iterable[workflow.Job], said: list[str]) -> None:
        """Plan, gate and claims have passed; what they looked at since the plan is still that."""
        if self._watch is None:
            return
        read = {part: sha for job in jobs for part, sha in job.found.items() if watching.is_read(part)}
        below = tuple(f"{p.removeprefix('tree ')}/" for p in self._before if p.startswith("tree "))
        apart = {part: sha for part, sha in read.items() if not part.partition(" ")[2].startswith(below)}
        self._measured = self._still(self._before, self._watch.read, apart)
        self._said["measured"] = said

    def also_said(self, said: Sequence[str]) -> None:
        """What was looked at besides, while the site was made, has passed too."""
        self._said["measured"] = [*self._said["measured"], *said]

    def refuse_change(self) -> None:
        """What was measured is still what stands there: an edit while the site was made is not published.

        Raises:
            MeasuredError: something is stale, or was not compared as it stands; names it.
        """
        if self._measured is not None and unchanged.is_as_it_was(self._measured, self._root):
            return
        if self._project.quick:
            workflow.refuse_stale(self._project)
        else:
            publishable.refuse(publishable.reasons_against(self._project))

    @property
    def state(self) -> str:
        """All that was measured, and what it was measured with, as one hash; empty where it is not known."""
        return fingerprint.digest(self._measured) if self._measured is not None else ""

    def before_making(self) -> None:
        """The site is about to be made, or found as it was."""
        if self._watch is not None:
            self._before = unchanged.hashes_of(_made_from(self._project), self._root)

    def after_making(self, site: SiteProduct, said: list[str]) -> None:
        """The site stands; keep what this build was made from, if it still is that."""
        if self._watch is None:
            return
        vouched = site.vouched()
        found = vouched.fingerprint if vouched is not None else {}
        read = {part: sha for part, sha in found.items() if watching.is_read(part)}
        made = self._still(self._before, self._watch.read, read)
        self._said["made"] = said
        if made is None or self._measured is None or vouched is None:
            self._path.unlink(missing_ok=True)
            return
        standing = (*site.files, prose.stamp_of(self._project))
        left = [_file(path, self._project) for path in standing]
        stamps = unchanged.hashes_of(_stamps(self._project), self._root)
        # What was just hashed is not hashed again; whatever became of it since, the next build will see.
        tree = {f"tree {_below(site.target, self._project.root)}": vouched.tree}
        receipt = {
            "asked": list(self._asked or ()),
            "measured": {**self._measured, **stamps},
            "made": {**made, **unchanged.hashes_of(left, self._root), **tree},
            **{f"said_of_{what}": lines for what, lines in self._said.items()},
        }
        files.write_bytes(self._path, vouched_json.as_bytes(receipt))

    def _still(self, before: Parts, opened: Mapping[str, str], read: Mapping[str, str]) -> Parts | None:
        """Everything that was looked at, as it is now; None where some of it changed meanwhile."""
        now = unchanged.hashes_of((*before, *opened, *map(watching.as_written, read)), self._root)
        same = all(now[part] == sha for part, sha in (*before.items(), *opened.items()))
        same = same and all(
            hash_of_part(part, self._project.root, self._code) == sha for part, sha in read.items()
        )
        return now if same else None


def _looked_at(project: Project) -> list[str]:
    """What plan, gate and claims look at, besides what they open and what was opened for what they find."""
    code = [fingerprint.file_of(name).parent for name in (*project.packages, fingerprint.ENGINE)]
    kept = [project.stored, project.confirmations_folder]
    made = [project.records, project.runs, project.drawings]
    names = ("pyproject.toml", project.lock, project.costs, "scripts/vendor.py")
    inputs = [*(project.root / name for name in names), project.palette_file]
    return [
        *_of_software(project),
        *(_tree(folder, project) for folder in (*code, *kept, *made)),
        *(_file(path, project) for path in inputs),
    ]


def _stamps(project: Project) -> list[str]:
    """What gate and repetitions leave."""
    names = (confirming.STAMP, remeasuring.STAMP)
    stamps = (verdicts.stamp_of(project), *(project.build / name for name in names))
    return [_file(path, project) for path in stamps]


def _made_from(project: Project) -> list[str]:
    """What goes into a site, besides what was measured and what is opened for it."""
    return [
        *_of_software(project),
        *(_tree(folder, project) for folder in product.folders_of(project).values()),
        *(f"file {name}" for name in product.settings_and_hooks(project.root)),
    ]


def _of_software(project: Project) -> list[str]:
    packages = (f"package {name}" for name in (*project.packages, fingerprint.ENGINE))
    return ["python", "installed", "commit .", *packages]


def _below(path: Path, root: Path) -> str:
    """A path as parts name it: below the project's folder where it is there."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _file(path: Path, project: Project) -> str:
    return f"file {_below(path, project.root)}"


def _tree(folder: Path, project: Project) -> str:
    return f"tree {_below(folder, project.root)}"
