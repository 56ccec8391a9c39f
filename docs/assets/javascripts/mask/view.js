// Masks on a padded sentence: switches, the mistake of masking too late, and the test that finds it.
//
// Markup:  <div class="sketch" data-sketch="mask"> with a child of class sketch-caption, and a table (word,
//          query ×2, key ×2) that executed code has written. Its last row is the word that can stand in the
//          place of the last real one; padding is called “pad”.

import { button, captionOf, fixed, html, liveText, toggle } from "../shared/dom.js";
import { vectorsOf } from "../shared/tables.js";
import { allowed, moved, weightsOf } from "./maths.js";

const PADDING = "pad";

export function mount(root) {
  const rows = vectorsOf(root.querySelector("table"));
  const other = rows.pop();
  const real = rows.findIndex((word) => word.name === PADDING);
  const changed = rows.map((word, i) => (i === real - 1 ? other : word));
  const state = { causal: true, padding: true, late: false, changed: false };
  const table = weightTable(rows);
  const words = liveText(150);
  const code = html("pre", { className: "mask-code" });

  const causal = toggle("Causal mask", true, (on) => change({ causal: on }));
  const padding = toggle("Padding mask", true, (on) => change({ padding: on }));
  const late = pressed("Mistake: mask after the softmax", (on) => change({ late: on }));
  const swap = button("", () => change({ changed: !state.changed }));

  function change(to) {
    Object.assign(state, to);
    show();
  }

  function show() {
    const mask = allowed(rows.length, real, state);
    const present = state.changed ? changed : rows;
    const now = weightsOf(present, mask, state.late);
    const others = state.changed ? moved(now, weightsOf(rows, mask, state.late), mask) : [];
    table.update(present, now, mask, others);
    const lines = state.late ? ["weights = softmax(scores)", "weights = np.where(mask, weights, 0)"] : ["scores = np.where(mask, scores, -1e9)", "weights = softmax(scores)"];
    code.textContent = lines.join("\n");
    swap.textContent = `Change the last word ${state.changed ? `back to “${rows[real - 1].name}”` : `to “${other.name}”`}`;
    words.say(said(state, others.filter(({ row }) => row < real - 1).length));
  }

  const fallback = [...root.childNodes];
  root.replaceChildren(
    ...captionOf(root),
    html("div", { className: "sketch-controls" }, causal.label, padding.label, late, swap),
    html("div", { className: "sketch-scroll" }, table.element),
    words.element,
    code,
  );
  show();
  words.sayNow(said(state, 0));
  return () => {
    words.stop();
    root.replaceChildren(...fallback);
  };
}

/** A button that stays down. */
function pressed(text, onpress) {
  const made = button(
    text,
    () => {
      const on = made.getAttribute("aria-pressed") !== "true";
      made.setAttribute("aria-pressed", on);
      onpress(on);
    },
    { "aria-pressed": "false" },
  );
  return made;
}

/** Words × words. Built once and updated in place, so that the focus stays and nothing blinks. */
function weightTable(words) {
  const columns = words.map(() => html("th", { scope: "col" }));
  const lines = words.map(() => {
    const head = html("th", { scope: "row" });
    const cells = words.map(() => html("td", { className: "mask-cell" }));
    const bar = html("span", { className: "mask-bar", "aria-hidden": "true" });
    const sum = html("span");
    return { head, cells, bar, sum, row: html("tr", {}, head, ...cells, html("td", { className: "mask-sum" }, bar, sum)) };
  });
  const element = html(
    "table",
    { className: "sketch-table mask-table" },
    html("caption", {}, "Weights: a row looks, a column is looked at; hatched is blocked"),
    html("thead", {}, html("tr", {}, html("td"), ...columns, html("th", { scope: "col" }, "sum"))),
    html("tbody", {}, ...lines.map(({ row }) => row)),
  );
  return {
    element,
    update(now, weights, mask, others) {
      now.forEach(({ name }, i) => {
        for (const head of [columns[i], lines[i].head]) {
          head.textContent = name;
          head.classList.toggle("is-masked", name === PADDING);
        }
        weights[i].forEach((weight, j) => {
          const cell = lines[i].cells[j];
          cell.textContent = mask[i][j] ? fixed(weight).replace(/^0/, "") : "";
          cell.classList.toggle("is-blocked", !mask[i][j]);
          cell.classList.toggle("is-moved", others.some(({ row, column }) => row === i && column === j));
          cell.setAttribute("aria-label", mask[i][j] ? fixed(weight) : "blocked");
          cell.style.setProperty("--weight", weight.toFixed(3));
        });
        const sum = weights[i].reduce((a, b) => a + b, 0);
        lines[i].bar.style.width = `${(sum * 3).toFixed(2)}em`;
        lines[i].sum.textContent = fixed(sum);
        lines[i].row.classList.toggle("is-short", sum < 0.995);
      });
    },
  };
}

/** What the table says. */
function said({ causal, padding, late, changed }, before) {
  const what = late && (causal || padding)
    ? "Rows no longer sum to 1: what was blocked had already taken its share of the softmax. "
    : causal || padding
      ? "A blocked score becomes very negative before the softmax, its weight zero, and the rest of the row shares 1. "
      : "Nothing is blocked: each word looks at all words, and at the padding. ";
  if (!changed) return `${what}Change the last word and see which weights move.`;
  if (!before) return `${what}The last word changed, and no weight of an earlier word moved: that is how you test a causal mask.`;
  const moves = `The last word changed, and ${before} weights of earlier words moved`;
  return causal ? `${what}${moves}: the future shows through.` : `${what}${moves}. Without a causal mask that is as it should be.`;
}
