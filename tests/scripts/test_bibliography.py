"""The bibliography page and its BibTeX file agree, and pages cite only what is in them."""

import re
import sys
import unicodedata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import bibliography  # noqa: E402

SOURCE = bibliography.SOURCE.read_text(encoding="utf-8")


def test_the_page_is_what_the_bibtex_file_gives():
    """Where this fails: run `python scripts/bibliography.py`."""
    assert bibliography.PAGE.read_text(encoding="utf-8") == bibliography.page(SOURCE)


def test_every_entry_has_authors_title_year_and_a_venue():
    for key, fields in bibliography.entries(SOURCE).items():
        assert {"author", "title", "year"} <= fields.keys(), key
        assert {"booktitle", "journal", "howpublished", "school"} & fields.keys(), key


def test_a_key_is_the_first_author_and_the_year():
    for key, fields in bibliography.entries(SOURCE).items():
        name = unicodedata.normalize("NFKD", re.split(r"[, ]", fields["author"])[0].lower())
        assert key == re.sub(r"[^a-z-]", "", name) + fields["year"]


def test_entries_are_in_order_and_stand_once():
    keys = re.findall(r"^@\w+\{(\w+),", SOURCE, re.M)
    assert keys == sorted(set(keys))


def test_every_citation_on_a_page_has_an_entry():
    known = bibliography.entries(SOURCE)
    cited = {
        (page.name, key)
        for page in bibliography.DOCS.rglob("*.md")
        for key in re.findall(r"bibliography\.md#(\w+)", page.read_text(encoding="utf-8"))
    }
    assert cited
    assert {(page, key) for page, key in cited if key not in known} == set()


def test_the_authors_of_a_citation_are_those_of_its_entry():
    known = bibliography.entries(SOURCE)
    for page in bibliography.DOCS.rglob("*.md"):
        for words, key in re.findall(
            r"\[([^\]]*?\d{4})\]\([^)]*bibliography\.md#(\w+)\)", page.read_text(encoding="utf-8")
        ):
            first = known[key]["author"].split(",")[0]
            assert words.split()[0].rstrip(",") == first, (page, words)
            assert words.endswith(known[key]["year"]), (page, words)


@pytest.mark.parametrize(
    "text",
    [
        "@misc{a2000,\n  author = {A, B},\n",
        "@misc{a2000,\n  author = {A, B}\n}\n",
        "@misc{a2000,\n  author = {{\\o}},\n}\n",
        "@misc{a2000,\n  year = {2000},\n}\n@misc{a2000,\n  year = {2000},\n}\n",
    ],
    ids=["not closed", "no comma", "unknown accent", "the same key twice"],
)
def test_what_is_not_understood_is_an_error(text):
    with pytest.raises(ValueError, match="not understood"):
        bibliography.entries(text)


def test_a_reference_names_all_authors_and_links_its_preprint():
    fields = {"author": "A, B and C, D E", "title": "T", "year": "2000", "journal": "J", "eprint": "1.2"}
    assert bibliography.reference("a2000", fields) == (
        "B A and D E C (2000). *T*. J. [arXiv:1.2](https://arxiv.org/abs/1.2).\n{: #a2000 }\n"
    )
