"""The workflow's lines can be run where they are not GitHub's: each, in order, in a clean clone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import rehearse  # noqa: E402

WORKFLOW = {
    "env": {"SITE_URL": "${{ vars.SITE_URL }}", "KEPT": "here"},
    "jobs": {
        "first": {
            "steps": [
                {"uses": "actions/checkout@0"},
                {"run": 'test -f page.md && test "$KEPT" = here && test -z "${SITE_URL:-}${SECRET:-}"'},
                {"run": "echo made > made.txt"},
                {"run": "exit 9", "if": "failure()"},
                {"run": "test -f made.txt"},
            ]
        },
        "second": {"steps": [{"run": "test ! -f made.txt"}, {"run": "false; true"}, {"run": "true"}]},
        "publish": {"steps": [{"uses": "actions/deploy-pages@0"}]},
    },
}


def test_each_line_runs_in_a_clean_clone_of_its_job_until_one_fails(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "of whoever rehearses")
    origin = tmp_path / "origin"
    origin.mkdir()
    (origin / "page.md").write_text("one\n", "utf-8")
    git = ["git", "-C", str(origin), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
        subprocess.run([*git, *command], check=True)
    (origin / "made.txt").write_text("not committed", "utf-8")
    found = rehearse.rehearse(list(rehearse.steps(WORKFLOW)), origin, tmp_path / "clones", os.environ["PATH"])
    assert [(step.job, code) for step, code, _ in found] == [
        ("first", 0),
        ("first", 0),
        ("first", 0),
        ("second", 0),
        ("second", 1),
    ]


def test_what_was_measured_before_is_handed_on_where_somebody_says_from_where(tmp_path, monkeypatch):
    monkeypatch.setenv("MEASURED_FROM", "of whoever rehearses")
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "--quiet", "origin"], check=True)
    for number, (results, seen) in enumerate(
        (("", ""), ("https://example.org", "https://example.org"), ("origin", f"{tmp_path / 'origin'}"))
    ):
        step = rehearse.Step("job", f'test "${{MEASURED_FROM:-}}" = "{seen}"', {})
        folder, whole = tmp_path / f"clones{number}", rehearse._whole(results)
        ((_, code, _),) = rehearse.rehearse([step], tmp_path / "origin", folder, os.environ["PATH"], whole)
        assert code == 0


def test_every_line_of_our_own_workflow_is_among_them_but_what_waits_for_a_failure():
    text = (ROOT / rehearse.WORKFLOW).read_text("utf-8")
    lines = [step.line for step in rehearse.steps(yaml.safe_load(text))]
    assert len(lines) == text.count("run: ") - text.count("if: failure()")
    assert "python3 -m nox -s build" in lines
