"""Look at workflows with actionlint and zizmor: the repository's own, and the one of a new site."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import vendor
from measured.errors import MeasuredError

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (".github/workflows", "src/measured/start/project/github/workflows")


def main() -> int:
    """Run both on each file; nought if neither found anything."""
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.yml"))]
    if not found:
        raise MeasuredError("no workflow was found", expected=f"files in {' and '.join(FOLDERS)}")
    tools = vendor.install(ROOT, development=True)
    program = tools / "node_modules" / "@tktco" / "node-actionlint" / "bin" / "node-actionlint.js"
    codes = [
        subprocess.run([str(vendor.node()), str(program), str(path.relative_to(ROOT))], cwd=ROOT).returncode
        for path in found
    ]
    strict = ["zizmor", "--offline", "--no-progress", "--persona", "pedantic", *map(str, found)]
    return max(*codes, subprocess.run(strict, cwd=ROOT).returncode)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MeasuredError as error:
        sys.exit(str(error))
