"""The published data fits its schemas, and the schemas describe all of it."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from measured.errors import MeasuredError
from measured.site import schemas


@pytest.mark.parametrize("name", schemas.VERSIONS)
def test_the_published_file_fits_and_each_of_its_keys_is_described(accepted, name):
    Draft202012Validator.check_schema(schemas.schema_of(name))
    rows = json.loads(accepted.read(f"site/{name}"))
    assert rows
    assert schemas.checked(name, rows) == rows
    described = schemas.schema_of(name)["items"]["properties"]
    assert {key for row in rows for key in row} <= set(described)
    assert all(one.get("description") for one in described.values())
    assert json.loads(accepted.read(f"site/schemas/{schemas.VERSIONS[name]}")) == schemas.schema_of(name)


@pytest.mark.parametrize("key", ["id", "value", "tolerance", "seeds", "source"])
def test_a_key_that_goes_or_changes_its_kind_stops_the_build(accepted, key):
    rows = json.loads(accepted.read("site/measurements.json"))
    without = [{k: v for k, v in rows[0].items() if k != key}, *rows[1:]]
    with pytest.raises(MeasuredError, match=rf"'{key}' is a required property"):
        schemas.checked("measurements.json", without)
    with pytest.raises(MeasuredError, match=rf"\$\[0\]\.{key}"):
        schemas.checked("measurements.json", [{**rows[0], key: {"other": 1}}, *rows[1:]])
