"""Cards, pages of code and the page of measurements: from a number to its line."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from measured.errors import MeasuredError
from measured.gate.stored import Expectation
from measured.site import code_pages, ledger, provenance
from measured.site.code_pages import Place
from measured.site.declared import declared
from measured.terms.measurement import AtMost, Close, Exact, Measurement, Spread
from measured.weaving.references import Library
from weaving import record_of

SOURCE = """
from measured.terms.family import Family

FEW = Family("toy.few.{kind}", "reads toy.weight.plain.d4, and is not it", EXACT)
WEIGHT = Family(
    "toy.weight.{kind}.d{d}", "a weight", EXACT)
ALONE = terms.Measurement(id="toy.alone", value=1)
TABLE = Table("t", Cell("toy.only.read"))
CLAIM = Claim("toy.stands", "words", lambda f: f["toy.weight.plain.d4"])

def measure(name):
    return Measurement(f"toy.{name}", 1), helper("toy.only.read")
"""


class Packaged:
    """A project with one package, which is never imported."""

    def __init__(self, root, monkeypatch, source, name="toy_package"):
        self.root, self.packages = root.resolve(), (name,)
        (root / name).mkdir()
        (root / name / "__init__.py").write_text("", encoding="utf-8")
        (root / name / "toy.py").write_text(source, encoding="utf-8")
        monkeypatch.syspath_prepend(root)


def measured_as(id_, family=""):
    return Measurement(id_, 1, "w", Exact("why"), family=family)


@pytest.mark.parametrize(
    ("id_", "family", "line"),
    [
        ("toy.weight.scaled.d16", "toy.weight.{kind}.d{d}", 6),
        ("toy.weight.plain.d4", "toy.weight.{kind}.d{d}", 6),  # a claim writes it out, and only reads it
        ("toy.few.weight", "toy.few.{kind}", 4),
        ("toy.alone", "", 7),
    ],
)
def test_a_measurement_leads_to_the_line_that_declares_it(tmp_path, monkeypatch, id_, family, line):
    lines = declared(Packaged(tmp_path, monkeypatch, SOURCE))
    assert lines.of_measurement(measured_as(id_, family)) == Place("toy_package/toy.py", line)


def test_what_only_looks_alike_is_no_place(tmp_path, monkeypatch):
    """An f-string that could have made the id, a helper that was handed it, a table that shows it."""
    lines = declared(Packaged(tmp_path, monkeypatch, SOURCE))
    assert lines.of_measurement(measured_as("toy.only.read")) is None
    assert lines.of_measurement(measured_as("toy.something")) is None
    assert lines.of_claim("toy.stands") == Place("toy_package/toy.py", 9)
    assert lines.of_claim("toy.falls") is None


def test_a_family_that_nobody_declares_is_an_error_and_no_guess(tmp_path, monkeypatch):
    lines = declared(Packaged(tmp_path, monkeypatch, SOURCE))
    with pytest.raises(MeasuredError, match=r"toy.weight.{kind}, which no package declares"):
        lines.of_measurement(measured_as("toy.weight.x", "toy.weight.{kind}"))


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            'A = Family("toy.a.{b}", "")\nB = Family("toy.a.{b}", "")',
            r"declared twice.* toy_package/toy.py:1",
        ),
        ('A = Claim("toy.a", "", f)\nB = Claim("toy.a", "", f)', "declared twice"),
        ('A = Family(f"toy.{b}", "")', "put together"),
    ],
)
def test_one_id_is_declared_on_one_line_and_written_out(tmp_path, monkeypatch, source, problem):
    with pytest.raises(MeasuredError, match=problem):
        declared(Packaged(tmp_path, monkeypatch, source))


@pytest.mark.parametrize(
    ("repository", "link"),
    [
        ("https://github.com/a/b/", "https://github.com/a/b/blob/abc/src/x.py#L3"),
        ("https://gitlab.example.org/a/b", "https://gitlab.example.org/a/b/-/blob/abc/src/x.py#L3"),
        ("https://code.example.org/a/b", ""),  # no address is invented
    ],
)
def test_links_into_a_hosted_repository_are_known_forms_only(repository, link):
    commit = provenance.Commit(repository, "abc", frozenset({"src/changed.py"}))
    assert commit.link(Place("src/x.py", 3)) == link
    assert commit.link(Place("src/changed.py", 3)) == ""


def test_a_project_in_a_folder_of_a_repository_links_to_its_files_there(tmp_path):
    root = tmp_path / "books" / "dice"
    root.mkdir(parents=True)
    (root / "a.py").write_text("1\n")
    (root / "b.py").write_text("1\n")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *arguments], check=True)
    (root / "b.py").write_text("2\n")
    commit = provenance.commit_of(root, "https://github.com/a/b")
    assert commit.link(Place("a.py", 1)).endswith(f"{commit.sha}/books/dice/a.py#L1")
    assert commit.link(Place("b.py", 1)) == ""


def test_the_commit_comes_from_git_and_only_where_an_address_is_configured(tmp_path):
    assert provenance.commit_of(tmp_path, None) is None
    assert provenance.commit_of(tmp_path, "https://github.com/a/b") is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    (tmp_path / "a.py").write_text("", encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "a.py"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *arguments], check=True)
    (tmp_path / "b.py").write_text("", encoding="utf-8")
    commit = provenance.commit_of(tmp_path, "https://github.com/a/b")
    assert re.fullmatch("[0-9a-f]{40}", commit.sha)
    assert commit.link(Place("a.py", 1))
    assert commit.link(Place("b.py", 1)) == ""


def test_drift_is_told_in_units_of_the_tolerance():
    def told(tolerance, stored, now, **more):
        before = Expectation.of(Measurement("a.b", stored, "w", tolerance, ".3f", **more))
        return provenance.drift(Measurement("a.b", now, "w", tolerance, ".3f", **more), before)

    assert told(Close("why", atol=0.1), 1.0, 1.05) == "+0.50"
    assert told(Close("why", atol=0.1), 1.0, 1.0) == "0"
    assert told(AtMost("why", bound=2.0), 1.0, 0.5) == "0.25 of the bound"
    spread = {"seeds": (0, 1), "samples": (0.0, 2.0)}
    assert told(Spread("why", k=2.0), 1.0, 0.0, **spread) == "-0.50"
    assert provenance.drift(Measurement("a.b", 1.0, "w", Exact("why"), ".1f"), None) == "nothing stored"


def test_a_page_has_a_card_for_each_number_that_it_shows_and_each_claim_that_it_makes(accepted):
    cards = json.loads(accepted.read("site/data/cards/index.json"))
    public = json.loads(accepted.read("site/measurements.json"))
    assert set(cards["measurements"]) == {m["id"] for m in public if "index.md" in m["pages"]}
    claims = json.loads(accepted.read("site/claims.json"))
    made = {
        claim["id"] for claim in (claims if isinstance(claims, list) else claims["claims"]) if claim["page"]
    }
    assert set(cards["claims"]) == made
    card = cards["measurements"]["fair.luck"]
    assert card["words"] == "mean over seeds"
    assert card["seeds"] == [0, 1, 2]
    assert set(card["spread"]) == {"min", "max", "sd", "standard_error"}
    assert card["allowed"].startswith("3.58 ± ")
    assert card["moves"].startswith("The build stops if it moves by more than ")
    assert card["reason"] == "seeds differ"
    assert "hosted" not in card
    assert "numpy" in cards["experiments"]["fair"]["run"]
    assert cards["claims"]["fair.middling"]["margin"] > 0
    for found in (*cards["measurements"].values(), *cards["claims"].values()):
        path, line = found["source"].split(":")
        assert found["code"] == f"code/{path}.html#L{line}"
        assert f'<span id="L{line}">' in accepted.read(f"site/code/{path}.html")


def test_the_line_in_the_card_is_the_line_that_names_the_id(accepted):
    for row in json.loads(accepted.read("site/measurements.json")):
        path, line = row["source"].split(":")
        assert path == f"src/dice/{row['experiment']}.py"
        assert f'"{row["id"]}"' in accepted.read(path).splitlines()[int(line) - 1]


def test_a_page_of_code_shows_the_file_line_by_line(tmp_path):
    (tmp_path / "a.py").write_text('x = "<b>"\n\n\ny = 2\n', encoding="utf-8")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.py").write_text("", encoding="utf-8")
    made = dict(code_pages.pages(["a.py", "b/c.py"], tmp_path, "A & B", {}, tmp_path / "cache"))
    assert list(made) == ["code/a.py.html", "code/b/c.py.html", "code/index.html"]
    page = made["code/a.py.html"]
    assert re.findall(r'<span id="(L\d+)">', page) == ["L1", "L2", "L3", "L4"]
    assert "&lt;b&gt;" in page
    assert "<title>a.py · A &amp; B</title>" in page
    assert 'href="../assets/code.css"' in page
    assert dict(code_pages.pages(["a.py", "b/c.py"], tmp_path, "A & B", {}, tmp_path / "cache")) == made


def test_a_page_of_code_leads_home_to_all_files_and_to_the_files_beside_it(tmp_path):
    for name in ("a.py", "c.py", "d.py"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    made = dict(code_pages.pages(["a.py", "c.py", "d.py"], tmp_path, "A", {}, tmp_path / "cache"))
    page = made["code/c.py.html"]
    for way in (
        'href="../"',
        'href="index.html"',
        'rel="prev" href="a.py.html"',
        'rel="next" href="d.py.html"',
    ):
        assert way in page
    assert 'rel="prev"' not in made["code/a.py.html"]
    assert re.findall(r'href="(\w\.py\.html)"', made["code/index.html"]) == [f"{n}.py.html" for n in "acd"]


def test_every_measurement_has_a_row_with_its_id(accepted):
    page = accepted.read("site/measurements/index.html")
    for row in json.loads(accepted.read("site/measurements.json")):
        assert page.count(f'<tr id="{row["id"]}">') == 1
    assert page.count('<tr id="claim-fair.middling">') == 1
    assert "does not hold" in page  # a claim that no page makes is still told
    assert 'aria-label="3 seeds, ' in page


def test_rows_and_cards_link_to_what_exists(accepted):
    page = accepted.read("site/measurements/index.html")
    for target, anchor in re.findall(r'href="\.\./([^"#]+\.(?:html|json|npz))(?:#([^"]+))?"', page):
        text = (accepted.root / "site" / target).read_bytes().decode("utf-8", "replace")
        assert not anchor or f'id="{anchor}"' in text


@pytest.mark.parametrize("count", [400, 1200])
def test_hundreds_of_rows_stay_within_a_pages_weight(count):
    measured = tuple(
        Measurement(
            f"dice.thing_{n % 7}.kind_{n % 13}.d{n}",
            1 / (n + 1),
            f"mean number {n} of something that was measured in way {n % 13}",
            Spread("seeds differ", k=3.0, floor=0.001),
            ".4f",
            seeds=(0, 1, 2),
            samples=(n % 11, n % 5, n % 3),
        )
        for n in range(count)
    )
    library = Library({"dice": record_of(measured)})
    stored = {m.id: Expectation.of(m) for m in measured}
    places = {m.id: Place("src/dice.py", n) for n, m in enumerate(measured)}
    places |= {f"claim {c}": Place("src/dice.py", 1) for c in library.claims}
    pages = {m.id: ["index.md"] for m in measured}
    library.records["dice"].environment.update(
        {
            "python": "3",
            "system": "Linux",
            "machine": "x",
            "cpu_features": [],
            "versions": {},
            "settings": {},
        }
    )
    origin = provenance.Provenance(library, stored, places, pages, {}, code_pages.page_of)
    text = ledger.Ledger(origin, lambda path: f"../{path}").page()
    assert len(gzip.compress(text.encode())) < 55_000


def test_a_figure_leads_to_the_function_that_draws_it(accepted):
    page = accepted.read("site/index.html")
    path, line = re.search(r'href="(code/src/dice/drawing\.py\.html)#L(\d+)"', page).groups()
    assert f'<span id="L{line}">' in accepted.read(f"site/{path}")
    assert accepted.read("src/dice/drawing.py").splitlines()[int(line) - 1].startswith("def counts")


@pytest.mark.parametrize("name", ["src/dice/fair.py", "src/dice/luck.py"])
def test_code_that_python_cannot_read_is_told_with_its_line(sample, name):
    path = sample.root / name
    path.write_text(path.read_text(encoding="utf-8") + "\nx = (\n", encoding="utf-8")
    result = sample.build()
    assert result.returncode == 1
    assert re.search(rf"{name}:\d+: Python cannot read this", result.stdout), result.stdout
    assert "Traceback" not in result.stdout


@pytest.mark.parametrize(
    ("place", "own"),
    [
        ("src/dice/fair.py", True),
        (".nox/build/lib/python3.11/site-packages/measured/files.py", False),
        ("venv/lib/python3.11/site-packages/measured/files.py", False),
        (".venv/src/measured/files.py", False),
        ("../elsewhere/files.py", False),
    ],
)
def test_what_is_installed_within_the_projects_folder_is_no_source_of_it(tmp_path, place, own):
    root = tmp_path / ".hidden" / "project"
    assert provenance.is_source(Path(os.path.normpath(root / place)), root) is own


@pytest.mark.parametrize(
    ("value", "width", "form", "says"),
    [
        (3.9998, 4e-9, ".2f", "3.9998 ± 4e-09"),
        (14.10062, 1.4e-8, ".2f", "14.10062 ± 1.4e-08"),
        (0.5, 0.02, ".2f", "0.50 ± 0.02"),
        (0.507, 0.0021, ".1%", "50.7% ± 0.21%"),
        (0.50712, 1e-12, ".1%", "50.712% ± 1e-10%"),
        (-1.23456, 1e-3, ".1f", "−1.235 ± 0.001"),
        (1234.5678, 1e-3, ",.0f", "1234.568 ± 0.001"),
        (20_000, 3.0, ",d", "20,000 ± 3"),
        (0.0, 1e-9, ".1f", "0.0 ± 1e-09"),
    ],
)
def test_what_is_stored_lies_within_what_is_said_of_it(value, width, form, says):
    said = ledger.with_width(value, width, form)
    assert said == says
    scale = 100 if "%" in said else 1
    number = float(said.split("±")[0].strip(" %").replace("−", "-").replace(",", "")) / scale
    assert abs(number - value) <= width
