// From page to page without loading anew, wherever the site stands.
//
// Material does this for addresses that its sitemap lists, in full; a site that does not know its own address has
// an empty one, and one that is served elsewhere a wrong one. So links that Material leaves alone are looked at
// here: those to pages below the site's own root. Material still fetches, swaps and remembers: it watches `location$`.

// What a new document would bring by itself is brought here: whoever comes back by keyboard stands on the link that led
// away; and a text face that came too late for the first page, which the browser gives up for this document
// (font-display: optional), is there on the second.

import { isOtherPage } from "./shared/addresses.js";
import { onEveryPage } from "./shared/pages.js";

const config = document.getElementById("__config");
const { base, features = [] } = config ? JSON.parse(config.textContent) : { base: "." };
const root = new URL(base.endsWith("/") ? base : `${base}/`, location.href); // a page of errors has “/”

function follow(event) {
  const { location$ } = globalThis;
  const link = event.target.closest?.("a[href]");
  if (!link || !location$ || event.defaultPrevented || event.button) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href);
  if (link.target || link.hasAttribute("download") || !isOtherPage(url, location, root)) return;
  event.preventDefault();
  history.scrollRestoration = "manual";
  history.replaceState({ x: scrollX, y: scrollY }, "");
  history.pushState(null, "", url);
  location$.next(url);
}

if (features.includes("navigation.instant")) document.addEventListener("click", follow);

const leftBy = new Map(); // path of a page: the link that led away from it, and which of those to that address it is
let isReturning = false;

const linksTo = (address) => [...document.querySelectorAll("a[href]")].filter(({ href }) => href === address);

function rememberLink({ target, detail }) {
  const link = target.closest?.("a[href]");
  if (link && !detail) leftBy.set(location.pathname, { address: link.href, place: linksTo(link.href).indexOf(link) });
}

function restoreFocus() {
  const link = leftBy.get(location.pathname);
  if (isReturning && link) linksTo(link.address)[link.place]?.focus({ preventScroll: true });
  isReturning = false;
}

addEventListener("click", rememberLink, { capture: true });
addEventListener("popstate", () => (isReturning = true));
onEveryPage(restoreFocus);

let isFirst = true;

function bringLateFaces() {
  const [painted] = performance.getEntriesByName("first-contentful-paint");
  const isLate = ({ name, initiatorType, responseEnd }) =>
    name.endsWith(".woff2") && initiatorType === "link" && responseEnd > painted?.startTime;
  if (isFirst || !performance.getEntriesByType("resource").some(isLate)) {
    isFirst = false;
    return;
  }
  performance.clearResourceTimings(); // once is enough
  for (const sheet of document.styleSheets) {
    [...sheet.cssRules].forEach(({ cssText }, place) => {
      if (!cssText.startsWith("@font-face") || !cssText.includes("optional")) return;
      sheet.deleteRule(place);
      sheet.insertRule(cssText, place);
    });
  }
}

onEveryPage(bringLateFaces);
