"""Axe finds nothing, in both schemes, wide and narrow, with everything opened."""

import pytest
from built import ROOT, settle

import vendor

OPEN = 'document.querySelectorAll("article details").forEach((e) => { e.open = true; })'
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.any[0]?.message ?? v.help}`));
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    tools = vendor.install(ROOT, development=True)
    return (tools / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit, text_path, scheme, axe):
    page = visit(text_path, scheme=scheme)
    settle(page)
    page.evaluate(OPEN)
    page.evaluate(axe)
    found = page.evaluate(RUN)
    if scheme == "light":  # colours do not depend on the width, nor the outline on the scheme
        page.set_viewport_size({"width": 390, "height": 900})
        page.wait_for_timeout(150)
        found += page.evaluate(RUN)
    assert not found, "\n".join(sorted(set(found)))
