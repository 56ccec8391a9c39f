// The soft lookup's arithmetic: what attention must satisfy, for any query.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ALLOWED, KEYS, REACH, START, VALUES, clamp, dot, drift, heaviest, lookup, softmax } from "../../docs/assets/javascripts/lookup/maths.js";
import { layout, toPlane, toScreen } from "../../docs/assets/javascripts/lookup/drawing.js";

const near = (actual, expected, by = 1e-12) => assert.ok(Math.abs(actual - expected) <= by, `${actual} is not ${expected}`);
const queries = Array.from({ length: 200 }, (_, i) => [3 * Math.sin(7 * i), 3 * Math.cos(5 * i + 1)]);

test("the weights sum to one and are the exponentials over their sum", () => {
  for (const query of queries) {
    const { weights, exponentials, sum } = lookup(query);
    near(weights.reduce((a, b) => a + b), 1);
    weights.forEach((weight, i) => near(weight, exponentials[i] / sum));
  }
});

test("the scale divides every score by the square root of the query's length", () => {
  for (const query of queries) {
    const [scaled, plain] = [lookup(query), lookup(query, { scaled: false })];
    scaled.scores.forEach((score, i) => near(score, plain.scores[i] / Math.SQRT2));
    plain.scores.forEach((score, i) => near(score, dot(query, KEYS[i])));
  }
});

test("without the scale the heaviest key weighs at least as much", () => {
  for (const query of queries) {
    assert.ok(Math.max(...lookup(query, { scaled: false }).weights) >= Math.max(...lookup(query).weights) - 1e-12);
  }
});

test("a masked key weighs exactly zero and the others share what it had", () => {
  for (const query of queries) {
    const [open, masked] = [lookup(query), lookup(query, { allowed: ALLOWED })];
    ALLOWED.forEach((allowed, i) => assert.equal(masked.weights[i] === 0, !allowed));
    near(masked.weights[0] / masked.weights[1], open.weights[0] / open.weights[1], 1e-9);
  }
});

test("the output is the weighted sum of the values, inside their box", () => {
  for (const query of queries) {
    const { weights, output } = lookup(query);
    for (const axis of [0, 1]) {
      near(output[axis], VALUES.reduce((total, value, i) => total + weights[i] * value[axis], 0));
      assert.ok(Math.abs(output[axis]) <= REACH);
    }
  }
});

test("equal scores share evenly, and a row where nothing may be read weighs nothing", () => {
  lookup([0, 0]).weights.forEach((weight) => near(weight, 1 / 5));
  assert.deepEqual(softmax([-Infinity, -Infinity]).weights, [0, 0]);
  assert.equal(heaviest([0, 0]), -1);
});

test("softmax of huge scores overflows nowhere", () => {
  assert.deepEqual(softmax([1e4, 0, -1e4]).weights, [1, 0, 0]);
});

test("the idle query starts where the sketch starts and stays inside the plane", () => {
  drift(0).forEach((x, i) => near(x, START[i], 1e-9));
  for (let second = 0; second < 100; second += 1) assert.deepEqual(clamp(drift(second)), drift(second));
});

test("pixels and points of the plane are inverse to each other, at every width", () => {
  for (const width of [240, 334, 700, 1200]) {
    const place = layout(width);
    assert.ok(place.values.left + place.values.side <= width);
    toPlane(place.keys, toScreen(place.keys, [1.25, -0.5])).forEach((x, i) => near(x, [1.25, -0.5][i], 1e-9));
  }
});
