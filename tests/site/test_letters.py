"""Letters of drawings are large enough to be read, on every page, without a script."""

import pytest
from built import SITE

import browser as browsing

SMALLEST = 11  # pixels
# Each line of a drawing that is shown, folds open, and how large its letters are on the screen.
LETTERS = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const shown = [...document.querySelectorAll("article svg text, article svg tspan")].filter(
    (text) => text.textContent.trim() && text.getClientRects().length,
  );
  return shown.map((text) => {
    const { a, b } = text.getScreenCTM();
    return [Math.hypot(a, b) * parseFloat(getComputedStyle(text).fontSize), text.textContent];
  });
}"""


@pytest.mark.parametrize("width", [390, 1440])
def test_no_letter_of_a_drawing_is_below_eleven_pixels(browser, address, site, width):
    context = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=False)
    page = context.new_page()
    small, drawn = [], 0
    for path in browsing.pages_of(SITE):
        if b"<text" not in (site / path).read_bytes():
            continue
        page.goto(address + path.removesuffix("index.html"))
        letters = page.evaluate(LETTERS)
        drawn += len(letters)
        small += [(path, text, round(size, 1)) for size, text in letters if size < SMALLEST - 0.05]
    context.close()
    assert drawn > 500
    assert small == []
