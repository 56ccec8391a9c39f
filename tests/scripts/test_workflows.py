"""The workflows keep to the rules of SECURITY.md, and run sessions that there are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
START = ROOT / "src" / "measured" / "start" / "project"
WORKFLOWS = {
    ROOT / ".github" / "workflows" / "site.yml": ROOT / "noxfile.py",
    START / "github" / "workflows" / "site.yml": START / "noxfile.py",
}


@pytest.fixture(params=WORKFLOWS, ids=["own", "of a new site"])
def path(request):
    return request.param


@pytest.fixture
def workflow(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(workflow):
    return [(name, step) for name, job in workflow["jobs"].items() for step in job.get("steps", ())]


def test_it_runs_for_pull_requests_without_their_rights(workflow):
    triggers = workflow[True]  # what YAML makes of `on`
    assert set(triggers) == {"push", "pull_request"}
    assert triggers["push"] == {"branches": ["main"]}


def test_rights_are_the_least_and_each_job_ends(workflow):
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 180, name
        writing = {right for right, kind in job["permissions"].items() if kind == "write"}
        assert writing == ({"pages", "id-token"} if name == "publish" else set()), name


def test_no_secret_is_named_and_nothing_of_an_event_reaches_a_shell(path, workflow):
    assert "secrets." not in path.read_text(encoding="utf-8")
    for name, step in steps(workflow):
        assert "${{" not in step.get("run", ""), name


def test_each_action_is_pinned_by_commit_and_says_its_version(path, workflow):
    used = [step["uses"] for _, step in steps(workflow) if "uses" in step]
    assert used
    written = re.findall(r"uses: (\S+) # v\d+\.\d+\.\d+$", path.read_text(encoding="utf-8"), re.M)
    assert written == used
    for action in used:
        assert re.fullmatch(r"actions/[\w/-]+@[0-9a-f]{40}", action), action


def test_no_credentials_stay_behind(workflow):
    checkouts = [step for _, step in steps(workflow) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_publishing_runs_nothing_and_comes_from_the_main_branch_alone(workflow):
    job = workflow["jobs"]["publish"]
    assert job["if"] == "github.event_name == 'push' && github.ref == 'refs/heads/main'"
    assert [step.get("uses", "").partition("@")[0] for step in job["steps"]] == ["actions/deploy-pages"]
    assert "build" in job["needs"]


def test_a_pull_request_writes_no_cache(workflow):
    caches = [step for _, step in steps(workflow) if "actions/cache" in step.get("uses", "")]
    kinds = sorted(step["uses"].partition("@")[0] for step in caches)
    assert kinds == ["actions/cache/restore", "actions/cache/save"]
    for step in caches:
        if "/save" in step["uses"]:
            assert step["if"].startswith("github.event_name == 'push' && ")


def test_each_session_that_it_runs_is_there(path, workflow):
    noxfile = ast.parse(WORKFLOWS[path].read_text(encoding="utf-8"))
    there = {node.name for node in noxfile.body if isinstance(node, ast.FunctionDef) and node.decorator_list}
    runs = [step["run"] for _, step in steps(workflow) if "run" in step]
    asked = {name for run in runs for name in re.findall(r"nox -s (\w+)", run)}
    assert {"build", "tests"} <= asked <= there
    for run in runs:
        assert re.fullmatch(r'python3 -m (nox -s \w+( -- .+)?|pip install "nox\[uv\]")', run), run
