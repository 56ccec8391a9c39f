"""Traps for the third-party files: a stale stamp, a broken lock, a face that lost its parts."""

import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml
from fontTools.ttLib import TTFont

from measured.errors import MeasuredError
from measured.weaving.mathml import convert

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import vendor  # noqa: E402


@pytest.fixture(scope="module")
def site() -> Path:
    return vendor.vendor(ROOT)


def a_project(folder: Path) -> Path:
    """A root with a package.json and no dependencies."""
    (folder / "package.json").write_text('{"name": "none", "version": "0.0.0"}')
    lock = {"name": "none", "version": "0.0.0", "lockfileVersion": 3, "requires": True, "packages": {"": {}}}
    (folder / "package-lock.json").write_text(json.dumps(lock))
    (folder / ".npmrc").write_text("")
    (folder / vendor.LOCK).write_text("")
    return folder


def test_each_served_file_comes_with_a_licence(site):
    names = {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}
    families = {face.family.lower().replace(" ", "-") for face in vendor.FACES} | {"p5"}
    assert {f"licenses/{family}.txt" for family in families} <= names
    assert {"p5.min.js", "fonts.css"} <= names


def test_the_faces_are_small(site):
    text = [p.stat().st_size for p in site.glob("source-*.woff2")]
    assert len(text) == 4
    assert max(text) <= 30_000
    assert (site / "stix-two-math-400-normal.woff2").stat().st_size <= 60_000


def test_the_maths_face_keeps_its_math_table_and_stretched_brackets(site):
    font = TTFont(site / "stix-two-math-400-normal.woff2")
    variants = font["MATH"].table.MathVariants
    bracket = font.getBestCmap()[ord("(")]
    assert bracket in variants.VertGlyphCoverage.glyphs
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(bracket)]
    assert len(construction.MathGlyphVariantRecord) > 3


def test_the_maths_face_has_what_the_formulas_of_papers_need(site):
    formulas = yaml.safe_load((ROOT / "tests/measured/formulas.yml").read_text(encoding="utf-8"))
    shown = {
        c for f in formulas.values() for c in "".join(ET.fromstring(convert(f["latex"], True)).itertext())
    }
    faces = [TTFont(path).getBestCmap() for path in site.glob("*.woff2")]
    assert {c for c in shown if not any(ord(c) in face for face in faces)} <= {" ", "\n"}


def test_the_engine_has_the_temml_that_the_lock_names(site):
    package = ROOT / "build/vendor/node/node_modules/temml"
    engine = ROOT / "src/measured/weaving/temml"
    assert (engine / "temml.min.js").read_bytes() == (package / "dist" / "temml.min.js").read_bytes()
    assert (engine / "LICENSE.txt").read_bytes() == (package / "LICENSE").read_bytes()


def test_subsetting_gives_the_same_bytes_each_time(site):
    face = vendor.FACES[0]
    source = (ROOT / "build/vendor/node/node_modules" / face.source).read_bytes()
    assert vendor.subset(source, face) == (site / face.name).read_bytes()
    assert ord("é") in TTFont(io.BytesIO(vendor.subset(source, face))).getBestCmap()


def test_a_damaged_file_is_made_again_and_an_unchanged_call_imports_no_fonttools(site):
    before = (site / "p5.min.js").read_bytes()
    (site / "p5.min.js").write_bytes(before.replace(b"function", b"Function", 1))  # of the same size
    (site / "stranger.js").write_text("alert(1)")
    assert vendor.vendor(ROOT) == site
    assert (site / "p5.min.js").read_bytes() == before
    assert not (site / "stranger.js").exists()
    code = "import sys, vendor, pathlib; vendor.vendor(pathlib.Path('..')); print('fontTools' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "scripts", capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_what_npm_checked_once_is_checked_again_whenever_it_is_handed_over(tmp_path, monkeypatch):
    root, installed = a_project(tmp_path), []

    def npm_ci(folder, development):
        installed.append(folder)
        (folder / "node_modules" / "p5" / "lib").mkdir(parents=True)
        (folder / "node_modules" / "p5" / "lib" / "p5.min.js").write_text("p5")

    monkeypatch.setattr(vendor, "_npm_ci", npm_ci)
    folder = vendor.install(root)
    assert vendor.install(root) == folder
    assert len(installed) == 1
    (folder / "node_modules" / "p5" / "lib" / "p5.min.js").write_text("P5")
    vendor.install(root)
    assert len(installed) == 2
    assert (folder / "node_modules" / "p5" / "lib" / "p5.min.js").read_text() == "p5"


@pytest.mark.parametrize("kind", ["dependencies", "devDependencies"])
def test_a_lock_that_does_not_match_fails_without_npm_and_keeps_what_was_there(tmp_path, monkeypatch, kind):
    root = a_project(tmp_path)
    monkeypatch.setattr(vendor, "_npm_ci", lambda folder, development: None)
    assert vendor.install(root).is_dir()
    stamp = (root / "build/vendor/node/stamp.json").read_text()
    monkeypatch.setattr(vendor, "_npm_ci", lambda folder, development: pytest.fail("npm was asked"))
    (root / "package.json").write_text(
        json.dumps({"name": "none", "version": "0.0.0", kind: {"p5": "2.3.4"}})
    )
    with pytest.raises(MeasuredError, match=f"made for other {kind} than package.json") as told:
        vendor.install(root)
    assert told.value.path == root / "package-lock.json"
    assert "npm install" in told.value.mend
    assert (root / "build/vendor/node/stamp.json").read_text() == stamp


def test_npm_says_what_it_cannot_install_and_what_was_there_stays(tmp_path):
    """A package whose file is not there: npm reads the lock, and asks no network."""
    root = a_project(tmp_path)
    assert vendor.install(root).is_dir()
    stamp = (root / "build/vendor/node/stamp.json").read_text()
    named = {"dependencies": {"gone": "file:gone.tgz"}}
    (root / "package.json").write_text(json.dumps({"name": "none", "version": "0.0.0", **named}))
    lock = json.loads((root / "package-lock.json").read_text())
    lock["packages"] = {"": named, "node_modules/gone": {"version": "1.0.0", "resolved": "file:gone.tgz"}}
    (root / "package-lock.json").write_text(json.dumps(lock))
    with pytest.raises(
        MeasuredError, match="npm could not install what package-lock.json names: npm error"
    ) as told:
        vendor.install(root)
    assert "check the network" in told.value.mend
    assert (root / "build/vendor/node/stamp.json").read_text() == stamp
    assert not list((root / "build/vendor").glob(".npm-*"))


def test_a_package_that_lacks_a_file_is_named(tmp_path):
    root = a_project(tmp_path)
    with pytest.raises(MeasuredError, match="p5"):
        vendor.vendor(root)
    assert not (root / "build/vendor/site").exists()


def test_the_committed_lock_names_no_address():
    text = (ROOT / "package-lock.json").read_text()
    assert "://" not in text
    packages = json.loads(text)["packages"]
    assert all("integrity" in entry for name, entry in packages.items() if name)
    assert "resolved" not in text
