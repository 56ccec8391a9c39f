// Ribbons, masks and matrices: what must hold for any words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp, look, ribbons, silent, slots } from "../../docs/assets/javascripts/sentence/maths.js";
import { allowed, moved, weightsOf } from "../../docs/assets/javascripts/mask/maths.js";
import { LINES, matrices, sources } from "../../docs/assets/javascripts/shapes/maths.js";
import { rolesIn } from "../../docs/assets/javascripts/shared/roles.js";
import { numberOf } from "../../docs/assets/javascripts/shared/tables.js";

const near = (actual, expected, by = 1e-12) => assert.ok(Math.abs(actual - expected) <= by, `${actual} is not ${expected}`);
const total = (row) => row.reduce((a, b) => a + b, 0);
const words = Array.from({ length: 9 }, (_, i) => ({
  query: [Math.sin(3 * i), Math.cos(i)],
  key: [Math.cos(5 * i), Math.sin(2 * i)],
}));

test("ribbons share the base: their widths sum to it, and each word has one", () => {
  const boxes = words.map((_, i) => ({ x: 40 * i, top: 100, bottom: 140 }));
  const { weights } = look(words, words[4].query);
  const made = ribbons(boxes, 4, weights, 400, 150);
  assert.equal(made.length, words.length);
  near(total(made.map(({ width }) => width)), 400, 1e-9);
});

test("near words leave from the middle, so that arcs nest", () => {
  assert.deepEqual(slots(6, 2), [1, 0, 2, 5, 4, 3]);
});

test("a word with a silent query gives all words the same", () => {
  const { weights } = look(words, [0, 0]);
  assert.ok(silent([0, 0]) && !silent([0, 1]));
  for (const weight of weights) near(weight, 1 / words.length);
});

test("a query stays in the plane, in tenths", () => {
  assert.deepEqual(clamp([9, -1.234]), [2.4, -1.2]);
});

test("masked in time, rows sum to one and no earlier row moves; too late, both fail", () => {
  const other = words.map((word, i) => (i === 8 ? { query: [2, 2], key: [3, -1] } : word));
  const mask = allowed(9, 9, { causal: true, padding: true });
  const early = [weightsOf(words, mask, false), weightsOf(other, mask, false)];
  const late = [weightsOf(words, mask, true), weightsOf(other, mask, true)];
  for (const row of early[0]) near(total(row), 1);
  assert.deepEqual(moved(early[1], early[0], mask).filter(({ row }) => row < 8), []);
  assert.ok(total(late[0][2]) < 0.9);
  assert.ok(moved(late[1], late[0], mask).some(({ row }) => row < 8));
});

test("a padding mask hides columns and a causal one the future", () => {
  const mask = allowed(4, 3, { causal: true, padding: true });
  assert.deepEqual(mask[3], [true, true, true, false]);
  assert.deepEqual(mask[1], [true, true, false, false]);
  assert.ok(allowed(4, 3, { causal: false, padding: false }).flat().every(Boolean));
});

test("every cell that a line makes is made of cells that its code names", () => {
  const kernels = { W_Q: [[1, 0], [0, 1], [1, 1]], W_K: [[2, 0], [0, 1], [0, 0]], W_V: [[1, 1], [0, 2], [3, 0]] };
  const found = matrices({ X: [[1, 0, 2], [0, 1, 1]], ...kernels });
  for (const row of found.weights) near(total(row), 1);
  for (const { makes, code } of LINES) {
    const from = sources(found, makes, 1, 0);
    assert.ok(from.length > 0);
    for (const { matrix, row, column } of from) {
      assert.ok(code.includes(matrix));
      assert.ok(found[matrix][row][column] !== undefined);
    }
  }
  assert.deepEqual(sources(found, "X", 0, 0), []);
});

test("numbers of a table are read with either minus, and nothing else is a number", () => {
  assert.equal(numberOf("−1.5"), -1.5);
  assert.equal(numberOf("-2"), -2);
  assert.throws(() => numberOf("many"));
});

test("queries, keys and values are found in a line of code, whole names only", () => {
  const marked = rolesIn("scores = Q @ K.T / QK + W_V").filter(({ role }) => role);
  assert.deepEqual(marked.map(({ text, role }) => `${text} ${role}`), ["Q query", "K key", "W_V value"]);
  assert.equal(rolesIn("scores = Q @ K.T").map(({ text }) => text).join(""), "scores = Q @ K.T");
});
