// Weights of every word over every word, under masks, and what masking too late does.

import { dot, softmax } from "../lookup/maths.js";

/**
 * Who may look at whom: True = may attend.
 *
 * @param {number} count
 * @param {number} real how many places hold words; the rest is padding
 * @param {{causal: boolean, padding: boolean}} masks
 * @returns {boolean[][]} rows look, columns are looked at
 */
export function allowed(count, real, { causal, padding }) {
  const places = Array.from({ length: count }, (_, place) => place);
  return places.map((i) => places.map((j) => (!causal || j <= i) && (!padding || j < real)));
}

/**
 * The matrix of weights.
 *
 * @param {{query: number[], key: number[]}[]} words
 * @param {boolean[][]} mask
 * @param {boolean} late the mistake: weights are set to zero after the softmax
 * @returns {number[][]}
 */
export function weightsOf(words, mask, late) {
  return words.map(({ query }, i) => {
    const scores = words.map(({ key }, j) => (late || mask[i][j] ? dot(query, key) / Math.sqrt(query.length) : -Infinity));
    const { weights } = softmax(scores);
    return late ? weights.map((weight, j) => (mask[i][j] ? weight : 0)) : weights;
  });
}

/**
 * The allowed pairs whose weight differs between two matrices.
 *
 * @returns {{row: number, column: number}[]}
 */
export function moved(now, before, mask, by = 1e-9) {
  const found = [];
  now.forEach((row, i) =>
    row.forEach((weight, j) => {
      if (mask[i][j] && Math.abs(weight - before[i][j]) > by) found.push({ row: i, column: j });
    }),
  );
  return found;
}
