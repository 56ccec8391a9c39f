// The page's spellers in plain JavaScript: the transformer with its cache, and the LSTM without attention.
//
// A model is what src/attention_from_scratch/speller_export.py wrote: a manifest, and packed numbers, gzipped.
//   {"model": "transformer", "weights": "transformer.bin.gz", "bytes": 190000, "num_heads": 4, "blocks": 2,
//    "layer_norm_epsilon": 0.001, "letters": "abc…", "sounds": ["AA", …], "longest": 10, "steps": 11,
//    "arrays": [{"name": "logits.kernel", "shape": [64, 42], "levels": 12345, "steps": 99}, or
//               {"name": "logits.bias", "shape": [42], "offset": 4}, …],
//    "test": {"words": […], "said": [[…]], "logits": [[…]], "tolerance": 0.0001}}
// Offsets count bytes. A kernel is whole numbers (int8) times a step for each of its last axis' columns.

import { largest, softmax } from "../shared/models.js";

export const PADDING = 0;

/** A model from its manifest and its unpacked bytes; an Error names what is missing or too short. */
export function readSpeller(manifest, buffer) {
  const weights = new Map();
  for (const { name, shape, offset, levels, steps } of manifest.arrays) {
    const size = shape.reduce((a, b) => a * b, 1);
    const columns = shape[shape.length - 1];
    const end = offset === undefined ? Math.max(levels + size, steps + 4 * columns) : offset + 4 * size;
    if (end > buffer.byteLength) throw new Error(`the weights end before ${name}`);
    if (offset !== undefined) {
      weights.set(name, new Float32Array(buffer.slice(offset, offset + 4 * size)));
      continue;
    }
    const whole = new Int8Array(buffer, levels, size);
    const ofColumn = new Float32Array(buffer.slice(steps, steps + 4 * columns));
    weights.set(name, Float32Array.from(whole, (level, i) => level * ofColumn[i % columns]));
  }
  const get = (name) => {
    const found = weights.get(name);
    if (!found) throw new Error(`the manifest lacks ${name}`);
    return found;
  };
  const sounds = manifest.sounds;
  return {
    ...manifest,
    get,
    width: manifest.arrays.find(({ name }) => name.endsWith("embeddings"))?.shape[1],
    start: 1 + sounds.length,
    end: 2 + sounds.length,
  };
}

/** What keeps a word from being said, as a sentence; null where nothing does. */
export function objection(word, { letters, longest, shortest }) {
  if (!word) return "Type a word: nothing is written yet.";
  const unknown = [...new Set([...word].filter((letter) => !letters.includes(letter)))];
  if (unknown.length) {
    const shown = unknown.slice(0, 3).map((letter) => (letter.trim() ? `“${letter}”` : "a blank"));
    return `The speller knows the letters a to z, and not ${shown.join(", ")}${unknown.length > 3 ? " and others" : ""}.`;
  }
  const count = [...word].length;
  if (count > longest) return `That is ${count} letters; the speller was taught words of ${shortest} to ${longest}.`;
  return null;
}

/** A word as its letters, small, without what stands around it. */
export const tidied = (text) => text.trim().toLowerCase();

/** Letters as tokens from 1. */
export const tokensOf = (word, letters) => [...word].map((letter) => letters.indexOf(letter) + 1);

/** The sounds that a model said, up to the first token that is none. */
export function soundsOf(tokens, { sounds }) {
  const stop = tokens.findIndex((token) => token < 1 || token > sounds.length);
  return (stop < 0 ? tokens : tokens.slice(0, stop)).map((token) => sounds[token - 1]);
}

/** Row (of `from` numbers) times kernel (from × to) plus bias, if there is one. */
function dense(row, kernel, to, bias = null) {
  const out = new Float64Array(to);
  if (bias) out.set(bias);
  for (let i = 0; i < row.length; i += 1) {
    const x = row[i];
    if (x === 0) continue;
    for (let j = 0; j < to; j += 1) out[j] += x * kernel[i * to + j];
  }
  return out;
}

const sum = (one, other) => one.map((x, i) => x + other[i]);

// The transformer

/** LayerNorm of one token. */
function norm({ get, layer_norm_epsilon: epsilon }, name, row) {
  const [gamma, beta] = [get(`${name}.gamma`), get(`${name}.beta`)];
  const mean = row.reduce((a, b) => a + b, 0) / row.length;
  const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / row.length;
  const deviation = Math.sqrt(variance + epsilon);
  return row.map((x, i) => ((x - mean) / deviation) * gamma[i] + beta[i]);
}

const projected = ({ get, width }, name, part, row) =>
  dense(row, get(`${name}.${part}.kernel`), width, get(`${name}.${part}.bias`));

/** One query over keys and values, in every head: what is handed on, and each head's weights. */
function attend(model, name, row, keys, values) {
  const { num_heads: heads, width } = model;
  const keyDim = width / heads;
  const query = projected(model, name, "query", row);
  const handedOn = new Float64Array(width);
  const weights = [];
  for (let h = 0; h < heads; h += 1) {
    const [from, to] = [h * keyDim, (h + 1) * keyDim];
    const scores = keys.map((key) => {
      let score = 0;
      for (let i = from; i < to; i += 1) score += query[i] * key[i];
      return score / Math.sqrt(keyDim);
    });
    const shares = softmax(scores);
    shares.forEach((share, t) => {
      for (let i = from; i < to; i += 1) handedOn[i] += share * values[t][i];
    });
    weights.push(shares);
  }
  return { output: projected(model, name, "attention_output", handedOn), weights };
}

function fedForward(model, name, row) {
  const { get, width } = model;
  const hidden = get(`${name}_hidden.bias`);
  const inner = dense(norm(model, `${name}_feed_forward_norm`, row), get(`${name}_hidden.kernel`), hidden.length, hidden);
  return sum(row, dense(inner.map((x) => Math.max(x, 0)), get(`${name}_output.kernel`), width, get(`${name}_output.bias`)));
}

function embedded({ get, width }, side, token, position) {
  const [table, positions] = [get(`${side}_embedding.embeddings`), get(`${side}_positions.embeddings`)];
  return Float64Array.from({ length: width }, (_, i) => table[token * width + i] + positions[position * width + i]);
}

/** The encoder's output, one row a letter; padding is left out, so that nothing has to be hidden. */
export function encode(model, letters) {
  let rows = letters.map((token, t) => embedded(model, "source", token, t));
  for (let block = 1; block <= model.blocks; block += 1) {
    const name = `encoder${block}`;
    const read = rows.map((row) => norm(model, `${name}_attention_norm`, row));
    const [keys, values] = ["key", "value"].map((part) => read.map((row) => projected(model, `${name}_attention`, part, row)));
    rows = rows.map((row, t) => sum(row, attend(model, `${name}_attention`, read[t], keys, values).output));
    rows = rows.map((row) => fedForward(model, name, row));
  }
  return rows.map((row) => norm(model, "encoder_norm", row));
}

/** A cache before the first step: for each block the memory's keys and values, and none of the sounds'. */
export function emptyCache(model, memory) {
  return Array.from({ length: model.blocks }, (_, index) => {
    const part = (which) => memory.map((row) => projected(model, `decoder${index + 1}_cross`, which, row));
    return { keys: [], values: [], memoryKeys: part("key"), memoryValues: part("value") };
  });
}

/**
 * One more sound: logits of the next one. The cache grows by one key and one value a block.
 *
 * @returns {{logits: Float64Array, cross: number[][][]}} `cross` by block, head, letter
 */
export function step(model, cache, token) {
  const cross = [];
  let row = embedded(model, "target", token, cache[0].keys.length);
  cache.forEach((kept, index) => {
    const name = `decoder${index + 1}`;
    const read = norm(model, `${name}_attention_norm`, row);
    kept.keys.push(projected(model, `${name}_attention`, "key", read));
    kept.values.push(projected(model, `${name}_attention`, "value", read));
    row = sum(row, attend(model, `${name}_attention`, read, kept.keys, kept.values).output);
    const crossed = attend(model, `${name}_cross`, norm(model, `${name}_cross_norm`, row), kept.memoryKeys, kept.memoryValues);
    cross.push(crossed.weights);
    row = fedForward(model, name, sum(row, crossed.output));
  });
  const bias = model.get("logits.bias");
  return { logits: dense(norm(model, "decoder_norm", row), model.get("logits.kernel"), bias.length, bias), cross };
}

/**
 * What the transformer says to letters, the likeliest sound at each step.
 *
 * @returns {{tokens: number[], steps: {logits: Float64Array, cross: number[][][]}[]}} up to and with the end
 */
export function spell(model, letters, given = null) {
  const cache = emptyCache(model, encode(model, letters));
  return said(model, (token) => step(model, cache, token), given);
}

// The LSTM without attention

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** One step of Keras' LSTM cell; gates in its order: input, forget, cell, output. */
function lstmStep({ get }, name, row, [hidden, cell]) {
  const bias = get(`${name}.bias`);
  const units = bias.length / 4;
  const gates = sum(dense(row, get(`${name}.kernel`), 4 * units, bias), dense(hidden, get(`${name}.recurrent_kernel`), 4 * units));
  const next = new Float64Array(units);
  const output = new Float64Array(units);
  for (let i = 0; i < units; i += 1) {
    const [input, forget, candidate, out] = [0, 1, 2, 3].map((gate) => gates[gate * units + i]);
    next[i] = sigmoid(forget) * cell[i] + sigmoid(input) * Math.tanh(candidate);
    output[i] = sigmoid(out) * Math.tanh(next[i]);
  }
  return [output, next];
}

const rowOf = ({ get, width }, table, token) => Float64Array.from(get(`${table}.embeddings`).subarray(token * width, (token + 1) * width));

/** What the LSTM says to letters: it reads them both ways, and then has only its last states. */
export function spellWithoutAttention(model, letters, given = null) {
  const read = (name, tokens) => {
    const units = model.get(`${name}.bias`).length / 4;
    const nothing = [new Float64Array(units), new Float64Array(units)];
    return tokens.reduce((states, token) => lstmStep(model, name, rowOf(model, "letters", token), states), nothing);
  };
  const there = read("forwards.lstm_cell", letters);
  const back = read("backwards.lstm_cell", [...letters].reverse());
  let states = [0, 1].map((i) => Float64Array.from([...there[i], ...back[i]]));
  const bias = model.get("logits.bias");
  return said(
    model,
    (token) => {
      states = lstmStep(model, "decoder", rowOf(model, "sounds", token), states);
      return { logits: dense(states[0], model.get("logits.kernel"), bias.length, bias) };
    },
    given,
  );
}

/** One step after the other: what follows is the likeliest token, or what is given, as in training. */
function said(model, next, given) {
  const tokens = [];
  const steps = [];
  let token = model.start;
  while (steps.length < model.steps && (given || token !== model.end)) {
    const found = next(given ? given[steps.length] : token);
    steps.push(found);
    token = largest(found.logits);
    tokens.push(token);
  }
  return { tokens, steps };
}

/** How either model says a word. */
export const speaker = (model) => (model.model === "transformer" ? spell : spellWithoutAttention);

/** How far the logits computed here are from those that Keras computed, at most, over the manifest's test. */
export function disagreement(model) {
  const { words, previous, logits } = model.test;
  const apart = words.flatMap((word, i) => {
    const { steps } = speaker(model)(model, tokensOf(word, model.letters), previous[i]);
    return logits[i].map((logit, j) => Math.abs(logit - steps[model.test.step].logits[j]));
  });
  return Math.max(...apart);
}

/** The fewest sounds to put in, leave out or replace (Levenshtein 1966). */
export function edits(said_, listed) {
  let row = Array.from({ length: listed.length + 1 }, (_, i) => i);
  said_.forEach((sound, i) => {
    const next = [i + 1];
    listed.forEach((other, j) => next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (sound === other ? 0 : 1))));
    row = next;
  });
  return row.at(-1);
}

/** Bytes of a cache after so many steps, numbers of four bytes: of the sounds, and of the letters. */
export function bytesKept({ blocks, width }, steps, letters) {
  return { sounds: 2 * blocks * width * steps * 4, letters: 2 * blocks * width * letters * 4 };
}
