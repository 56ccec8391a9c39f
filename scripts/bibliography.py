"""Writes docs/bibliography.md from docs/assets/bibliography.bib: `python scripts/bibliography.py`.

Add a work to the BibTeX file, one field a line, and run this; a test sees to it that both agree.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
SOURCE, PAGE = DOCS / "assets" / "bibliography.bib", DOCS / "bibliography.md"

HEAD = """---
title: Bibliography
numerals: literature
description: The works that the pages cite, with BibTeX.
---

# Bibliography

The works that the pages cite, and some that they lean on, by first author. Cite an entry as
`[Vaswani et al. 2017](bibliography.md#vaswani2017)`. The same list is there
[as BibTeX](assets/bibliography.bib){ download="" }.
"""

_ENTRY = re.compile(r"@(\w+)\{(\w+),\n(.*?)^\}", re.S | re.M)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.M)
_ACCENTS = {r"{\'a}": "á", r"{\'o}": "ó", r"{\'e}": "é", r"{\"a}": "ä", r"{\"u}": "ü", r"{\L}": "Ł"}


def entries(text: str) -> dict[str, dict[str, str]]:
    """The entries of a BibTeX file whose fields stand one a line, by key; accents become letters.

    Raises:
        ValueError: something in the file was not understood.
    """
    for written, letter in _ACCENTS.items():
        text = text.replace(written, letter)
    found = {m[2]: {"kind": m[1], **dict(_FIELD.findall(m[3]))} for m in _ENTRY.finditer(text)}
    rest = _ENTRY.sub("", text).strip()
    lines = sum(len(fields) for fields in found.values())
    if rest or "\\" in text or lines != len(re.findall(r"^(@| {2}\w)", text, re.M)):
        raise ValueError(f"not understood: {rest or 'an accent, a field, or a key that stands twice'}")
    return found


def reference(key: str, fields: dict[str, str]) -> str:
    """One entry as a paragraph of Markdown with an anchor."""
    venue = ", ".join(
        fields[name] for name in ("type", "school", "booktitle", "journal", "howpublished") if name in fields
    )
    title = fields["title"].replace("O(n^2)", "$O(n^2)$")
    end = "" if title.endswith("?") else "."
    text = f"{_authors(fields['author'])} ({fields['year']}). *{title}*{end} {venue}."
    if "eprint" in fields:
        text += f" [arXiv:{fields['eprint']}](https://arxiv.org/abs/{fields['eprint']})."
    return f"{text}\n{{: #{key} }}\n"


def page(text: str) -> str:
    """The page for the text of a BibTeX file."""
    found = entries(text)
    return "\n".join([HEAD, *(reference(key, found[key]) for key in sorted(found))])


def _authors(names: str) -> str:
    people = names.split(" and ")
    others = people[-1] == "others"
    turned = [" ".join(reversed(person.split(", "))) for person in people if person != "others"]
    if others:
        return ", ".join(turned) + " and others"
    return turned[0] if len(turned) == 1 else ", ".join(turned[:-1]) + " and " + turned[-1]


if __name__ == "__main__":
    PAGE.write_text(page(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
