"""What the site's data files hold: their schemas, published beside them, and the check that they fit.

A version counts what would break a reader: a key that goes, or means something else, makes the next one. A
new key does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from measured.errors import MeasuredError

VERSIONS = {"measurements.json": "measurements-1.json", "claims.json": "claims-1.json"}
"""For each file of the site, the schema that it fits."""

FOLDER = "schemas"
_HERE = Path(__file__).with_suffix("")


def files() -> Iterator[tuple[str, str]]:
    """Path in the site, and content."""
    for name in VERSIONS.values():
        yield f"{FOLDER}/{name}", (_HERE / name).read_text(encoding="utf-8")


@cache
def schema_of(name: str) -> dict[str, Any]:
    """The schema of a file of the site."""
    return json.loads((_HERE / VERSIONS[name]).read_text(encoding="utf-8"))


def checked(name: str, data: Any) -> Any:
    """Data that fits the schema of its file.

    Raises:
        MeasuredError: it does not; readers of the published file would break.
    """
    from jsonschema import Draft202012Validator

    for error in Draft202012Validator(schema_of(name)).iter_errors(data):
        where = error.json_path
        raise MeasuredError(
            f"{where}: {error.message[:200]}",
            path=name,
            expected=f"what {FOLDER}/{VERSIONS[name]} says, which others read it by",
            mend="a new meaning needs a new version of the schema, in src/measured/site/schemas/",
        )
    return data
