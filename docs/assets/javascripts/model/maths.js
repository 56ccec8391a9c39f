// The trained block model's forward pass, after src/attention_from_scratch/forward.py: the arithmetic.
//
// A model is what src/attention_from_scratch/export.py wrote: a manifest, and little-endian float32 numbers.
//   {"weights": "two-blocks.bin", "length": 12, "causal": false, "layer_norm_epsilon": 0.001,
//    "arrays": [{"name": "block1_attention.query.kernel", "shape": [32, 4, 8], "offset": 0}, …],
//    "test": {"tokens": [[…], …], "logits": [[…], …], "tolerance": 0.0001}, …}
// `offset` counts bytes. Blocks, heads and widths are read off the arrays' shapes.

import { largest, readArrays, softmax } from "../shared/models.js";

export const SYMBOLS = 7;
export const CUE = SYMBOLS + 1;

/** A model from its manifest and its bytes; an Error names what is missing or too short. */
export function readModel(manifest, buffer) {
  const { weights, shapeOf } = readArrays(manifest, buffer);
  const [width, heads, keyDim] = shapeOf("block1_attention.query.kernel");
  const [vocabulary] = shapeOf("embedding.embeddings");
  const blocks = manifest.arrays.filter(({ name }) => name.endsWith("_attention.query.kernel")).length;
  const [, hidden] = shapeOf("block1_hidden.kernel");
  const { length, causal, layer_norm_epsilon: epsilon } = manifest;
  return { weights, width, heads, keyDim, vocabulary, blocks, hidden, causal, length, epsilon };
}

/** How far the logits computed here are from those that Keras computed, at most, over the manifest's test. */
export function disagreement(model, { tokens, logits }) {
  const apart = tokens.flatMap((sequence, i) => {
    const here = forward(model, sequence).logits;
    return logits[i].map((logit, j) => Math.abs(logit - here[j]));
  });
  return Math.max(...apart);
}

/** Sinusoidal positions, sine and cosine interleaved; (length × width), as one row after another. */
export function positions(length, width) {
  const table = new Float64Array(length * width);
  for (let t = 0; t < length; t += 1) {
    for (let i = 0; i < width; i += 2) {
      const angle = t / 10000 ** (i / width);
      table[t * width + i] = Math.sin(angle);
      if (i + 1 < width) table[t * width + i + 1] = Math.cos(angle);
    }
  }
  return table;
}

/** Rows (count × from) times kernel (from × to) plus bias. */
export function dense(rows, count, from, kernel, bias, to) {
  const out = new Float64Array(count * to);
  for (let r = 0; r < count; r += 1) {
    for (let j = 0; j < to; j += 1) out[r * to + j] = bias[j];
    for (let i = 0; i < from; i += 1) {
      const x = rows[r * from + i];
      if (x === 0) continue;
      for (let j = 0; j < to; j += 1) out[r * to + j] += x * kernel[i * to + j];
    }
  }
  return out;
}

/** Adds `more` to the rows and normalises each over its width. */
function addAndNormalise({ width, epsilon }, rows, more, count, gamma, beta) {
  const out = new Float64Array(count * width);
  for (let r = 0; r < count; r += 1) {
    let mean = 0;
    for (let i = 0; i < width; i += 1) {
      out[r * width + i] = rows[r * width + i] + more[r * width + i];
      mean += out[r * width + i];
    }
    mean /= width;
    let variance = 0;
    for (let i = 0; i < width; i += 1) variance += (out[r * width + i] - mean) ** 2;
    const deviation = Math.sqrt(variance / width + epsilon);
    for (let i = 0; i < width; i += 1) {
      out[r * width + i] = ((out[r * width + i] - mean) / deviation) * gamma[i] + beta[i];
    }
  }
  return out;
}

/** Multi-head attention of the queries' rows over all rows; `off(head)` hands zeros on instead. */
function attend(model, name, queries, count, rows, length, hides, off) {
  const { weights, width, heads, keyDim } = model;
  const part = (which, source, n) =>
    dense(source, n, width, weights.get(`${name}.${which}.kernel`), weights.get(`${name}.${which}.bias`), heads * keyDim);
  const [q, k, v] = [part("query", queries, count), part("key", rows, length), part("value", rows, length)];
  const size = heads * keyDim;
  const handedOn = new Float64Array(count * size);
  const attention = [];
  for (let h = 0; h < heads; h += 1) {
    const ofHead = [];
    for (let r = 0; r < count; r += 1) {
      const scores = [];
      for (let t = 0; t < length; t += 1) {
        let score = 0;
        for (let i = 0; i < keyDim; i += 1) score += q[r * size + h * keyDim + i] * k[t * size + h * keyDim + i];
        scores.push(hides(r, t) ? -Infinity : score / Math.sqrt(keyDim));
      }
      const shares = softmax(scores);
      ofHead.push(shares);
      if (off(h)) continue;
      for (let t = 0; t < length; t += 1) {
        for (let i = 0; i < keyDim; i += 1) handedOn[r * size + h * keyDim + i] += shares[t] * v[t * size + h * keyDim + i];
      }
    }
    attention.push(ofHead);
  }
  const kernel = weights.get(`${name}.attention_output.kernel`);
  const bias = weights.get(`${name}.attention_output.bias`);
  return { output: dense(handedOn, count, size, kernel, bias, width), attention };
}

/**
 * The model's answer to one sequence.
 *
 * @param {ReturnType<readModel>} model
 * @param {number[]} tokens
 * @param {(block: number, head: number) => boolean} off heads, counted from 0, that hand on zeros
 * @returns {{logits: Float64Array, probabilities: number[], attention: number[][][][]}} `attention` by
 *   block, head, query, key; the last block has one query, the last position, since nothing else reaches
 *   the logits
 */
export function forward(model, tokens, off = () => false) {
  const { weights, width, hidden, vocabulary, blocks, causal } = model;
  const length = tokens.length;
  const embeddings = weights.get("embedding.embeddings");
  let rows = positions(length, width);
  tokens.forEach((token, t) => {
    for (let i = 0; i < width; i += 1) rows[t * width + i] += embeddings[token * width + i];
  });
  const attention = [];
  for (let block = 0; block < blocks; block += 1) {
    const name = `block${block + 1}`;
    const get = (rest) => weights.get(`${name}_${rest}`);
    const last = block === blocks - 1;
    const queries = last ? rows.slice((length - 1) * width) : rows;
    const count = last ? 1 : length;
    const hides = causal && !last ? (r, t) => t > r : () => false;
    const attended = attend(model, `${name}_attention`, queries, count, rows, length, hides, (h) => off(block, h));
    attention.push(attended.attention);
    rows = addAndNormalise(model, queries, attended.output, count, get("norm1.gamma"), get("norm1.beta"));
    const inner = dense(rows, count, width, get("hidden.kernel"), get("hidden.bias"), hidden).map((x) => Math.max(x, 0));
    const outer = dense(inner, count, hidden, get("output.kernel"), get("output.bias"), width);
    rows = addAndNormalise(model, rows, outer, count, get("norm2.gamma"), get("norm2.beta"));
  }
  const logits = dense(rows.slice(-width), 1, width, weights.get("logits.kernel"), weights.get("logits.bias"), vocabulary);
  return { logits, probabilities: softmax(logits), attention };
}

/** A generator of numbers in [0, 1) from a seed: the same sequences for every reader. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0; // mulberry32
    let z = state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A sequence of the task: symbols, the cue at `place`, the cue again at the end. */
export function drawSequence(length, random) {
  const tokens = Array.from({ length }, () => 1 + Math.floor(random() * SYMBOLS));
  return withCue(tokens, Math.floor(random() * (length - 2)));
}

/** The same symbols with the first cue at another place; what stood there is kept where it can be. */
export function withCue(tokens, place) {
  const symbols = tokens.map((token) => (token === CUE ? 1 : token));
  symbols[place] = CUE;
  symbols[tokens.length - 1] = CUE;
  return { tokens: symbols, place, answer: symbols[place + 1] };
}

/** Moves the first cue by one or more places; the symbols that it passes change places with it. */
export function moveCue(tokens, place, to) {
  const moved = [...tokens];
  moved.splice(place, 1);
  moved.splice(to, 0, CUE);
  return { tokens: moved, place: to, answer: moved[to + 1] };
}

/** How many of `count` fresh sequences the model answers rightly. */
export function countRight(model, count, random, off) {
  let right = 0;
  for (let i = 0; i < count; i += 1) {
    const { tokens, answer } = drawSequence(model.length, random);
    if (largest([...forward(model, tokens, off).logits]) === answer) right += 1;
  }
  return right;
}
