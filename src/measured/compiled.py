"""Compiled code that may be of an earlier text than the one that stands there.

Python takes compiled code for that of a file whose size and whose second of change are still the same. A file
that was edited to the same length within the second in which it was compiled is run as it was before, while
its key says what it is now.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterable
from pathlib import Path


def forget_doubtful(packages: Iterable[str]) -> None:
    """Remove what was compiled before the second was over in which its source was changed.

    Args:
        packages: names of those that are about to be imported; one that is not installed has none.
    """
    for package in packages:
        spec = importlib.util.find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for compiled in Path(folder).rglob("__pycache__/*.pyc"):
                if _is_doubtful(compiled):
                    compiled.unlink(missing_ok=True)


def _is_doubtful(compiled: Path) -> bool:
    try:
        source = Path(importlib.util.source_from_cache(str(compiled)))
        return compiled.stat().st_mtime < math.floor(source.stat().st_mtime) + 1
    except (OSError, ValueError):
        return False  # without a source nothing imports it
