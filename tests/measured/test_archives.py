"""What is sealed: an edit shows, however the file is laid out, and however it is looked at."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measured import archives, files
from measured.errors import MeasuredError

TEXTS = st.text('aé"\\ \n,{}[]:0', max_size=6)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.floats(-1, 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXTS, PLAIN, max_size=4)


@given(OBJECTS)
def test_what_was_sealed_is_known_by_its_text_and_by_its_content(data):
    whole = archives.sealed(data)
    assert archives.is_sealed(whole)
    for text in (files.json_bytes(whole), json.dumps(whole).encode()):
        assert archives.is_sealed(archives.parse_json(text), text)
    assert archives.is_sealed(whole, b"another text")


@given(OBJECTS, OBJECTS)
def test_other_content_under_the_same_seal_is_refused(data, other):
    changed = {**other, archives.SEAL: archives.sealed(data)[archives.SEAL]}
    same = files.json_bytes(data) == files.json_bytes(other)
    for text in (b"", files.json_bytes(changed), json.dumps(changed).encode()):
        assert archives.is_sealed(changed, text) == same


@given(OBJECTS, st.data())
def test_no_byte_of_the_text_can_change_what_is_read(data, draw):
    text = files.json_bytes(archives.sealed(data))
    place = draw.draw(st.integers(0, len(text) - 1))
    edited = text[:place] + draw.draw(st.sampled_from([b"", b" ", b"0", b"x", b'"'])) + text[place + 1 :]
    try:
        found = archives.parse_json(edited)
    except MeasuredError:
        return
    if isinstance(found, dict) and archives.is_sealed(found, edited):
        assert files.json_bytes(found) == text


def test_a_seal_is_of_what_stands_before_it_and_of_nothing_behind_it():
    text = files.json_bytes(archives.sealed({"a": 1}))
    more = text.removesuffix(b"\n}\n") + b',\n "b": 2\n}\n'
    assert not archives.is_sealed(archives.parse_json(more), more)


@pytest.mark.parametrize("seal", [None, 1, "", "0" * 64, ["a"], {"a": 1}])
def test_what_is_no_seal_is_refused(seal):
    data = {"a": 1, archives.SEAL: seal}
    assert not archives.is_sealed(data, files.json_bytes(data))
