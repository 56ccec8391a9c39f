// A filter above the tables of measurements. Without this script all rows are shown.
//
// Markup:  <div class="ledger-filter"></div>, before tables whose rows have ids

import { html } from "./elements.js";

export function mount(place) {
  const page = place.parentElement;
  const rows = [...page.querySelectorAll("table.ledger tbody tr")].map((row) => ({
    row,
    text: row.textContent.toLowerCase(),
  }));
  const status = html("output", {});
  const input = html("input", { type: "search", autocomplete: "off", spellcheck: false });
  const label = html("label", {}, html("span", {}, "Filter the rows"), input);
  const filter = () => {
    const words = wordsOf(input.value);
    let shown = 0;
    for (const { row, text } of rows) {
      row.hidden = !matches(text, words);
      shown += !row.hidden;
    }
    status.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  };
  const reveal = () => {
    // A link to a row that the filter hides must still lead there.
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target?.hidden) return;
    input.value = "";
    filter();
    target.scrollIntoView();
  };
  input.addEventListener("input", filter);
  globalThis.addEventListener("hashchange", reveal);
  place.replaceChildren(label, status);
  return () => globalThis.removeEventListener("hashchange", reveal);
}

/** The words of a query. */
export function wordsOf(query) {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether a row has all the words. */
export function matches(text, words) {
  return words.every((word) => text.includes(word));
}
