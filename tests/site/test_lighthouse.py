"""Lighthouse (mobile). Performance is a timing: printed, not judged; test_weight judges what causes it."""

FULL = {"accessibility": 100, "best-practices": 100, "seo": 100}


def test_lighthouse(lighthouse_reports, text_path):
    scores, failing = lighthouse_reports[text_path].result(timeout=600)
    print(f"\n{text_path}: performance {scores.pop('performance'):.0f}")
    assert scores == FULL, failing
