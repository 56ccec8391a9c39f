"""Tooltips say what the glossary says."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import tooltips  # noqa: E402

GLOSSARY = tooltips.GLOSSARY.read_text(encoding="utf-8")


def test_the_file_is_what_the_glossary_gives():
    """Where this fails: run `python scripts/tooltips.py`."""
    assert tooltips.TOOLTIPS.read_text(encoding="utf-8") == tooltips.tooltips(GLOSSARY)


def test_every_term_of_the_glossary_is_understood():
    assert len(tooltips.definitions(GLOSSARY)) == len(re.findall(r"^:   ", GLOSSARY, re.M))


def test_an_anchor_is_its_term():
    for anchor, (term, _) in tooltips.definitions(GLOSSARY).items():
        assert anchor == re.sub(r"[ _–]", "-", term.lower())


def test_terms_of_a_section_are_in_order():
    for section in GLOSSARY.split("\n## ")[1:]:
        terms = [re.sub(r"[^a-z]", "", term.lower()) for term, _ in tooltips.definitions(section).values()]
        assert terms == sorted(terms)


def test_a_tooltip_is_plain_text():
    for line in tooltips.tooltips(GLOSSARY).splitlines():
        assert re.fullmatch(r"\*\[[\w -]+\]: [^\[\]*`$<>\"]+\.", line), line


def test_a_tooltip_without_a_glossary_entry_is_an_error():
    with pytest.raises(KeyError, match="additive-mask"):
        tooltips.tooltips("")
