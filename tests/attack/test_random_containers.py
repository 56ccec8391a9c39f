"""Ten thousand pages of references, tables, figures, claims and cells in any nesting, as readers get them."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

import random_containers

MANY = settings(max_examples=10_000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def test_ten_thousand_pages_hold_what_they_ask_for():
    count = 0

    @MANY
    @given(random_containers.pages)
    def a_page(page):
        nonlocal count
        random_containers.holds_what_it_asks_for(page)
        count += 1

    a_page()
    print(f"\nrandom nestings: {count}")
    assert count >= 10_000
