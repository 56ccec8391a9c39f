"""The locked dependencies against published advisories, where these can be reached."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_no_locked_dependency_has_a_known_fault():
    locks = [*ROOT.glob("requirements*.lock"), ROOT / "src" / "measured" / "start" / "requirements.lock"]
    named = [part for path in sorted(locks) for part in ("-r", str(path))]
    command = ["-m", "pip_audit", "--disable-pip", "--require-hashes", *named]
    options = ["--format", "json", "--progress-spinner", "off", "--timeout", "10"]
    try:
        result = subprocess.run(
            [sys.executable, *command, *options],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("no advisory source answered in time")
    try:
        report = json.loads(result.stdout)
    except ValueError:
        pytest.skip(f"no advisory source can be reached: {result.stderr.strip().splitlines()[-1:]}")
    known = [d for d in report["dependencies"] if "vulns" in d]
    if not known:
        pytest.skip("no advisory source answered for any dependency")
    print(f"\naudit: {len(known)} dependencies looked up")
    faults = [f"{d['name']} {d['version']}: {v['id']}" for d in known for v in d["vulns"]]
    assert faults == []
