// From tokens to outputs, matrix by matrix, and what made each cell.

import { softmax } from "../lookup/maths.js";

const transposed = (a) => a[0].map((_, j) => a.map((row) => row[j]));
const product = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));

/** The lines of code, and which matrix each one makes. */
export const LINES = [
  { makes: "Q", code: "Q = X @ W_Q" },
  { makes: "K", code: "K = X @ W_K" },
  { makes: "V", code: "V = X @ W_V" },
  { makes: "scores", code: "scores = Q @ K.T / 2**0.5" },
  { makes: "weights", code: "weights = softmax(scores)" },
  { makes: "output", code: "output = weights @ V" },
];

/**
 * All matrices by name.
 *
 * @param {{X: number[][], W_Q: number[][], W_K: number[][], W_V: number[][]}} given
 */
export function matrices({ X, W_Q, W_K, W_V }) {
  const [Q, K, V] = [W_Q, W_K, W_V].map((kernel) => product(X, kernel));
  const scores = product(Q, transposed(K)).map((row) => row.map((x) => x / Math.sqrt(Q[0].length)));
  const weights = scores.map((row) => softmax(row).weights);
  return { X, W_Q, W_K, W_V, Q, K, V, scores, weights, output: product(weights, V) };
}

/**
 * The cells that one cell is made from.
 *
 * @returns {{matrix: string, row: number, column: number}[]}
 */
export function sources(found, matrix, i, j) {
  const row = (name, r) => found[name][r].map((_, column) => ({ matrix: name, row: r, column }));
  const column = (name, c) => found[name].map((_, r) => ({ matrix: name, row: r, column: c }));
  const kernels = { Q: "W_Q", K: "W_K", V: "W_V" };
  if (matrix in kernels) return [...row("X", i), ...column(kernels[matrix], j)];
  if (matrix === "scores") return [...row("Q", i), ...row("K", j)];
  if (matrix === "weights") return row("scores", i);
  if (matrix === "output") return [...row("weights", i), ...column("V", j)];
  return [];
}
