// The live model: arcs and heat maps as SVG. Colours are classes, so they follow the scheme by themselves.

import { svg } from "../shared/dom.js";

// Weights below these draw no arc: twelve even weights are 0.083 each, and twelve positions at once would
// draw a thicket.
const FAINT = 0.12;
const FAINT_AMONG_MANY = 0.25;
const ROW = 26;

/**
 * Arcs from queries to the keys that they look at, one colour a head, as thick as the weight.
 *
 * @param {object} what
 * @param {number} what.width in pixels
 * @param {string[]} what.names of the tokens
 * @param {number[][][]} what.attention by head, query, key
 * @param {number[]} what.queries the positions that ask
 * @param {number | null} what.only one of them, or all
 * @param {(head: number) => boolean} what.off heads that are switched off
 * @param {string} what.label in words
 */
export function arcs({ width, names, attention, queries, only, off, label }) {
  const step = width / names.length;
  const x = (t) => step * (t + 0.5);
  const tall = Math.min(130, 40 + width / 5);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${tall + ROW}`, width, height: tall + ROW, role: "img", "aria-label": label });
  const faint = only === null && queries.length > 1 ? FAINT_AMONG_MANY : FAINT;
  attention.forEach((rows, head) => {
    if (off(head)) return;
    rows.forEach((row, r) => {
      const query = queries[r];
      if (only !== null && only !== query) return;
      row.forEach((weight, key) => {
        if (weight < faint) return;
        picture.append(
          svg("path", {
            d: curve(x(query), x(key), tall, step, head),
            class: `model-arc model-series${(head % 5) + 1}`,
            "stroke-width": (0.6 + 3.4 * weight).toFixed(2),
            "stroke-opacity": Math.min(1, 0.15 + weight).toFixed(2),
          }),
        );
      });
    });
  });
  names.forEach((name, t) => {
    const asks = queries.length === 1 ? queries[0] === t : only === t;
    picture.append(svg("text", { x: x(t), y: tall + ROW - 7, class: asks ? "model-token model-asks" : "model-token" }, name));
  });
  return picture;
}

/** An arc over the tokens; a loop where a position looks at itself. Heads rise to different heights. */
function curve(from, to, tall, step, head) {
  const base = tall - 2;
  if (from === to) {
    const loop = 0.32 * step;
    return `M${from - 3} ${base}C${from - loop} ${base - 26 - 4 * head} ${from + loop} ${base - 26 - 4 * head} ${from + 3} ${base}`;
  }
  const rise = Math.min(tall - 6, 16 + 0.42 * Math.abs(from - to)) - 4 * head;
  const round = (v) => v.toFixed(1);
  return `M${round(from)} ${base}C${round(from)} ${round(base - 1.3 * rise)} ${round(to)} ${round(base - 1.3 * rise)} ${round(to)} ${base}`;
}

/** Weights as a grid: a row for each query, a column for each key, as opaque as the weight. */
export function heatMap({ rows, head, off, label }) {
  const columns = rows[0].length;
  const picture = svg("svg", {
    viewBox: `-0.1 -0.1 ${columns + 0.2} ${rows.length + 0.2}`,
    role: "img",
    "aria-label": off ? `${label}; switched off` : label,
    class: off ? "model-grid model-off" : "model-grid",
  });
  picture.append(svg("rect", { x: 0, y: 0, width: columns, height: rows.length, class: "model-frame" }));
  rows.forEach((row, y) =>
    row.forEach((weight, x) => {
      if (weight < 0.01) return;
      picture.append(
        svg("rect", { x, y, width: 1, height: 1, class: `model-cell-fill model-series${(head % 5) + 1}`, "fill-opacity": weight.toFixed(3) }),
      );
    }),
  );
  return picture;
}
