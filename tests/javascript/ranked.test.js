// Ranking, and the bars in the cells.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bar, extent, extremes, rank } from "../../docs/assets/javascripts/ranked/maths.js";

const values = [0.3, NaN, 0.9, -1, 0.3];

test("largest first, smallest first; rows without a number last, equal rows in their order", () => {
  assert.deepEqual(rank(values), [2, 0, 4, 3, 1]);
  assert.deepEqual(rank(values, false), [3, 0, 4, 2, 1]);
  assert.deepEqual(rank([NaN, NaN]), [0, 1]);
});

test("numbers are ranked as numbers, not as text", () => {
  assert.deepEqual(rank([9, 10, 100, -2]), [2, 1, 0, 3]);
});

test("highest and lowest are computed, and absent where there is no number", () => {
  assert.deepEqual(extremes(values), { highest: 2, lowest: 3 });
  assert.equal(extremes([NaN]), null);
});

test("the bars' room holds zero and every value", () => {
  assert.deepEqual(extent([0.2, 0.4]), [0, 0.4]);
  assert.deepEqual(extent([-3, NaN, 2]), [-3, 2]);
  assert.deepEqual(extent([0, NaN]), [0, 1]);
});

test("a bar reaches from zero to its value, whichever side of zero that is", () => {
  assert.deepEqual(bar(2, [-2, 2]), [0.5, 1]);
  assert.deepEqual(bar(-1, [-2, 2]), [0.25, 0.5]);
  assert.deepEqual(bar(1, [0, 4]), [0, 0.25]);
});
