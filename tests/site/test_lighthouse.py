"""Lighthouse (mobile). Performance is a timing: printed, not judged; test_weight judges its causes."""

import json
from pathlib import Path

from built import ROOT

import browser as browsing


def test_lighthouse(address, text_path, tmp_path):
    url = address + text_path.removesuffix("index.html")
    scores = browsing.lighthouse(ROOT, url, tmp_path / "report.json")
    print(f"\n{text_path}: performance {scores.pop('performance'):.0f}")
    assert scores == dict.fromkeys(scores, 100.0), (tmp_path / "report.json").read_text()[:0] or failing(
        tmp_path
    )


def failing(report: Path) -> list[str]:
    """The audits that cost points."""
    audits = json.loads(report.read_text(encoding="utf-8"))["audits"].values()
    return [f"{a['id']}: {a['title']}" for a in audits if a["score"] == 0]
