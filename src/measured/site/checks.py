"""What the pages of a finished site weigh."""

from __future__ import annotations

import gzip
from pathlib import Path

from measured.errors import MeasuredError

PAGE_BUDGET = 60_000  # bytes, gzipped


def heaviest(site: Path) -> int:
    """The bytes of the heaviest page, gzipped.

    Raises:
        MeasuredError: it weighs too much.
    """
    most = 0
    for path in sorted(site.rglob("*.html"), key=lambda path: path.stat().st_size, reverse=True):
        data = path.read_bytes()
        if len(data) <= most:
            break  # compressed they are lighter still
        weight = len(gzip.compress(data, mtime=0))
        most = max(most, weight)
        if weight > PAGE_BUDGET:
            raise MeasuredError(
                f"the page weighs {weight:,} bytes gzipped",
                path=path.relative_to(site),
                expected=f"at most {PAGE_BUDGET:,}",
            )
    return most
