"""Lighthouse (mobile). Performance is a timing: told, not judged; test_weight judges what causes it."""

import warnings

FULL = {"accessibility": 100, "best-practices": 100, "seo": 100}
FAST = 98


def test_lighthouse(lighthouse_reports, text_path):
    scores, failing = lighthouse_reports[text_path].result(timeout=600)
    performance = scores.pop("performance")
    print(f"\n{text_path}: performance {performance:.0f}")
    if performance < FAST:
        warnings.warn(f"{text_path}: performance {performance:.0f}, aimed at {FAST}", stacklevel=1)
    assert scores == FULL, failing
