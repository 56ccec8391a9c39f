// The vision transformer's forward pass, after src/attention_from_scratch/vision.py, and covering.
//
// A model is what src/attention_from_scratch/vision_export.py wrote: a manifest, and little-endian float32 numbers.
//   {"weights": "digits.bin", "layer_norm_epsilon": 0.001, "brightest": 16, "patch_side": 2, "mean": [[…], …],
//    "arrays": [{"name": "embedding.kernel", "shape": [4, 32], "offset": 0}, …],
//    "images": [{"pixels": [64 numbers], "label": 3, "number": 17}, …],
//    "test": {"pixels": [[…], …], "logits": [[…], …], "tolerance": 0.0001}, …}
// An image is an array of patches, each an array of pixels between 0 and 1.

import { dense } from "../model/maths.js";
import { readArrays, softmax } from "../shared/models.js";

/** A model from its manifest and its bytes; an Error names what is missing or too short. */
export function readModel(manifest, buffer) {
  const { weights, shapeOf } = readArrays(manifest, buffer);
  const [pixels, width] = shapeOf("embedding.kernel");
  const [, heads, keyDim] = shapeOf("block1_attention.query.kernel");
  const [, hidden] = shapeOf("block1_hidden.kernel");
  const [tokens] = shapeOf("tokens.positions");
  const [, classes] = shapeOf("logits.kernel");
  const blocks = manifest.arrays.filter(({ name }) => name.endsWith("_attention.query.kernel")).length;
  const { layer_norm_epsilon: epsilon, mean } = manifest;
  if (mean.length !== tokens - 1) throw new Error(`the mean image has ${mean.length} patches, the model ${tokens - 1}`);
  return { weights, width, heads, keyDim, hidden, tokens, pixels, classes, blocks, epsilon, mean };
}

/** An image as patches: rows of pixels cut into squares, row by row. */
export function patchesOf(pixels, { brightest, patch_side: side }) {
  const wide = Math.sqrt(pixels.length);
  const across = wide / side;
  return Array.from({ length: across * across }, (_, patch) => {
    const [top, left] = [side * Math.floor(patch / across), side * (patch % across)];
    const places = Array.from({ length: side * side }, (ignored, i) => (top + Math.floor(i / side)) * wide + left + (i % side));
    return places.map((place) => pixels[place] / brightest);
  });
}

/** The image with the mean image's patch in the place of each covered one. */
export function cover(patches, covered, { mean }) {
  return patches.map((patch, i) => (covered.has(i) ? mean[i] : patch));
}

/**
 * What the model says.
 *
 * @param {ReturnType<readModel>} model
 * @param {number[][]} patches
 * @returns {{logits: Float64Array, probabilities: number[], attention: number[][][]}} `attention` by block, head and
 *   token: the class token's weights, on itself first, then on the patches
 */
export function forward(model, patches) {
  const { weights, width, hidden, tokens, pixels, classes, blocks } = model;
  const get = (name) => weights.get(name);
  const embedded = dense(patches.flat(), tokens - 1, pixels, get("embedding.kernel"), get("embedding.bias"), width);
  let rows = new Float64Array(tokens * width);
  rows.set(get("tokens.class_token"));
  rows.set(embedded, width);
  rows = rows.map((x, i) => x + get("tokens.positions")[i]);
  const attention = [];
  for (let block = 1; block <= blocks; block += 1) {
    const name = `block${block}`;
    const count = block === blocks ? 1 : tokens;
    const normed = normalise(model, rows, tokens, `${name}_norm1`);
    const attended = attend(model, `${name}_attention`, normed, count);
    attention.push(attended.ofClass);
    rows = rows.slice(0, count * width).map((x, i) => x + attended.output[i]);
    const inner = normalise(model, rows, count, `${name}_norm2`);
    const active = dense(inner, count, width, get(`${name}_hidden.kernel`), get(`${name}_hidden.bias`), hidden).map((x) => Math.max(x, 0));
    const outer = dense(active, count, hidden, get(`${name}_output.kernel`), get(`${name}_output.bias`), width);
    rows = rows.map((x, i) => x + outer[i]);
  }
  const last = normalise(model, rows.slice(0, width), 1, "norm");
  const logits = dense(last, 1, width, get("logits.kernel"), get("logits.bias"), classes);
  return { logits, probabilities: softmax(logits), attention };
}

/** Multi-head attention of the first `count` rows over all of them. */
function attend(model, name, rows, count) {
  const { weights, width, heads, keyDim, tokens } = model;
  const size = heads * keyDim;
  const part = (which, n) => dense(rows, n, width, weights.get(`${name}.${which}.kernel`), weights.get(`${name}.${which}.bias`), size);
  const [q, k, v] = [part("query", count), part("key", tokens), part("value", tokens)];
  const handedOn = new Float64Array(count * size);
  const ofClass = [];
  for (let h = 0; h < heads; h += 1) {
    for (let r = 0; r < count; r += 1) {
      const scores = new Float64Array(tokens);
      for (let t = 0; t < tokens; t += 1) {
        for (let i = h * keyDim; i < (h + 1) * keyDim; i += 1) scores[t] += q[r * size + i] * k[t * size + i];
        scores[t] /= Math.sqrt(keyDim);
      }
      const shares = softmax(scores);
      if (r === 0) ofClass.push(shares);
      for (let t = 0; t < tokens; t += 1) {
        for (let i = h * keyDim; i < (h + 1) * keyDim; i += 1) handedOn[r * size + i] += shares[t] * v[t * size + i];
      }
    }
  }
  const kernel = weights.get(`${name}.attention_output.kernel`);
  return { output: dense(handedOn, count, size, kernel, weights.get(`${name}.attention_output.bias`), width), ofClass };
}

/** LayerNorm of each row. */
function normalise({ weights, width, epsilon }, rows, count, name) {
  const [gamma, beta] = [weights.get(`${name}.gamma`), weights.get(`${name}.beta`)];
  const out = new Float64Array(count * width);
  for (let r = 0; r < count; r += 1) {
    const row = rows.subarray(r * width, (r + 1) * width);
    const mean = row.reduce((a, b) => a + b, 0) / width;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / width;
    const deviation = Math.sqrt(variance + epsilon);
    for (let i = 0; i < width; i += 1) out[r * width + i] = ((row[i] - mean) / deviation) * gamma[i] + beta[i];
  }
  return out;
}

/** How far the logits computed here are from those that Keras computed, at most, over the manifest's test. */
export function disagreement(model, manifest) {
  const { pixels, logits } = manifest.test;
  const apart = pixels.flatMap((image, i) => {
    const here = forward(model, patchesOf(image, manifest)).logits;
    return logits[i].map((logit, j) => Math.abs(logit - here[j]));
  });
  return Math.max(...apart);
}

/** The logit of a class less the mean of all. */
export function lead(logits, answer) {
  return logits[answer] - logits.reduce((a, b) => a + b, 0) / logits.length;
}

/**
 * How far the lead of a class falls when one more patch is covered: null where it is covered already.
 *
 * @param {ReturnType<readModel>} model
 * @param {number[][]} patches uncovered
 * @param {Set<number>} covered
 * @param {number} answer the class
 * @returns {(number | null)[]} one a patch
 */
export function covering(model, patches, covered, answer) {
  const whole = lead(forward(model, cover(patches, covered, model)).logits, answer);
  return patches.map((_, i) => {
    if (covered.has(i)) return null;
    return whole - lead(forward(model, cover(patches, new Set([...covered, i]), model)).logits, answer);
  });
}

/** The patches' part of the class token's weights in the last block, averaged over heads. */
export function rawMap(attention) {
  const heads = attention.at(-1);
  return heads[0].slice(1).map((_, i) => heads.reduce((sum, weights) => sum + weights[i + 1], 0) / heads.length);
}

/** The place of one value among all, the largest first, counted from 1. */
export function placeOf(values, index) {
  return 1 + values.filter((value) => value > values[index]).length;
}
