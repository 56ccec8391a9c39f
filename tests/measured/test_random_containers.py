"""Random nestings: what a page asks for is in the rendered page, nothing else (10,000 in `nox -s attack`)."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

import random_containers

FEW = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@FEW
@given(random_containers.pages)
def test_a_page_holds_what_it_asks_for(page):
    random_containers.holds_what_it_asks_for(page)
