// The spellers' arithmetic on small models made here; test_spellers.py compares it with Keras' and NumPy's.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytesKept,
  edits,
  emptyCache,
  encode,
  objection,
  readSpeller,
  soundsOf,
  spell,
  step,
  tidied,
  tokensOf,
} from "../../docs/assets/javascripts/speller/maths.js";
import { softmax } from "../../docs/assets/javascripts/shared/models.js";
import { seeded } from "../../docs/assets/javascripts/model/maths.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const KNOWN = { letters: LETTERS, longest: 10, shortest: 3 };

/** A transformer with random weights: kernels as whole numbers with a step a column. */
function aSpeller({ width = 4, heads = 2, hidden = 3, sounds = 5, steps = 6 } = {}) {
  const random = seeded(3);
  const shapes = {};
  const attention = (name) => {
    for (const part of ["query", "key", "value", "attention_output"]) {
      shapes[`${name}.${part}.kernel`] = [width, width];
      shapes[`${name}.${part}.bias`] = [width];
    }
  };
  const norm = (name) => ["gamma", "beta"].forEach((part) => (shapes[`${name}.${part}`] = [width]));
  Object.assign(shapes, {
    "source_embedding.embeddings": [27, width],
    "source_positions.embeddings": [10, width],
    "target_embedding.embeddings": [sounds + 3, width],
    "target_positions.embeddings": [steps, width],
  });
  for (const [side, kinds] of [["encoder", ["attention"]], ["decoder", ["attention", "cross"]]]) {
    for (const kind of kinds) attention(`${side}1_${kind}`);
    for (const kind of [...kinds, "feed_forward"]) norm(`${side}1_${kind}_norm`);
    Object.assign(shapes, {
      [`${side}1_hidden.kernel`]: [width, hidden],
      [`${side}1_hidden.bias`]: [hidden],
      [`${side}1_output.kernel`]: [hidden, width],
      [`${side}1_output.bias`]: [width],
    });
    norm(`${side}_norm`);
  }
  Object.assign(shapes, { "logits.kernel": [width, sounds + 3], "logits.bias": [sounds + 3] });
  const floats = [];
  const levels = [];
  const arrays = Object.entries(shapes).map(([name, shape]) => {
    const size = shape.reduce((a, b) => a * b, 1);
    const place = 4 * floats.length;
    if (shape.length === 1) {
      floats.push(...Array.from({ length: size }, () => 2 * random() - 1));
      return { name, shape, offset: place };
    }
    floats.push(...Array.from({ length: shape[1] }, () => 0.01 + 0.05 * random()));
    levels.push(...Array.from({ length: size }, () => Math.round(40 * random() - 20)));
    return { name, shape, steps: place, levels: levels.length - size };
  });
  for (const array of arrays) if (array.levels !== undefined) array.levels += 4 * floats.length;
  const bytes = new Uint8Array(4 * floats.length + levels.length);
  bytes.set(new Uint8Array(new Float32Array(floats).buffer));
  bytes.set(new Uint8Array(new Int8Array(levels).buffer), 4 * floats.length);
  const names = Array.from({ length: sounds }, (_, i) => `S${i}`);
  const manifest = { ...KNOWN, model: "transformer", arrays, sounds: names, steps, blocks: 1, num_heads: heads, layer_norm_epsilon: 1e-3 };
  return { manifest, buffer: bytes.buffer };
}

const read = (options) => {
  const { manifest, buffer } = aSpeller(options);
  return readSpeller(manifest, buffer);
};

test("a kernel is its levels times the step of each column", () => {
  const { manifest, buffer } = aSpeller();
  const model = readSpeller(manifest, buffer);
  const { levels, steps } = manifest.arrays.find(({ name }) => name === "logits.kernel");
  const whole = new Int8Array(buffer, levels, 16);
  const step_ = new Float32Array(buffer.slice(steps, steps + 32));
  assert.equal(model.get("logits.kernel")[9], Math.fround(whole[9] * step_[1]));
});

test("a file that ends early, or lacks an array, is refused by name", () => {
  const { manifest, buffer } = aSpeller();
  assert.throws(() => readSpeller(manifest, buffer.slice(0, buffer.byteLength - 1)), /end before/);
  assert.throws(() => readSpeller(manifest, buffer).get("nothing"), /lacks nothing/);
});

test("what is said does not depend on how much was kept: a cache of its own for each word", () => {
  const model = read();
  const letters = tokensOf("tea", LETTERS);
  const { tokens, steps } = spell(model, letters);
  const cache = emptyCache(model, encode(model, letters));
  const given = [model.start, ...tokens];
  steps.forEach(({ logits }, i) => assert.deepEqual(step(model, cache, given[i]).logits, logits));
  assert.equal(cache[0].keys.length, steps.length);
});

test("each head's weights sum to one over the letters", () => {
  const { steps } = spell(read(), tokensOf("onomatopee", LETTERS));
  for (const { cross } of steps) {
    for (const row of cross.flat()) {
      assert.equal(row.length, 10);
      assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-12);
    }
  }
});

test("the order of letters matters, and what is given is followed", () => {
  const model = read();
  const [one, other] = ["tea", "eat"].map((word) => spell(model, tokensOf(word, LETTERS)).steps[0].logits);
  assert.notDeepEqual(one, other);
  const given = [model.start, 2, 3];
  assert.equal(spell(model, tokensOf("tea", LETTERS), [...given, 0, 0, 0]).steps.length, model.steps);
});

test("sounds end at the first token that is none", () => {
  assert.deepEqual(soundsOf([1, 2, 7, 1], { sounds: ["A", "B", "C"] }), ["A", "B"]);
  assert.deepEqual(soundsOf([0, 1], { sounds: ["A"] }), []);
});

test("each thing that it cannot say has a sentence", () => {
  const told = (word) => objection(word, KNOWN);
  assert.match(told(""), /nothing is written/);
  assert.match(told("naïve"), /not “ï”/);
  assert.match(told("a b"), /not a blank/);
  assert.match(told("1234"), /and others/);
  assert.match(told("x".repeat(60)), /60 letters/);
  assert.match(told("👍"), /“👍”/u);
  assert.equal(told("a"), null);
  assert.equal(told("onomatopee"), null);
});

test("a word is tidied: blanks around it and capitals go", () => {
  assert.equal(tidied("  Tea \n"), "tea");
  assert.deepEqual(tokensOf("az", LETTERS), [1, 26]);
});

test("edits are counted", () => {
  assert.equal(edits(["N", "AY", "T"], ["N", "AY", "T"]), 0);
  assert.equal(edits(["K", "N", "IH", "T"], ["N", "AY", "T"]), 2);
  assert.equal(edits([], ["T"]), 1);
});

test("a softmax of large scores stays finite, and the cache's bytes are counted", () => {
  assert.deepEqual(softmax([1e4, 1e4]), [0.5, 0.5]);
  assert.deepEqual(bytesKept({ blocks: 2, width: 64 }, 3, 5), { sounds: 3072, letters: 5120 });
});
