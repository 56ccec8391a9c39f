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
  const sections = sectionsOf(page);
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
    // Headings, reasons and empty tables step aside, so that the hits stand below the filter.
    for (const { parts, rows: held } of sections) {
      const gone = words.length > 0 && held.every((row) => row.hidden);
      for (const part of parts) part.hidden = gone;
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

/** What stands from one heading to the next, and the rows in it. */
function sectionsOf(page) {
  const sections = [];
  for (const part of page.children) {
    if (part.tagName === "H2") sections.push({ parts: [], rows: [] });
    const section = sections.at(-1);
    section?.parts.push(part);
    section?.rows.push(...part.querySelectorAll("table.ledger tbody tr"));
  }
  return sections;
}

/** The words of a query. */
export function wordsOf(query) {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether a row has all the words. */
export function matches(text, words) {
  return words.every((word) => text.includes(word));
}
