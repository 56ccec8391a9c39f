"""The site's JavaScript, with the locked Node: `python scripts/javascript.py lint|fix|test|audit`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import vendor
from measured.errors import MeasuredError

ROOT = Path(__file__).resolve().parents[1]


def main(what: str) -> int:
    """Run one of them; its exit code is theirs."""
    tools = vendor.install(ROOT, development=True)
    eslint = tools / "node_modules" / "eslint" / "bin" / "eslint.js"
    command = {
        "lint": [str(eslint), "--max-warnings", "0", "."],
        "fix": [str(eslint), "--fix", "."],
        "audit": [str(vendor.npm()), "audit"],
        "test": ["--test", "tests/javascript/**/*.test.js"],
    }[what]
    return subprocess.run([str(vendor.node()), *command], cwd=ROOT).returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except MeasuredError as error:
        sys.exit(str(error))
