"""YAML through its C library, where that is there: ten times faster, and the same."""

from __future__ import annotations

from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def load(text: str) -> Any:
    """What a document says.

    Raises:
        yaml.YAMLError: it is none.
    """
    return yaml.load(text, Loader=_LOADER)


def dump(data: Any) -> str:
    """Data as a document, in their own order."""
    return yaml.dump(data, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=110)
