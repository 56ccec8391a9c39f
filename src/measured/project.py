"""Where a project keeps its things: `[tool.measured]` of its pyproject.toml, and the folders that follow."""

from __future__ import annotations

import importlib
import sys
import tomllib
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from measured.compiled import forget_doubtful
from measured.errors import MeasuredError
from measured.files import read_text
from measured.located import line_of, located
from measured.terms.drawing import Palette
from measured.terms.experiment import Experiment
from measured.terms.names import refuse_shared
from measured.terms.record import Record, read_records

OWN_ASSETS = Path(__file__).parent / "assets"
"""What the engine brings to every site; its palette is that of a project without one."""


@dataclass(frozen=True)
class Project:
    """A project that uses the engine.

    Args:
        root: the folder that holds pyproject.toml.
        packages: the project's own importable packages; what is made follows imports inside them.
        experiments: the module whose `EXPERIMENTS` lists the experiments.
        figures: the module whose `FIGURES` lists the figures; empty for none.
        palette: the palette file, relative to the root; empty for the engine's own.
        lock: the lock file, relative to the root.
        regressions: the folder of stored expectations, relative to the root.
        confirmations: the folder of what trials and studies have stored, relative to the root.
        versions: distributions that compute: with another installed version everything is made anew.
        reported: the module whose `REPORTED` lists the figures of an earlier write-up; empty for none.
        renderer: what makes pages of woven Markdown: mkdocs, properdocs or zensical.
        hooks: the Python file of what the project adds to its site, relative to the root; empty for none.
        one_style_sheet: whether a page names one style sheet, without what the site never uses.
        costs: the file of what each piece of work takes, relative to the root; it may be absent.
        results: where runs may be taken over from: a folder, an archive, `https://…`; empty for nowhere.
        page_bytes: what a page may weigh, gzipped.
        list_bytes: what the lists of all measurements and of all claims may weigh, gzipped.
        quick: whether authors asked for fewer draws and seeds.
        output: where `build` and `site` go; None for the root, which a checkout that is only read cannot be.
    """

    root: Path
    packages: tuple[str, ...]
    experiments: str
    figures: str = ""
    palette: str = ""
    lock: str = "requirements.lock"
    regressions: str = "tests/regressions"
    confirmations: str = "tests/confirmations"
    versions: tuple[str, ...] = ("numpy",)
    reported: str = ""
    renderer: str = "mkdocs"
    hooks: str = ""
    one_style_sheet: bool = False
    costs: str = "tests/costs.json"
    results: str = ""
    page_bytes: int = 60_000
    list_bytes: int = 120_000
    quick: bool = False
    output: Path | None = None

    @classmethod
    def load(cls, root: Path, quick: bool = False, output: Path | None = None) -> Project:
        """Read `[tool.measured]`.

        Raises:
            MeasuredError: no such file, section, or key.
        """
        path = root / "pyproject.toml"
        try:
            settings = tomllib.loads(read_text(path))["tool"]["measured"]
        except (tomllib.TOMLDecodeError, KeyError) as error:
            raise MeasuredError(
                f"no settings for the engine: {error}", path=path, expected="a section [tool.measured]"
            ) from error
        settings = {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
        _check_settings(settings, path)
        return cls(root=root.resolve(), quick=quick, output=output and output.resolve(), **settings)

    @cached_property
    def distribution(self) -> str:
        """The name under which the project installs: of its pyproject.toml, or else of its first package."""
        settings = tomllib.loads(read_text(self.root / "pyproject.toml"))
        return str((settings.get("project") or {}).get("name") or self.packages[0])

    @property
    def build(self) -> Path:
        """Everything generated; quick runs have a folder of their own, so that nothing mixes."""
        return self.full_build / "quick" if self.quick else self.full_build

    @property
    def full_build(self) -> Path:
        """That of the whole build, whose third-party files quick ones share."""
        return (self.output or self.root) / "build"

    @property
    def records(self) -> Path:
        """Where records are."""
        return self.build / "records"

    @property
    def runs(self) -> Path:
        """Where the results of long runs are."""
        return self.build / "runs"

    @property
    def timings(self) -> Path:
        """Where seconds are."""
        return self.build / "timings"

    @property
    def drawings(self) -> Path:
        """Where finished figures are."""
        return self.build / "figures"

    @property
    def site(self) -> Path:
        """What gets published."""
        return (self.output or self.root) / "site"

    @property
    def shown_site(self) -> Path:
        """Where a build of this mode leaves its site; a quick one is never published."""
        return self.build / "site" if self.quick else self.site

    @property
    def stored(self) -> Path:
        """The stored regressions."""
        return self.root / self.regressions

    @property
    def confirmations_folder(self) -> Path:
        """What trials and studies have stored."""
        return self.root / self.confirmations

    @property
    def lock_file(self) -> Path:
        """The lock file."""
        return self.root / self.lock

    def read_records(self) -> dict[str, Record]:
        """The records by experiment."""
        return read_records(self.records)

    @property
    def palette_file(self) -> Path:
        """The palette: the project's, or the engine's own."""
        return self.root / self.palette if self.palette else OWN_ASSETS / "palette.json"

    def read_palette(self) -> Palette:
        """The colours by role.

        Raises:
            MeasuredError: the file cannot be read, or lacks a role that the engine itself asks for.
        """
        palette, needed = Palette.load(self.palette_file), Palette.load(OWN_ASSETS / "palette.json").roles
        missing = [role for role in needed if role not in palette.roles and role != "raised"]
        if missing:
            raise MeasuredError(
                f"the palette has no {', '.join(missing)}",
                path=self.palette,
                expected=f"the roles {', '.join(needed)}; each {{'light': '#rrggbb', 'dark': '#rrggbb'}}",
                mend="add them, or leave `palette` out of [tool.measured]: the engine has one of its own",
            )
        return palette

    @property
    def mode(self) -> str:
        """`full` or `quick`."""
        return "quick" if self.quick else "full"

    @cached_property
    def declared(self) -> dict[str, Experiment]:
        """The experiments by name; none for who was told of no list, since it makes something else."""
        if not self.experiments:
            return {}
        found = self._listed(self.experiments, "EXPERIMENTS")
        with _naming_list(self.experiments, "EXPERIMENTS", self.root):
            refuse_shared(((c.id, f"experiment {e.name}") for e in found for c in e.claims), "claim")
        return {e.name: e for e in found}

    @cached_property
    def declared_figures(self) -> dict[str, Any]:
        """The figures by name."""
        return {f.name: f for f in self._listed(self.figures, "FIGURES")} if self.figures else {}

    @cached_property
    def declared_reported(self) -> list[Any]:
        """The figures of an earlier write-up."""
        return self._listed(self.reported, "REPORTED") if self.reported else []

    def _listed(self, module: str, name: str) -> list[Any]:
        forget_doubtful(self.packages)
        return _listed(module, name, self.root)


_GIVEN_BY_COMMANDS = ("root", "quick", "output")


def _check_settings(settings: dict[str, Any], path: Path) -> None:
    """Refuse settings that the engine does not know, lacks, or cannot use.

    Raises:
        MeasuredError: names the first, with its line.
    """
    known = {field.name: field for field in fields(Project) if field.name not in _GIVEN_BY_COMMANDS}
    for name, value in settings.items():
        if name not in known:
            like = get_close_matches(name, known, 1)
            raise MeasuredError(
                f"[tool.measured] has {name!r}, which is no setting",
                path=path,
                line=_line_of(path, name),
                expected=f"{like[0]}, perhaps" if like else f"some of {', '.join(known)}",
                mend="correct the name, or take the line out",
            )
        wanted = str(known[name].type).partition("[")[0]
        if type(value).__name__ != wanted:
            raise MeasuredError(
                f"[tool.measured] {name} is {value!r}",
                path=path,
                line=_line_of(path, name),
                expected=_KINDS[wanted],
            )
    missing = [name for name, field in known.items() if field.default is MISSING and name not in settings]
    if missing:
        raise MeasuredError(
            f"[tool.measured] lacks {', '.join(missing)}",
            path=path,
            line=_line_of(path, "[tool.measured]"),
            expected='packages = ["NAME"] and experiments = "NAME.experiments.registry"',
        )


_KINDS = {
    "str": "text between quotes",
    "int": "a whole number",
    "bool": "true or false",
    "tuple": 'a list of texts: ["NAME"]',
}


def _line_of(path: Path, beginning: str) -> int | None:
    """The first line of a file that begins so."""
    lines = read_text(path).splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.lstrip().startswith(beginning)), None)


def _listed(module: str, name: str, root: Path) -> list[Any]:
    """A list of the project's.

    Raises:
        MeasuredError: it cannot be imported, or is none; with file and line.
    """
    try:
        imported = importlib.import_module(module)
    except SyntaxError as error:
        raise MeasuredError(
            f"Python cannot read this: {error.msg}",
            path=error.filename,
            line=error.lineno,
            expected="a module without syntax errors",
        ) from error
    except MeasuredError as error:
        raise located(error, root) from error
    except (Exception, SystemExit) as error:
        raise _not_imported(error, module, name, root) from error
    what = {"EXPERIMENTS": "experiment", "FIGURES": "figure", "REPORTED": "reported figure"}[name]
    found = getattr(imported, name, None)
    if not isinstance(found, list | tuple):
        raise MeasuredError(
            f"{module} has no list {name}", path=_file_of(imported, root), expected=f"{name} = [ … ]"
        )
    with _naming_list(module, name, root):
        for item in found:
            if not hasattr(item, "name"):
                raise MeasuredError(f"{name} holds {item!r}", expected=f"{what}s alone")
        refuse_shared(((item.name, f"{module}.{name}") for item in found), what)
    return list(found)


def _not_imported(error: BaseException, module: str, name: str, root: Path) -> MeasuredError:
    """What Python said while a module was imported, at the line of the project's own that led to it."""
    place = line_of(error, root)
    if place is None:
        return MeasuredError(
            f"{module}.{name} cannot be loaded: {error}",
            path="pyproject.toml",
            expected=f"a module of the project, installed or on PYTHONPATH, with a list {name}",
        )
    said = "".join(traceback.format_exception_only(error)).strip()
    return MeasuredError(
        f"this cannot be imported: {said}",
        path=place[0],
        line=place[1],
        expected=f"modules that {module} can import without an exception",
    )


@contextmanager
def _naming_list(module: str, name: str, root: Path) -> Iterator[None]:
    """Name the list in what is wrong with what it holds."""
    try:
        yield
    except MeasuredError as error:
        path = getattr(sys.modules[module], "__file__", None)
        if error.path is not None or path is None:
            raise
        raise MeasuredError(
            error.problem,
            path=_file_of(sys.modules[module], root),
            line=_line_of(Path(path), name),
            expected=error.expected,
            mend=error.mend,
        ) from error


def _file_of(module: ModuleType, root: Path) -> str:
    path = Path(getattr(module, "__file__", None) or module.__name__).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
