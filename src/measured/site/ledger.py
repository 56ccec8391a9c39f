"""The page that lists every measurement: one row each, whose anchor is the id.

Rows are lean, since there are hundreds of them on one page: a tolerance's reason stands once a section,
and the id itself links to the line of code that names it.
"""

from __future__ import annotations

import html
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from measured.counting import counted
from measured.gate.stored import Expectation
from measured.site.provenance import Provenance, drift, key_of, run_in_words
from measured.site.reported import Comparison, sample_in_words
from measured.terms.claims import Judgement
from measured.terms.measurement import Measurement, Value, format_value
from measured.terms.record import Record
from measured.weaving.references import typeset

PAGE = "measurements.md"
_MOST_PLACES = 17  # that a float of size 1 has


@dataclass(frozen=True)
class Ledger:
    """What the page is made from.

    Args:
        provenance: records, stored values, lines of code, uses.
        link: address of a page, given its place among the pages, or of another file of the site, as seen
            from this page.
        reported: the figures of an earlier write-up beside ours.
        given: numbers that pages state without measuring them: page, text, reason.
    """

    provenance: Provenance
    link: Callable[[str], str]
    reported: Sequence[Comparison] = ()
    given: Sequence[tuple[str, str, str]] = field(default=())

    def page(self) -> str:
        """The whole page as Markdown."""
        records = self.provenance.library.records
        sections = [
            _OPENING,
            self._summary(),
            *([self._reported()] if self.reported else []),
            *(self._section(record) for record in records.values()),
            *([self._claims()] if any(r.claims for r in records.values()) else []),
            *([self._given()] if self.given else []),
            self._environment(),
        ]
        return "\n".join(sections)

    def _summary(self) -> str:
        p = self.provenance
        total, unused = len(p.library.measurements), sum(not p.pages.get(i) for i in p.library.measurements)
        claims, idle = len(p.library.claims), [c for c in p.library.claims if not p.claimed.get(c)]
        return (
            f"{counted(total, 'measurement')}: {total - unused:,} on a page, and {unused:,} only here. "
            f"{counted(claims, 'claim')}: {claims - len(idle)} made by a sentence of a page.\n"
        )

    def _section(self, record: Record) -> str:
        measured = list(record.measurements.values())
        reasons = list(dict.fromkeys(m.tolerance.reason for m in measured))
        letters = {reason: _letters(index) for index, reason in enumerate(reasons)}
        spread = any(m.samples for m in measured)
        name = record.experiment
        head = ["Measurement", "Value", "Stored, and how far it may move", "Drift", "Seeds", "Shown on"]
        head = [h for h in head if spread or h != "Seeds"]
        return "\n".join(
            [
                f"## {name} {{#experiment-{name}}}\n",
                f"<p>{_text(record.question)} "
                f'<a href="{self.link(f"records/{name}.json")}">Record (JSON)</a>, '
                f'<a href="{self.link(f"records/{name}.npz")}">arrays (npz)</a>.</p>\n',
                _open(name, "measurements" if spread else "measurements without-seeds"),
                _head(*head),
                "<tbody>",
                *(self._row(m, letters[m.tolerance.reason], spread) for m in measured),
                "</tbody></table></div>\n",
                '<p class="ledger-reasons">'
                + "<br>".join(f"<sup>{letters[r]}</sup> {_text(r)}" for r in reasons)
                + "</p>\n",
            ]
        )

    def _row(self, m: Measurement, letter: str, spread: bool) -> str:
        p = self.provenance
        expectation = p.stored.get(m.id)
        code = self.link(p.source(p.places[m.id]))
        unit = f" {_text(m.unit)}" if m.unit else ""
        seeds = f"<td>{_strip(m)}</td>" if spread else ""
        return (
            f'<tr id="{m.id}"><th scope="row"><a href="{code}" target="_self">{breakable(m.id)}</a>'
            f"<br>{_text(m.description)}</th><td>{_shown(m)}{unit}</td>"
            f"<td>{_allowed(m, expectation)}<sup>{letter}</sup></td>"
            f"<td>{_text(drift(m, expectation))}</td>{seeds}<td>{self._uses(p.pages.get(m.id, []))}</td></tr>"
        )

    def _uses(self, pages: Iterable[str]) -> str:
        return ", ".join(f'<a href="{self.link(page)}">{_text(_stem(page))}</a>' for page in pages)

    def _reported(self) -> str:
        agreeing = sum(c.agrees for c in self.reported)
        lines = [
            "## As reported, as measured {#as-reported}\n",
            f"The write-up that this site re-does gave {len(self.reported)} figures that are measured here; "
            f"{agreeing} of them agree with ours. *Chance* is the standard error of the difference, from the "
            "size of the reported sample and of ours; within three of them, two figures may be the same.\n",
            _open("As reported, as measured", "reported"),
            _head("What", "Reported", "Measured", "Difference", "Chance", "Verdict"),
            "<tbody>",
        ]
        for c in self.reported:
            difference = float(c.measured.value) - c.reported.value
            chance = "" if c.error is None else f"{c.error:.2g}"
            lines.append(
                f'<tr><th scope="row">{_text(c.reported.words)}<br>'
                f"<small>{sample_in_words(c.reported)}</small></th><td>{_text(c.shown)}</td>"
                f'<td><a href="#{c.measured.id}">{_shown(c.measured)}</a></td>'
                f"<td>{_number(difference)}</td><td>{chance}</td><td>{c.verdict}</td></tr>"
            )
        return "\n".join([*lines, "</tbody></table></div>\n"])

    def _claims(self) -> str:
        p = self.provenance
        lines = [
            "## Claims {#claims}\n",
            "Each sentence of the pages that carries a mark rests on a predicate; the build evaluates it. "
            "The margin says how far the nearest value is from making it false. Where it reads what several "
            "seeds gave, its row says what so many seeds can carry if they agree: of how large a share of "
            "all seeds the same is true, at least, with a confidence of 95%.\n",
            _open("Claims", "claims"),
            _head("Claim", "Verdict", "Margin", "False in", "Made on"),
            "<tbody>",
        ]
        for claim in p.library.claims.values():
            verdict = claim.undecidable or ("holds" if claim.holds else "does not hold")
            margin = "" if claim.margin is None else _number(claim.margin)
            uses = self._uses(p.claimed.get(claim.id, [])) or "no page"
            code = self.link(p.source(p.places[key_of(claim.id, "claim")]))
            lines.append(
                f'<tr id="claim-{claim.id}"><th scope="row">'
                f'<a href="{code}" target="_self">{breakable(claim.id)}</a>'
                f"<br>{_text(claim.words)}{_conditions(claim)}</th>"
                f"<td>{_text(verdict)}</td><td>{margin}</td><td>{_tested(claim)}</td><td>{uses}</td></tr>"
            )
        return "\n".join([*lines, "</tbody></table></div>\n"])

    def _given(self) -> str:
        lines = [
            "## Given, not measured {#given}\n",
            "Numbers that stand on a page although nothing measures them, each with the reason.\n",
            _open("Given numbers", "given"),
            _head("Number", "Page", "Why"),
            "<tbody>",
            *(
                f"<tr><td>{_text(text)}</td><td>{self._uses([page])}</td><td>{_text(reason)}</td></tr>"
                for page, text, reason in self.given
            ),
            "</tbody></table></div>\n",
        ]
        return "\n".join(lines)

    def _environment(self) -> str:
        by_run: dict[str, list[str]] = defaultdict(list)
        for record in self.provenance.library.records.values():
            by_run[run_in_words(record.environment)].append(record.experiment)
        lines = [f"<li>{_text(run)}: {', '.join(names)}</li>" for run, names in by_run.items()]
        lines += [f"<li>{name}: {_text(said)}</li>" for name, said in self.provenance.taken.items()]
        return "\n".join(["## Where it was measured {#environment}\n", "<ul>", *lines, "</ul>\n"])


_OPENING = """\
---
title: Measurements
description: Every number on this site, where it comes from, and how far it may move.
search:
  exclude: true
---

# Measurements

Every number on this site, where it comes from, and how far it may move before the build stops. *Drift* is
what was measured minus what is stored, in units of the tolerance. A small letter names the reason for a
tolerance. An id leads to the line of code that names it. [All of it as JSON](measurements.json).

<div class="ledger-filter" markdown="0"></div>
"""


def _conditions(claim: Judgement) -> str:
    """Under which conditions it was measured, and on which seeds."""
    carries = f" {claim.carries}." if claim.carries else ""
    return f"<br><small>{_text(claim.scope + carries)}</small>" if claim.scope else ""


def _tested(claim: Judgement) -> str:
    """The worlds in which the claim is false."""
    nulls = [
        f"{_text(null['words'])} ({null['worlds']:,})"
        + (f", but for {null['held']:.1%} of them" if null["held"] else "")
        for null in claim.nulls
    ]
    return "<br>".join(nulls) or _text(claim.exempt)


def breakable(name: str) -> str:
    """An id that may be broken after its dots and underscores, and nowhere else."""
    return re.sub(r"([._])(?=.)", r"\1<wbr>", _text(name))


def _open(label: str, kind: str) -> str:
    """The start of a table; its kind tells the style sheet what to write before cells on narrow screens."""
    return f'<div class="ledger-table" role="region" aria-label="{label}"><table class="ledger {kind}">'


def _head(*titles: str) -> str:
    return "<thead><tr>" + "".join(f'<th scope="col">{title}</th>' for title in titles) + "</tr></thead>"


def _allowed(m: Measurement, expectation: Expectation | None) -> str:
    if expectation is None:
        return "nothing stored "
    kind = expectation.tolerance.kind
    if kind in ("at_most", "at_least"):
        return f"{kind.replace('_', ' ')} {expectation.value:.3g}"
    width = expectation.width()
    if width:
        return _text(with_width(expectation.value, width, m.format))
    return f"exactly {_text(typeset(format_value(expectation.value, m.format), expectation.value))}"


def with_width(value: Value, width: float, specification: str) -> str:
    """A stored value and how far it may move: `0.50 ± 0.02`, in the value's own format.

    Where the format rounds away more than that, the value has as many places as the width asks for:
    4.00 ± 4e-09 would leave out 3.9998 itself.
    """
    of, unit = (100, "%") if specification.endswith("%") else (1, "")
    shown = format_value(value, specification)
    try:
        near = abs(float(shown.strip(" %").replace(",", "").replace("_", "")) / of - value) <= width
    except ValueError:
        near = False
    if not near:
        places = min(max(math.ceil(-math.log10(width * of)), 0), _MOST_PLACES)
        shown = f"{value * of:.{places}f}"
        shown = (shown.rstrip("0").rstrip(".") if "." in shown else shown) + unit
    return f"{typeset(shown, value)} ± {width * of:.2g}{unit}"


def _strip(m: Measurement) -> str:
    """The value of each seed as a dot on one line from the smallest to the largest, the mean as a tick."""
    if not m.samples:
        return ""
    low, high = min(m.samples), max(m.samples)
    width = (high - low) or 1.0
    dots = "".join(f"M{2 + 56 * (v - low) / width:.0f} 5h0" for v in sorted(m.samples))
    mean = 2 + 56 * (sum(m.samples) / len(m.samples) - low) / width
    label = f"{len(m.samples)} seeds, {_short(low, m)} to {_short(high, m)}"
    return (
        f'<svg class="strip" viewBox="0 0 60 10" role="img" aria-label="{_text(label)}">'
        f'<path d="{dots}"/><path d="M{mean:.0f} 1v8"/></svg>'
    )


def _short(value: float, m: Measurement) -> str:
    try:
        return typeset(format_value(value, m.format or ".4g"), value)
    except ValueError:
        return f"{value:.4g}"


def _shown(m: Measurement) -> str:
    return _text(typeset(m.display(), m.value))


def _number(value: float) -> str:
    return "0" if value == 0 else ("−" if value < 0 else "+") + f"{abs(value):.3g}"


def _letters(index: int) -> str:
    letter = chr(ord("a") + index % 26)
    return letter if index < 26 else _letters(index // 26 - 1) + letter


def _stem(page: str) -> str:
    stem = page.removesuffix(".md")
    return "home page" if stem == "index" else stem.removesuffix("/index")


def _text(text: str) -> str:
    """Text for a raw HTML block, with nothing in it that a check of leftovers could take for one."""
    return html.escape(text, quote=True).replace("{", "&#123;").replace("$", "&#36;")
