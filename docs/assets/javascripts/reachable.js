// What a keyboard must reach, and a screen reader need not hear.
//
// A box that scrolls sideways (a wide figure, formula, table or output on a small screen) takes the focus
// while it scrolls, so that arrow keys move it. Material wraps the copy button of each block of code in a
// <nav> of its own; a page has dozens, and they are no places to jump to.

import { onEveryPage } from "./shared/pages.js";

const SCROLLERS =
  ".measured-figure > p, math[display=block], .md-typeset__scrollwrap, .cell-output, .diagram, .sketch-scroll";

let takeDown = () => {};

function start() {
  takeDown();
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  const article = document.querySelector("article");
  const look = () => {
    for (const element of article.querySelectorAll(SCROLLERS)) resized.observe(element);
    for (const element of article.querySelectorAll(".md-code__nav:not([role])")) element.setAttribute("role", "none");
  };
  const added = new MutationObserver(look); // Material and the components add theirs later
  added.observe(article, { childList: true, subtree: true });
  look();
  takeDown = () => {
    resized.disconnect();
    added.disconnect();
  };
}

onEveryPage(start);
