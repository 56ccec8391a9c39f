// From page to page without loading anew, wherever the site stands.
//
// Material does this for addresses that its sitemap lists, in full; a site that does not know its own address has
// an empty one, and one that is served elsewhere a wrong one. So links that Material leaves alone are looked at
// here: those to pages below the site's own root. Material still fetches, swaps and remembers: it watches `location$`.

import { isOtherPage } from "./shared/addresses.js";

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
