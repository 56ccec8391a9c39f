"""The same drawing in fewer bytes."""

import pytest

from measured.site.compact_svg import compact


@pytest.mark.parametrize(
    ("written", "shorter"),
    [
        ("M1 2L3 2L3 4L1 4z", "M1 2H3V4H1z"),
        ("M1 2L3 4L3 4.5", "M1 2L3 4V4.5"),
        ("M1 2C1 2 3 4 5 6L5 7", "M1 2C1 2 3 4 5 6V7"),
        ("M1 2zL1 3", "M1 2zL1 3"),
        ("m1 2l0 3", "m1 2l0 3"),
        ("M1,2L1,3", "M1,2V3"),
        ("M1e-5 2L1e-5 3", "M1e-5 2L1e-5 3"),
    ],
)
def test_a_line_along_an_axis_names_one_coordinate(written, shorter):
    assert compact(f'<path d="{written}"/>') == f'<path d="{shorter}"/>'


def test_groups_that_hold_nothing_go():
    assert (
        compact('<g><g></g><g><g/></g><g id="a"></g><text>x</text></g>')
        == '<g><g id="a"></g><text>x</text></g>'
    )
