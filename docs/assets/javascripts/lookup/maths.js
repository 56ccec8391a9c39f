// Attention as a soft lookup, in two dimensions: the arithmetic.

/** Five keys and the values that stand under them; positions chosen to be told apart, nothing more. */
export const NAMES = ["A", "B", "C", "D", "E"];
export const KEYS = [
  [2.2, 0.8],
  [0.7, 2.3],
  [-2.0, 1.4],
  [-1.4, -1.9],
  [1.6, -1.8],
];
export const VALUES = [
  [-2.0, 1.9],
  [1.9, 2.0],
  [2.2, -1.0],
  [0.3, -2.2],
  [-2.2, -0.9],
];
export const START = [1.6, 1.2];
export const REACH = 3; // the planes run from −REACH to REACH
/** What the mask allows: the last two keys are hidden, as if they came later. */
export const ALLOWED = [true, true, true, false, false];

export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/**
 * Softmax over scores, −Infinity for a key that may not be read. The largest score is subtracted first:
 * it changes no weight, and nothing overflows. Returns the exponentials, their sum, and the weights; in
 * a row where nothing may be read they are all zero.
 */
export function softmax(scores) {
  const largest = Math.max(...scores);
  if (largest === -Infinity) return { exponentials: scores.map(() => 0), sum: 0, weights: scores.map(() => 0) };
  const exponentials = scores.map((score) => Math.exp(score - largest));
  const sum = exponentials.reduce((a, b) => a + b, 0);
  return { exponentials, sum, weights: exponentials.map((e) => e / sum) };
}

/**
 * One query against all keys: the six lines for a single row.
 *
 * @param {number[]} query
 * @param {{keys?: number[][], values?: number[][], scaled?: boolean, allowed?: boolean[] | null}} options
 * @returns {{products: number[], scores: number[], exponentials: number[], sum: number, weights: number[],
 *   shares: number[][], output: number[]}} `shares` are weight × value; they add up to `output`
 */
export function lookup(query, { keys = KEYS, values = VALUES, scaled = true, allowed = null } = {}) {
  const products = keys.map((key) => dot(query, key));
  const divisor = scaled ? Math.sqrt(query.length) : 1;
  const scores = products.map((product, i) => (allowed && !allowed[i] ? -Infinity : product / divisor));
  const { exponentials, sum, weights } = softmax(scores);
  const shares = values.map((value, i) => value.map((x) => weights[i] * x));
  const output = values[0].map((_, axis) => shares.reduce((total, share) => total + share[axis], 0));
  return { products, scores, exponentials, sum, weights, shares, output };
}

/** The largest weight's place; −1 in an empty row. */
export function heaviest(weights) {
  const largest = Math.max(...weights);
  return largest > 0 ? weights.indexOf(largest) : -1;
}

/** A query kept inside the plane. */
export function clamp(query, reach = REACH) {
  return query.map((x) => Math.min(reach, Math.max(-reach, x)));
}

/** Where the idle query is after some seconds: a slow loop that begins at START and passes every key. */
export function drift(seconds) {
  const angle = Math.atan2(START[1], START[0]) + seconds / 4;
  const radius = Math.hypot(...START) + 0.4 * Math.sin(seconds / 3);
  return clamp([radius * Math.cos(angle), radius * Math.sin(angle)]);
}
