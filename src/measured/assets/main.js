// What the engine brings to every page: cards at numbers and claims, a filter on the page of measurements.
//
// A page works without this file: numbers and marks are links to the row that says the same, and all rows are
// shown. Each part is fetched by pages that have something for it. `mount(element)` returns how to take it away.

const PARTS = [
  [["article", "[role=main]", "main"], "a.measured, a.claim-mark", () => import("./cards.js")],
  [[".ledger-filter"], null, () => import("./ledger.js")],
];

let mounted = [];

/** Looks at the page at hand. */
function start() {
  for (const unmount of mounted) unmount();
  mounted = [];
  for (const [selectors, held, bring] of PARTS) {
    const element = selectors.map((selector) => document.querySelector(selector)).find(Boolean); // the innermost first
    if (element && (!held || element.querySelector(held))) mount(element, bring);
  }
}

async function mount(element, bring) {
  if (element.dataset.mounted) return;
  element.dataset.mounted = "yes";
  try {
    const part = await bring();
    if (!element.isConnected) return;
    const unmount = part.mount(element);
    mounted.push(() => {
      unmount?.();
      delete element.dataset.mounted;
    });
    element.dataset.mounted = "ready";
  } catch (error) {
    element.dataset.mounted = "failed"; // its links and rows stay as they were
    console.error(error);
  }
}

/** Instant navigation replaces the article and keeps the scripts; Material tells of each page, the first included. */
function follow() {
  let known = true;
  globalThis.document$.subscribe(() => {
    if (!known) start();
    known = false;
  });
}

start();
// A site may fetch the theme's script late, and says so then.
if (globalThis.document$) follow();
else document.addEventListener("theme", follow, { once: true });
