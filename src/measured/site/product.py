"""The site as something that is made: from its settings, pages and theme, and from whatever is really read.

What goes into it is asked of its own settings (mkdocs.yml), wherever they say that pages, theme and hooks
are; what a hook, a snippet or a template opens besides is seen while it is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measured import archives, files, unchanged
from measured.errors import MeasuredError
from measured.making.fingerprint import (
    ENGINE,
    Fingerprint,
    HashOfCode,
    file_of,
    hash_of_code,
    hash_of_file,
    python_version,
)
from measured.making.watching import Watch, watching, watching_environment
from measured.mkdocs_yml import NAME, SiteSettings, Tagged
from measured.project import Project


@dataclass(frozen=True)
class Making:
    """A site that is being made.

    Args:
        inputs: what it is made from, as far as that was known before.
        watch: sees what is read meanwhile.
    """

    inputs: Fingerprint
    watch: Watch


@dataclass(frozen=True)
class Vouched:
    """What was written down of a site when it had been made.

    Args:
        fingerprint: what it was made from.
        tree: all its files, as one hash.
    """

    fingerprint: Fingerprint
    tree: str


@dataclass(frozen=True)
class SiteProduct:
    """A finished site.

    Args:
        project: whose it is.
        target: the folder in which it stands.
        code: hashes a file of code, where somebody knows some of them.
    """

    project: Project
    target: Path
    code: HashOfCode = hash_of_code
    name: str = "site"

    @property
    def files(self) -> tuple[Path, ...]:
        """What vouches for it."""
        return (self.project.build / "site.json",)

    def inputs(self) -> Fingerprint:
        """Settings, pages, theme and hooks; records, figures and runs; the engine, and what is installed."""
        root = self.project.root
        parts = {"engine": tree_of(file_of(ENGINE).parent)}
        for name, folder in folders_of(self.project).items():
            parts[f"tree {name}"] = tree_of(folder)
        for built in (self.project.records, self.project.drawings, self.project.runs):
            parts[f"made {built.name}"] = tree_of(built)
        parts["stored values"] = tree_of(self.project.stored)
        parts["confirmations"] = tree_of(self.project.confirmations_folder)
        parts["renderer"] = self.project.renderer
        for path in (*settings_and_hooks(root), *filter(None, [self.project.hooks])):
            parts[f"file {path}"] = hash_of_file(root / path)
        parts["python"] = python_version()
        return parts | {part: unchanged.hash_of(f"{part} .", str(root)) for part in ("installed", "commit")}

    def found(self) -> Fingerprint | None:
        """What the site that stands there was made from.

        Raises:
            MeasuredError: somebody changed it since.
        """
        vouched = self.vouched()
        if vouched is None:
            return None
        if vouched.tree != tree_of(self.target):
            raise MeasuredError("changed by hand", path=self.target)
        return vouched.fingerprint

    def vouched(self) -> Vouched | None:
        """What was written down of the site, whatever became of it since; None where there is nothing.

        Raises:
            MeasuredError: it is damaged.
        """
        (voucher,) = self.files
        if not voucher.exists() or not self.target.is_dir():
            return None
        try:
            data = archives.read_sealed(voucher)
            return Vouched(dict(data["fingerprint"]), str(data["site"]))
        except (MeasuredError, OSError, ValueError, KeyError, TypeError) as error:
            raise MeasuredError("its voucher is not whole", path=voucher) from error

    @contextmanager
    def being_made(self) -> Iterator[Making]:
        """Watch what is read while it is made.

        Raises:
            MeasuredError: something changed meanwhile.
        """
        before = self.inputs()
        apart = (self.project.build, self.target, file_of(ENGINE).parent)
        with watching(self.project.root, apart, self.code) as watch, watching_environment(watch):
            yield Making(before, watch)
        watch.refuse_changes()
        after = self.inputs()
        for part in before:
            if after.get(part) != before[part]:
                raise MeasuredError(
                    f"{part} changed while the site was made from it",
                    expected="pages, theme and records that stay as they are until the site is made",
                    mend="nothing was published; run it again",
                )

    def vouch(self, making: Making) -> None:
        """Write down what the site was made from, and what it is."""
        fingerprint = dict(sorted({**making.watch.read, **making.inputs}.items()))
        voucher = {"fingerprint": fingerprint, "site": tree_of(self.target)}
        files.write_json(self.files[0], archives.sealed(voucher))


def tree_of(folder: Path) -> str:
    """Every file below a folder, by name and content, as one hash."""
    return unchanged.hash_of(f"tree {folder}", "")


def folders_of(project: Project) -> dict[str, Path]:
    """The folders that the site's settings name, by their place below the project's, or as they are."""
    root, settings = project.root, SiteSettings.load(project.root)
    named = [settings.docs, vendor_folder(project, settings)]
    theme = settings.theme.get("custom_dir")
    if theme:
        named.append(root / str(theme))
    return {
        path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path): path for path in named
    }


def vendor_folder(project: Project, settings: SiteSettings) -> Path:
    """Where third-party files were installed for the site."""
    named = settings.plugins.get("measured", {}).get("vendor")
    return project.full_build / "vendor" / "site" if named is None else project.root / str(named)


def settings_and_hooks(root: Path) -> list[str]:
    """The settings themselves, and the hooks that they name."""
    hooks = SiteSettings.load(root).raw.get("hooks") or []
    return [NAME, *(str(hook.value if isinstance(hook, Tagged) else hook) for hook in hooks)]
