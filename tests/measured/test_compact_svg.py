"""The same drawing in fewer bytes."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measured.site.compact_svg import compact


@pytest.mark.parametrize(
    ("written", "shorter"),
    [
        ("M1 2L3 2L3 4L1 4z", "M1 2h2v2h-2z"),
        ("M11 12L13 14L13 14.5", "M11 12l2 2v.5"),
        ("M11 12C11 12 13 14 15 16L15 17", "M11 12c0 0 2 2 4 4v1"),
        ("M10 20L30 20zL10 30", "M10 20h20zv10"),
        ("M1.5 2H3.25V1", "M1.5 2H3.25V1"),
        ("m1 2l0 3", "m1 2l0 3"),
        ("M1,2L1,3", "M1 2v1"),
        ("M1e-5 2L1e-5 3", "M1e-5 2L1e-5 3"),
        ("M10 20L30 40 50 60", "M10 20L30 40 50 60"),
        ("M10 20A5 5 0 0 1 30 40", "M10 20A5 5 0 0 1 30 40"),
    ],
)
def test_a_step_says_how_far_it_goes(written, shorter):
    assert compact(f'<path d="{written}"/>') == f'<path d="{shorter}"/>'


def corners(path: str) -> list[tuple[Decimal, Decimal]]:
    """Where the steps of a path end, whether they are absolute or not."""
    x = y = start = Decimal(0)
    start, found = (x, y), []
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = [Decimal(n) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]
        own = (x, y) if command.islower() else (Decimal(0), Decimal(0))
        match command.upper():
            case "Z":
                x, y = start
            case "H":
                x = own[0] + numbers[0]
            case "V":
                y = own[1] + numbers[0]
            case _:
                x, y = own[0] + numbers[-2], own[1] + numbers[-1]
        if command == "M":
            start = (x, y)
        found.append((x, y))
    return found


coordinate = st.decimals(-500, 500, places=2, allow_nan=False)


@given(st.lists(st.tuples(st.sampled_from("MLHV"), coordinate, coordinate), min_size=1, max_size=12))
def test_each_step_ends_where_it_ended(steps):
    drawn = f"M1 1{''.join(c + {'H': f'{x}', 'V': f'{y}'}.get(c, f'{x} {y}') for c, x, y in steps)}zL1 1"
    shorter = compact(f'<path d="{drawn}"/>')[9:-3]
    assert corners(shorter) == corners(drawn)
    assert len(shorter) <= len(drawn)


def test_groups_that_hold_nothing_go():
    assert (
        compact('<g><g></g><g><g/></g><g id="a"></g><text>x</text></g>') == '<g><g id="a"/><text>x</text></g>'
    )


TICKS = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><g><g><g>
<path d="M1 9L1 2" fill="none" stroke="grid"/></g><g><defs><path id="tick" d="M0 0L0 3.5" stroke="ink"/>
</defs><g><use xlink:href="#tick" x="1" y="9" fill="ink"/></g></g></g><g><g>
<path d="M4 9L4 2" fill="none" stroke="grid"/></g><g><g>
<use xlink:href="#tick" x="4" y="9" fill="ink"/></g></g></g></g></svg>"""


def test_ticks_and_lines_of_the_grid_become_one_path_each():
    assert compact("".join(TICKS.split("\n"))) == (
        '<svg><path d="M1 9v-7M4 9v-7" fill="none" stroke="grid"/>'
        '<path d="M1 9v3.5M4 9v3.5" fill="none" stroke="ink"/></svg>'
    )


def lines(*strokes: tuple[str, str]) -> str:
    return "<g>" + "".join(f'<path d="{d}" fill="none" stroke="{look}"/>' for d, look in strokes) + "</g>"


@pytest.mark.parametrize(
    ("between", "joined"),
    [
        (("M1 5L9 5", "b"), True),  # another look, away from both
        (("M2 9L2 2", "b"), False),  # it crosses the second, which would come to lie under it
        (("M2 3L2 0", "b"), True),  # it ends where the second passes, and does not cross it
    ],
)
def test_a_line_moves_only_past_lines_that_it_does_not_cross(between, joined):
    shorter = compact(lines(("M1 1L9 1", "a"), between, ("M1 3L9 3", "a")))
    assert ("M1 1h8M1 3h8" in shorter) is joined


@pytest.mark.parametrize("painted", ['<path d="M0 0L5 5L5 0z" fill="b"/>', '<use href="#far" x="2" y="2"/>'])
def test_no_line_moves_past_what_is_painted_otherwise(painted):
    drawn = lines(("M1 1L9 1", "a"), ("M1 3L9 3", "a"))
    assert "h8M1 3" not in compact(drawn.replace("/><path", f"/>{painted}<path", 1))


def test_what_one_sees_through_stays_apart():
    drawn = lines(("M1 1L9 1", "a"), ("M1 1L9 1", "a")).replace("stroke=", 'stroke-opacity="0.4" stroke=')
    assert compact(drawn).count("M1 1h8") == 2


def test_neighbours_say_once_what_they_have_in_common():
    texts = "".join(
        f'<text x="{x}" y="2" fill="var(--figure-ink)" font-size="9px">{x}</text>' for x in (1, 2)
    )
    assert compact(f"<g>{texts}</g>") == (
        '<g font-size="9px"><g fill="var(--figure-ink)"><text x="1" y="2">1</text>'
        '<text x="2" y="2">2</text></g></g>'
    )


def clipped(inner: str) -> str:
    box = '<clipPath id="a-p0123456789"><rect x="10" y="10" width="80" height="40"/></clipPath>'
    return f"<svg><defs>{box}</defs>{inner}</svg>"


@pytest.mark.parametrize(
    ("inner", "needed"),
    [
        ('<path d="M10 10L90 50" stroke="a" clip-path="url(#a-p0123456789)"/>', False),
        ('<path d="M10 10L90 53" stroke="a" clip-path="url(#a-p0123456789)"/>', True),
        ('<path d="M10 10C90 50 9 9 9 9" stroke="a" clip-path="url(#a-p0123456789)"/>', True),
        ('<g clip-path="url(#a-p0123456789)"><use href="#m" x="50" y="30"/></g>', False),
        ('<g clip-path="url(#a-p0123456789)"><use href="#m" x="50" y="48"/></g>', True),
    ],
)
def test_what_stays_inside_needs_no_clip_and_clips_have_short_names(inner, needed):
    shorter = compact(clipped(inner))
    assert ("clip-path" in shorter) is needed
    assert ('<clipPath id="a-0">' in shorter) is needed
    assert ("url(#a-0)" in shorter) is needed


def test_a_mark_keeps_the_address_that_no_script_of_a_theme_writes_to():
    drawn = '<svg xmlns:xlink="http://www.w3.org/1999/xlink"><use xlink:href="#m" x="1" y="2"/></svg>'
    assert compact(drawn) == '<svg><use x="1" y="2" xlink:href="#m"/></svg>'


def test_a_line_keeps_the_corners_that_bend_it():
    drawn = '<path d="M0 0L10 0.1L20 0L30 5L40 10" fill="none" stroke="a"/>'
    assert compact(drawn) == '<path d="M0 0h20l20 10" fill="none" stroke="a"/>'
    filled = drawn.replace("none", "b")
    assert compact(filled).count("l") > 3, "a shape keeps all of them"


def test_a_closed_shape_keeps_the_corners_that_bend_it():
    drawn = '<path d="M0 0L10 0L20 0.1L30 0L30 9L0 9z" fill="b"/>'
    assert compact(drawn) == '<path d="M0 0h30v9h-30z" fill="b"/>'


BOW = "C{0} {1} {0} {1} {0} {1}"
DISC = "M0 2" + "".join(
    BOW.format(*end)
    for end in ((1.4, 1.4), (2, 0), (1.4, -1.4), (0, -2), (-1.4, -1.4), (-2, 0), (-1.4, 1.4), (0, 2))
)


def marked(drawn: str, *places: str) -> str:
    """A drawing of a mark, as Matplotlib writes it, at some places."""
    uses = "".join(f'<use href="#a" {place} fill="b"/>' for place in places)
    return compact(f'<svg><defs><path id="a" d="{drawn}z" stroke="c"/></defs>{uses}</svg>')


def test_a_mark_that_is_a_disc_is_a_circle():
    assert marked(DISC, 'x="3.5" y="-4"') == '<svg><circle cx="3.5" cy="-4" r="2" fill="b" stroke="c"/></svg>'
    oval = DISC.replace("2 0 ", "3 0 ").replace("2 0C", "3 0C")
    assert "<circle" not in marked(oval, 'x="1" y="1"', 'x="2" y="2"')


def test_a_mark_that_is_drawn_once_stands_where_it_is_drawn():
    square = "M-1 -1L1 -1L1 1L-1 1"
    assert marked(square, 'x="5" y="7"') == '<svg><path d="M4 6h2v2h-2z" fill="b" stroke="c"/></svg>'
    assert marked(square, 'x="5" y="7"', 'x="6" y="7"').count("<use") == 2
    assert "<use" in marked(square, 'x="5" y="7" transform="scale(2)"')
    assert "<use" in marked("M-1 -1A1 1 0 0 1 2 2", 'x="5" y="7"'), "a step that is not moved by its numbers"


def test_what_shows_nothing_goes_and_what_is_asked_for_stays():
    drawn = (
        '<svg><path d="M0 0L9 0L9 9z" fill="none"/><defs><clipPath id="kept"><rect/></clipPath>'
        '<clipPath id="alone"><rect/></clipPath></defs><circle clip-path="url(#kept)"/></svg>'
    )
    assert compact(drawn) == (
        '<svg><defs><clipPath id="kept"><rect/></clipPath></defs><circle clip-path="url(#kept)"/></svg>'
    )


@pytest.mark.parametrize(
    "drawing",
    [
        "<svg><text>1</td></svg>",
        "<svg",
        "",
        '<svg xmlns:x="x"><path id="m" d="M0 0L1 1"/><use x:href="#m" x="?" y="0"/></svg>',
        '<svg><clipPath id="c"><rect x="?" width="1"/></clipPath><path clip-path="url(#c)"/></svg>',
    ],
)
def test_what_is_no_drawing_of_ours_comes_back_as_it_is(drawing):
    assert compact(drawing) == drawing


def test_what_a_drawing_tells_a_program_is_left_out():
    assert compact("<svg><g><?php 1 ?><!-- 2 --><text>3</text></g></svg>") == "<svg><text>3</text></svg>"
