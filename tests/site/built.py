"""The built site that is checked, and what every check of it needs."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# SITE: another folder than the published one.
SITE = Path(os.environ.get("SITE", ROOT / "site")).resolve()

# Brings every component of the page to life, as a reader does who scrolls to the end.
SETTLE = """async () => {
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  for (let y = 0; y < document.body.scrollHeight; y += innerHeight) { scrollTo(0, y); await pause(40); }
  for (let i = 0; i < 200 && document.querySelector('[data-mounted="yes"]'); i++) await pause(50);
  scrollTo(0, 0);
  await document.fonts.ready;
  await pause(50);
  return [...document.querySelectorAll("[data-mounted]")].map((e) => e.dataset.mounted);
}"""
COMPONENTS = "[data-sketch], [data-table], .predict, .quiz"


def settle(page) -> None:
    """Mount what scrolling mounts; every component must stand."""
    states = page.evaluate(SETTLE)
    assert set(states) <= {"ready"}, states


def until(page, expression: str, seconds: float = 30.0) -> None:
    """Wait until an expression is true. Playwright's own way evaluates text, which the policy forbids."""
    for _ in range(int(seconds / 0.05)):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not within {seconds:.0f} s: {expression}")


def is_listing(page: str) -> bool:
    """Whether the page is a module's code; all of them come from one template."""
    return page.startswith("code/")
