// From page to page: Material's instant navigation replaces the article and keeps the scripts.

/**
 * Calls `start` for the page at hand, and for each page that instant navigation brings.
 *
 * Material may come late, or never: its `document$` is watched from the moment it is there (see patient.js).
 *
 * @param {() => void} start
 */
export function onEveryPage(start) {
  start();
  const watch = () => {
    let known = true; // what it tells first is the page at hand
    globalThis.document$.subscribe(() => {
      if (!known) start();
      known = false;
    });
  };
  if (globalThis.document$) watch();
  else document.addEventListener("theme", watch, { once: true });
}
