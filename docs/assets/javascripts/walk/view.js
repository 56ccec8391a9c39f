// A picture that is walked through, step by step, with a key or a button.
//
// Markup:  <div class="sketch picture" data-sketch="walk"> with a child of class sketch-caption and a picture that
//          executed code has written. Its parts carry data-at, the step at which they appear (from 1). Cells may
//          carry data-source and data-made: lit at that step as what is read, and as what is made. A group of
//          pictures of class tiles-all shows one at a time, with a button for the next.

import { button, html, liveText, plain } from "../shared/dom.js";

export function mount(root) {
  const parts = [...root.querySelectorAll("[data-at]")];
  const last = Math.max(...parts.map((part) => Number(part.dataset.at)));
  const lit = [...root.querySelectorAll("[data-source], [data-made]")];
  const several = [...root.querySelectorAll(".tiles-all > *")];
  const said = liveText(100);
  let at = Math.min(Number(root.dataset.start ?? 1), last);
  let which = 0;

  const back = button("Back", () => walk(-1));
  const next = button("Next step", () => walk(1));
  const all = button("Show all", () => go(last), { className: "sketch-button walk-all" });
  const other = button("Another one", () => {
    which = (which + 1) % several.length;
    go(1);
  });
  const place = html("span", { className: "walk-place" });
  const bar = html("div", { className: "sketch-controls picture-controls walk-bar", role: "group", "aria-label": "Steps; the arrow keys walk, too" }, back, next, all, ...(several.length > 1 ? [other] : []), place);

  function go(to) {
    at = Math.max(1, Math.min(last, to));
    draw();
    said.say(words());
  }

  function walk(by) {
    go(at + by);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    root.querySelector("li.is-now")?.scrollIntoView({ block: "nearest", behavior: calm ? "instant" : "smooth" });
  }

  function draw() {
    for (const part of parts) {
      const own = Number(part.dataset.at);
      part.classList.toggle("is-later", own > at);
      part.classList.toggle("is-now", own === at);
    }
    for (const cell of lit) {
      cell.classList.toggle("is-source", cell.dataset.source === String(at));
      cell.classList.toggle("is-made", cell.dataset.made === String(at));
    }
    several.forEach((picture, i) => picture.classList.toggle("is-off", i !== which));
    // A disabled button would drop the focus.
    back.setAttribute("aria-disabled", at === 1);
    next.setAttribute("aria-disabled", at === last);
    place.textContent = `${at} of ${last}`;
  }

  const words = () =>
    parts
      .filter((part) => Number(part.dataset.at) === at && !part.closest(".is-off"))
      .map((part) => plain(part.querySelector(".walk-words") ?? part))
      .join(" ");

  const keys = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.target.closest("input, select")) return;
    event.preventDefault();
    walk(by);
  };
  root.addEventListener("keydown", keys);
  said.element.classList.add("sketch-unseen"); // the same words stand in the picture
  root.append(bar, said.element);
  draw();
  // The bar stays at the foot of the window; there it would lie on the beginning of a picture that comes into view.
  const reached = new IntersectionObserver(
    (seen) => bar.classList.toggle("is-waiting", seen.at(-1).intersectionRatio < 0.99),
    { threshold: [0, 0.99], rootMargin: `9999px 0px -${bar.offsetHeight}px` },
  );
  for (const first of root.querySelectorAll(".walk-steps > li:first-child")) reached.observe(first);
  return () => {
    said.stop();
    reached.disconnect();
    root.removeEventListener("keydown", keys);
    bar.remove();
    said.element.remove();
    at = last;
    for (const part of [...parts, ...lit, ...several]) part.classList.remove("is-later", "is-now", "is-source", "is-made", "is-off");
  };
}
