"""What is published is what code, data and formats say now, and not what they said a moment ago."""

from __future__ import annotations

import pytest

from measured.errors import MeasuredError
from measured.terms import null
from measured.terms.audit import judged
from measured.terms.claims import Claim, above, every
from measured.terms.experiment import Experiment, Findings
from measured.terms.measurement import Exact, Measurement

LUCK = ("src/dice/luck.py", "def mean_of_throws(draws, seed):\n")
EDITOR = '''"""Stands in for an author who saves a file while the site is made."""

from pathlib import Path


def vendor(root, build):
    path = Path(root) / "src/dice/throwing.py"
    path.write_text(path.read_text(encoding="utf-8").replace("SIDES = 6", "SIDES = 60"), encoding="utf-8")
'''


def test_an_edit_while_the_site_is_made_is_not_published(sample):
    published = sample.tree("site")
    script = sample.root / "scripts" / "vendor.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(EDITOR, encoding="utf-8")
    sample.edit("docs/index.md", "# ", "# Anew: ")
    done = sample.build()
    assert done.returncode == 1, done.stdout
    assert "nothing may be published from this: records or figures are stale" in done.stdout
    assert "module dice.throwing changed" in done.stdout
    assert sample.tree("site") == published


def test_stored_outcomes_are_compared_anew_with_other_code_committed_or_not(sample):
    assert sample.run("confirm").returncode == 0
    assert "came out as stored" in sample.build().stdout
    sample.edit("docs/index.md", "# ", "# Anew: ")
    assert "once more" not in sample.build().stdout  # prose trains nothing
    sample.edit(
        "src/dice/luck.py",
        "def mean_of_throws(draws, seed):\n",
        "def mean_of_throws(draws, seed):\n    draws = draws + 0\n",
    )
    done = sample.build()
    assert done.returncode == 0, done.stdout
    assert "once more" in done.stdout
    assert "came out as stored" in done.stdout
    sample.edit("src/dice/luck.py", "    draws = draws + 0\n", "    draws = draws + 50\n")
    done = sample.build()
    assert done.returncode == 1
    assert "gives another outcome than the stored one" in done.stdout


def number(name, value):
    return Measurement(name, value, name, Exact("a count"), ".1f")


def test_a_part_that_no_null_world_has_is_told():
    """A predicate that asks more of what goes well has a part that no world tries."""

    def gains(f):
        more = [above({"second": 1.0}, 0)] if f["a.first"] > 0 else []
        return every(above({"first": f["a.first"]}, 0), above({"first": f["a.first"]}, -9), *more)

    worse = null.planted("none", lambda f: null.with_values(f, {"a.first": -1.0}))
    claim = Claim("a.gains", "it gains", gains, nulls=(worse,))
    found = Findings((number("a.first", 1.0),))
    told = judged(Experiment("a", "?", lambda: found, {}, claims=(claim,)), found, {})["a.gains"].vacuous
    assert any("part 3 of 3 of the predicate, over second, bound, is compared" in t for t in told)


@pytest.mark.parametrize("form", ["9>6.1f", "9^9.1f", "x>4.0f", "n", "c", "b", "x", "o"])
def test_a_format_shows_no_other_digits_than_were_measured(form):
    value = 100 if form in {"c", "b", "x", "o"} else 1.5
    with pytest.raises(MeasuredError):
        Measurement("a.one", value, "one", Exact("a count"), form)


@pytest.mark.parametrize(
    ("form", "shown"), [("06.1f", "0001.5"), (" >6.1f", "   1.5"), ("+.0%", "+150%"), (".2e", "1.50e+00")]
)
def test_formats_that_show_the_number_stay(form, shown):
    assert format(1.5, form) == shown
    Measurement("a.one", 1.5, "one", Exact("a count"), form)
