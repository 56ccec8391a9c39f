"""Claims as the site publishes them: `claims.json`, and the page of what fresh seeds said, failures first."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from html import escape, unescape
from typing import Any

from measured.site.ledger import breakable
from measured.site.provenance import Provenance, plain, seeds_in_words
from measured.terms.claims import Judgement
from measured.terms.trial import Confirmed, Study

PAGE = "confirmations.md"

_SENTENCE = re.compile(r'<span class="claim" data-claim="(?P<id>[^"]+)">(?P<text>.*?)</span>', re.S)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)(?:\{[^}]*\})?")


def sentences_of(prose: Iterable[str]) -> dict[str, str]:
    """The sentence of each claim as a page makes it, without markup.

    Args:
        prose: the page's woven prose, with values and without marks.
    """
    found: dict[str, str] = {}
    for text in prose:
        for match in _SENTENCE.finditer(text):
            words = re.sub(r"<[^>]+>", "", _LINK.sub(r"\1", match["text"]))
            found.setdefault(match["id"], unescape(" ".join(re.sub(r"[*`]", "", words).split())))
    return found


def rows(
    provenance: Provenance, sentences: Mapping[str, Mapping[str, str]], confirmed: Mapping[str, Confirmed]
) -> list[dict[str, Any]]:
    """The public list: one object a claim.

    Args:
        provenance: the records, and the pages that make each claim.
        sentences: for each page, those of its claims.
        confirmed: what fresh seeds said, by claim.
    """
    return [
        _row(claim, provenance.claimed.get(claim.id, []), sentences, confirmed.get(claim.id, Confirmed()))
        for claim in provenance.library.claims.values()
    ]


def _row(
    claim: Judgement, pages: list[str], sentences: Mapping[str, Mapping[str, str]], fresh: Confirmed
) -> dict[str, Any]:
    said = [(page, sentences[page][claim.id]) for page in pages if claim.id in sentences.get(page, {})]
    page, sentence = said[0] if said else (pages[0] if pages else "", claim.words)
    row = {
        "id": claim.id,
        "words": claim.words,
        "sentence": sentence,
        "page": page,
        "scope": claim.scope,
        "nulls": [dict(null) for null in claim.nulls],
        "exempt": claim.exempt,
        "formed": list(claim.seeds),
        "confirmed": fresh.as_dict(),
        "margin": None if claim.margin is None else plain(claim.margin),
    }
    if not claim.seeds:
        del row["confirmed"]  # nothing was trained: there is no seed to ask
    return row


def confirmations_page(
    claims: Iterable[Judgement],
    confirmed: Mapping[str, Confirmed],
    questions: Mapping[str, str],
    studies: Iterable[Study],
    link: Any,
    made: Container[str] = (),
) -> str:
    """All claims about trained models, those that failed on a fresh seed first.

    Args:
        claims: of the records.
        confirmed: what fresh seeds said, by claim.
        questions: for each claim with a trial, what the trial asks.
        studies: those of the project.
        link: from this page to another one.
        made: the claims that a page makes.
    """
    trained = [(claim, confirmed.get(claim.id, Confirmed())) for claim in claims if claim.seeds]
    trained.sort(key=lambda pair: _order(*pair))
    asked = [fresh for _, fresh in trained if fresh.of]
    failed = [claim.id for claim, fresh in trained if fresh.of and fresh.says_too_much]
    dropped = sum(name not in made for name in failed)
    short = [fresh for fresh in asked if fresh.missed and not fresh.says_too_much]
    lines = [
        _OPENING,
        f"{len(trained)} claims about trained models; {len(asked)} were put to fresh seeds, "
        f"{len(failed)} of these say more than their seeds support. {_taken_off(len(failed), dropped)} "
        f"Of those that stand, {len(short)} failed on "
        "some seed: they speak of most seeds, or of what can happen.",
        f"{len(trained) - len(asked)} stand at the end: no fresh seed was asked of them, or none that was "
        "asked is of those that the sentence speaks of. Nothing was measured of them beyond the seeds that "
        "they were formed on.\n",
        _KEY,
        '<div class="ledger-table" role="region" aria-label="Confirmations">',
        '<table class="ledger confirmations"><thead><tr>',
        *(f'<th scope="col">{title}</th>' for title in _COLUMNS),
        "</tr></thead><tbody>",
        *(_line(claim, fresh, questions.get(claim.id, ""), link, made) for claim, fresh in trained),
        "</tbody></table></div>\n",
    ]
    listed = [f"- **{study.name.replace('_', ' ')}**: {study.question}" for study in studies]
    if listed:
        lines += ["## Studies {#studies}\n", _STUDIES, "", *listed, ""]
    return "\n".join(lines)


_COLUMNS = ("Claim", "Held", "Formed on", "Fresh seeds on which it failed", "What was asked of each")

_OPENING = """\
---
title: Confirmations
description: What seeds that nobody chose said of each claim about trained models, failures first.
search:
  exclude: true
---

# Confirmations

A claim about trained models was written after a look at its seeds. Here it is put to fresh ones: they are
drawn from the hash of the claim's words and of its predicate, so that nobody picks them, and a reworded
claim draws others. What came out is stored, whatever it was. The build repeats a few of these runs and
compares.
"""

_KEY = """\
| The sentence says | It stands if it holds on | In the table |
| :--- | :--- | :--- |
| something of each seed | each fresh seed that was asked | *… of …* |
| something of an average, or of most seeds | more than it fails on, each asked alone | *it speaks of most* |
| that something can happen | one of them | *one is enough for it* |
| something of certain seeds | as above; others are not counted | *… more say nothing of it* |

A claim that does not stand leaves the pages; a weaker one may take its place, and the page says so. Seeds are
drawn for the weaker one anew: until they are asked it stands in the table with *none asked yet*, and has
passed nothing by what its elder passed. An author does this by hand. A build stops where a claim fails on
the seeds that it was formed on, and where a page still makes one that does not stand on fresh seeds; what
those said is published, whatever it was. *Not put to fresh seeds*: the claim has no such test.
"""

_STUDIES = """\
Trainings that are too long for a build. Their outcomes are stored in the repository like those of fresh
seeds, and repeated by sample."""


def _taken_off(failed: int, dropped: int) -> str:
    """Where the claims are that say too much, in a sentence."""
    if not failed:
        return "So each may stay where it stands."
    if dropped == failed:
        return "Each of those has been taken off the pages; a weaker claim may stand in its place."
    return f"{dropped} of those have been taken off the pages; {failed - dropped} still stand on one."


def _order(claim: Judgement, fresh: Confirmed) -> tuple[int, float, str]:
    if fresh.missed:
        return int(not fresh.says_too_much), len(fresh.held) / fresh.of, claim.id
    return (2, 0.0, claim.id) if fresh.of else (3, 0.0, claim.id)


def _line(claim: Judgement, fresh: Confirmed, question: str, link: Any, made: Container[str]) -> str:
    held = fresh.in_words().removeprefix("confirmed on ").replace(" fresh seeds", "")
    missed = ", ".join(map(str, fresh.missed)) or ("none" if fresh.of else "")
    held += ": on no page any more" if fresh.says_too_much and claim.id not in made else ""
    row = f"{link('measurements.md')}#claim-{claim.id}"
    return (
        f'<tr id="confirmed-{claim.id}"><th scope="row"><a href="{row}">{breakable(claim.id)}</a>'
        f"<br>{_text(claim.words)}</th>"
        f"<td>{held}</td><td>{seeds_in_words(claim)}</td><td>{missed}</td><td>{_text(question)}</td></tr>"
    )


def _text(text: str) -> str:
    return escape(text, quote=True).replace("{", "&#123;").replace("$", "&#36;")
