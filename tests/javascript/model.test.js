// The live model's arithmetic on a small model made here; test_live_model.py compares it with Python's.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CUE,
  countRight,
  disagreement,
  drawSequence,
  forward,
  moveCue,
  positions,
  readModel,
  seeded,
  withCue,
} from "../../docs/assets/javascripts/model/maths.js";
import { largest, softmax } from "../../docs/assets/javascripts/shared/models.js";

/** A block model with random weights. */
function aModel({ blocks = 2, width = 8, heads = 2, hidden = 6, vocabulary = 9, causal = false } = {}) {
  const random = seeded(7);
  const shapes = { "embedding.embeddings": [vocabulary, width] };
  for (let b = 1; b <= blocks; b += 1) {
    for (const part of ["query", "key", "value"]) {
      shapes[`block${b}_attention.${part}.kernel`] = [width, heads, width / heads];
      shapes[`block${b}_attention.${part}.bias`] = [heads, width / heads];
    }
    shapes[`block${b}_attention.attention_output.kernel`] = [heads, width / heads, width];
    shapes[`block${b}_attention.attention_output.bias`] = [width];
    for (const norm of ["norm1", "norm2"]) {
      shapes[`block${b}_${norm}.gamma`] = [width];
      shapes[`block${b}_${norm}.beta`] = [width];
    }
    shapes[`block${b}_hidden.kernel`] = [width, hidden];
    shapes[`block${b}_hidden.bias`] = [hidden];
    shapes[`block${b}_output.kernel`] = [hidden, width];
    shapes[`block${b}_output.bias`] = [width];
  }
  Object.assign(shapes, { "logits.kernel": [width, vocabulary], "logits.bias": [vocabulary] });
  const numbers = [];
  const arrays = Object.entries(shapes).map(([name, shape]) => {
    const offset = 4 * numbers.length;
    numbers.push(...Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 2 * random() - 1));
    return { name, shape, offset };
  });
  return { manifest: { length: 6, causal, layer_norm_epsilon: 1e-3, arrays }, buffer: new Float32Array(numbers).buffer };
}

const read = (options) => {
  const { manifest, buffer } = aModel(options);
  return readModel(manifest, buffer);
};
const tokens = [1, CUE, 3, 4, 5, CUE];

test("blocks, heads and widths are read off the arrays", () => {
  const { blocks, heads, keyDim, width, hidden, vocabulary, length } = read();
  assert.deepEqual([blocks, heads, keyDim, width, hidden, vocabulary, length], [2, 2, 4, 8, 6, 9, 6]);
});

test("a file that ends early, or lacks an array, is refused by name", () => {
  const { manifest, buffer } = aModel();
  assert.throws(() => readModel(manifest, buffer.slice(0, 100)), /end before/);
  const without = { ...manifest, arrays: manifest.arrays.filter(({ name }) => name !== "embedding.embeddings") };
  assert.throws(() => readModel(without, buffer), /lacks embedding\.embeddings/);
});

test("every row of attention sums to one; the last block asks from one position", () => {
  const { attention, probabilities } = forward(read(), tokens);
  assert.deepEqual(attention.map((block) => block.map((rows) => rows.length)), [[6, 6], [1, 1]]);
  for (const row of [...attention.flat(2), probabilities]) {
    assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-12);
  }
});

test("a causal model hides later positions in every block but the last", () => {
  const { attention } = forward(read({ causal: true }), tokens);
  for (const rows of attention[0]) {
    rows.forEach((row, query) => row.forEach((weight, key) => assert.equal(weight === 0, key > query)));
  }
  assert.ok(attention[1][0][0].every((weight) => weight > 0));
});

test("a head that is switched off changes the answer, and its own weights stay in view", () => {
  const model = read();
  const [on, off] = [forward(model, tokens), forward(model, tokens, (block, head) => block === 0 && head === 1)];
  assert.notDeepEqual([...on.logits], [...off.logits]);
  assert.deepEqual(on.attention[0], off.attention[0]);
  assert.notDeepEqual(on.attention[1], off.attention[1]);
});

test("with every head off nothing but the last token reaches the answer", () => {
  const none = () => true;
  const model = read();
  assert.deepEqual([...forward(model, tokens, none).logits], [...forward(model, [5, 4, 3, 2, 1, CUE], none).logits]);
});

test("positions interleave sine and cosine", () => {
  const table = positions(3, 4);
  assert.deepEqual([...table.slice(0, 4)], [0, 1, 0, 1]);
  assert.ok(Math.abs(table[4] - Math.sin(1)) < 1e-12 && Math.abs(table[7] - Math.cos(0.01)) < 1e-12);
});

test("a drawn sequence is one of the task: a cue, its answer, the cue again", () => {
  const random = seeded(1);
  const places = new Set();
  for (let i = 0; i < 500; i += 1) {
    const { tokens: drawn, place, answer } = drawSequence(12, random);
    assert.deepEqual(drawn.flatMap((token, t) => (token === CUE ? [t] : [])), [place, 11]);
    assert.equal(answer, drawn[place + 1]);
    assert.ok(drawn.every((token) => token >= 1 && token <= CUE));
    places.add(place);
  }
  assert.equal(places.size, 10);
});

test("moving the cue keeps the symbols and their order", () => {
  const { tokens: before, place } = withCue([1, 2, 3, 4, 5, 6], 2);
  const moved = moveCue(before, place, 0);
  assert.deepEqual(moved, { tokens: [CUE, 1, 2, 4, 5, CUE], place: 0, answer: 1 });
  assert.deepEqual(moveCue(moved.tokens, 0, 2).tokens, before);
});

test("the same seed draws the same numbers, evenly", () => {
  const [a, b] = [seeded(3), seeded(3)];
  let sum = 0;
  for (let i = 0; i < 10_000; i += 1) {
    const x = a();
    assert.equal(x, b());
    sum += x;
  }
  assert.ok(Math.abs(sum / 10_000 - 0.5) < 0.02);
});

test("right answers are counted between none and all, and chance is about a seventh", () => {
  const right = countRight(read(), 200, seeded(5), () => false);
  assert.ok(right >= 0 && right < 100);
  assert.equal(largest([0, 3, 3, 1]), 1);
  assert.deepEqual(softmax([5, 5]), [0.5, 0.5]);
});

test("a model that computes something else than Keras did is told apart", () => {
  const model = read();
  const logits = [[...forward(model, tokens).logits]];
  assert.equal(disagreement(model, { tokens: [tokens], logits }), 0);
  logits[0][3] += 0.01;
  assert.ok(Math.abs(disagreement(model, { tokens: [tokens], logits }) - 0.01) < 1e-9);
});
