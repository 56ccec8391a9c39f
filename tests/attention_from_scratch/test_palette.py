"""One palette for pages, figures and sketches: legible in both schemes, by WCAG 2.2's contrast ratio."""

import json
from pathlib import Path

import pytest

PALETTE = Path(__file__).resolve().parents[2] / "src" / "attention_from_scratch" / "figures" / "palette.json"
ROLES = json.loads(PALETTE.read_text(encoding="utf-8"))
SERIES = tuple(f"series{i}" for i in range(1, 6))
# Series colour words in code and labels in figures, so they are text too.
TEXT = ("ink", "muted", "accent", *SERIES)
GROUNDS = ("surface", "raised")


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_known_pairs():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("role", TEXT)
def test_text_is_legible(role, ground, scheme):
    assert contrast(ROLES[role][scheme], ROLES[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_of_a_figure_stand_out_and_its_grid_does_not(scheme):
    surface = ROLES["surface"][scheme]
    assert all(contrast(ROLES[role][scheme], surface) >= 3 for role in (*SERIES, "muted"))
    assert contrast(ROLES["grid"][scheme], surface) < 2
