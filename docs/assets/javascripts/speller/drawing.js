// The speller's drawings: ribbons from sounds to letters, and the cache. Colours are classes.

import { svg } from "../shared/dom.js";

const FAINT = 0.05; // weights below draw nothing

/**
 * Ribbons from the sounds above to the letters below, as thick as their weights.
 *
 * @param {object} what
 * @param {{x: number}[]} what.from middles of the sounds, in px
 * @param {{x: number}[]} what.to middles of the letters
 * @param {number[][]} what.weights by sound, letter
 * @param {number | null} what.only one sound, or all
 * @param {number} what.tall in px
 * @param {number} what.width in px
 */
export function ribbons({ from, to, weights, only, tall, width }) {
  const picture = svg("svg", { viewBox: `0 0 ${width} ${tall}`, width, height: tall, "aria-hidden": "true", class: "speller-ribbons" });
  const round = (v) => Math.round(v * 10) / 10;
  weights.forEach((row, s) => {
    row.forEach((weight, l) => {
      if (weight < FAINT || (only !== null && only !== s)) return;
      const [a, b] = [round(from[s].x), round(to[l].x)];
      picture.append(
        svg("path", {
          d: `M${a} 0C${a} ${round(tall * 0.5)} ${b} ${round(tall * 0.5)} ${b} ${tall}`,
          class: `speller-ribbon speller-series${(s % 5) + 1}`,
          "stroke-width": round(1 + 15 * weight),
          "stroke-opacity": only === null ? round(0.15 + 0.55 * weight) : round(0.25 + 0.6 * weight),
        }),
      );
    });
  });
  return picture;
}

/**
 * The cache: a column a step, a row for the keys and one for the values of each block.
 *
 * @param {object} what
 * @param {string[]} what.names of the steps: what the decoder was given
 * @param {number} what.filled steps so far
 * @param {number} what.blocks
 */
export function cacheGrid({ names, filled, blocks }) {
  const [cell, left, top] = [26, 88, 20];
  const rows = Array.from({ length: blocks }, (_, b) => [`block ${b + 1} keys`, `block ${b + 1} values`]).flat();
  const [width, tall] = [left + names.length * cell + 2, top + rows.length * 18 + 2];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${tall}`, width, height: tall, "aria-hidden": "true", class: "speller-cache-grid" });
  names.forEach((name, t) => {
    picture.append(svg("text", { x: left + (t + 0.5) * cell, y: 13, class: "speller-cache-name", "text-anchor": "middle" }, name));
  });
  rows.forEach((name, r) => {
    picture.append(svg("text", { x: left - 6, y: top + r * 18 + 12, class: "speller-cache-name", "text-anchor": "end" }, name));
    names.forEach((_, t) => {
      const state = t + 1 < filled ? "is-kept" : t + 1 === filled ? "is-new" : "is-empty";
      picture.append(svg("rect", { x: left + t * cell + 1, y: top + r * 18 + 1, width: cell - 2, height: 16, class: `speller-cache-cell ${state}` }));
    });
  });
  return picture;
}
