// How a guess is judged.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decimals, distance, farthest, verdict } from "../../docs/assets/javascripts/predict/maths.js";
import { score, scoreInWords } from "../../docs/assets/javascripts/quiz/maths.js";

test("a step tells its decimals", () => {
  assert.deepEqual(["1", "0.05", 0.1, "1e-3"].map(decimals), [0, 2, 1, 3]);
});

test("the distance has a size, a direction and a share of the range", () => {
  assert.deepEqual(distance(2, 5, 10), { off: 3, direction: "low", share: 0.3 });
  assert.equal(distance(7, 5, 10).direction, "high");
  assert.equal(distance(5, 5, 10).direction, "exact");
});

test("the verdict follows the distance", () => {
  assert.equal(verdict(distance(5, 5, 10)), "Exactly right.");
  assert.equal(verdict(distance(5.1, 5, 10)), "Very close.");
  assert.match(verdict(distance(1, 5, 10)), /too low/);
  assert.match(verdict(distance(9, 5, 10)), /too high/);
});

test("the score counts answered and right questions", () => {
  assert.deepEqual(score([1, null, 0], [1, 2, 2]), { answered: 2, right: 1, of: 3 });
  assert.match(scoreInWords({ answered: 0, right: 0, of: 5 }), /none answered/);
  assert.match(scoreInWords({ answered: 2, right: 1, of: 3 }), /1 of 2 answered rightly; 1 to go/);
});

test("a drawn curve is compared place by place", () => {
  const { near, far, off } = farthest([0.5, 0.5, 0.5], [0.4, 0.51, 0.9]);
  assert.deepEqual([near, far, Number(off.toFixed(2))], [1, 2, 0.4]);
});
