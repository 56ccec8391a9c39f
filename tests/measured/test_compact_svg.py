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
    drawn = f"M1 1{''.join(c + {'H': f'{x}', 'V': f'{y}'}.get(c, f'{x} {y}') for c, x, y in steps)}z"
    shorter = compact(f'<path d="{drawn}"/>')[9:-3]
    assert corners(shorter) == corners(drawn)
    assert len(shorter) <= len(drawn)


def test_groups_that_hold_nothing_go():
    assert (
        compact('<g><g></g><g><g/></g><g id="a"></g><text>x</text></g>')
        == '<g><g id="a"></g><text>x</text></g>'
    )
