"""JSON that begins with the hash of the rest: half of it, or what somebody has edited, counts as none.

Builds keep in this form what later ones take again. Nothing of the engine is imported here, and of Python
what is small: a build in which nothing changed asks before it imports anything else.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

_HEAD = b'{"sha256": "%s", "kept":\n'
_TAIL = b"\n}\n"


def as_bytes(data: Any) -> bytes:
    """Plain data as they are kept."""
    body = json.dumps(data, ensure_ascii=False).encode("utf-8")
    return _head_of(body) + body + _TAIL


def data_of(content: bytes) -> Any:
    """The data of what was kept; None where it is not as it was written."""
    head, end, rest = content.partition(b"\n")
    body = rest.removesuffix(_TAIL)
    try:
        return json.loads(body) if head + end == _head_of(body) else None
    except (ValueError, RecursionError):
        return None


def _head_of(body: bytes) -> bytes:
    return _HEAD % hashlib.sha256(body).hexdigest().encode()
