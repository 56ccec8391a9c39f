"""Random pages: weaving succeeds, or the engine says what is wrong and where (10,000 in `nox -s attack`)."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

import random_pages

FEW = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@FEW
@given(random_pages.pages)
def test_any_page_is_woven_or_refused_with_its_line(text):
    random_pages.bears(text)


@FEW
@given(random_pages.sound)
def test_a_sound_page_is_woven(text):
    assert random_pages.bears(text)
