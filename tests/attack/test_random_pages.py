"""Ten thousand random pages: woven, or refused with a line; never a traceback, never a changed code block."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, settings

import random_pages

HALF = settings(max_examples=5_000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def test_ten_thousand_pages_are_woven_or_refused_with_their_line():
    seen: Counter[str] = Counter()

    @HALF
    @given(random_pages.pages)
    def any_page(text):
        seen["woven" if random_pages.bears(text) else "refused"] += 1

    @HALF
    @given(random_pages.sound)
    def sound_page(text):
        assert random_pages.bears(text)
        seen["sound and woven"] += 1

    any_page()
    sound_page()
    print(f"\nrandom pages: {dict(seen)}, {sum(seen.values())} in all")
    assert seen["woven"] > 500
    assert seen["refused"] > 500
    assert sum(seen.values()) >= 10_000
