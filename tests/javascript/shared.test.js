// Numbers as text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed } from "../../docs/assets/javascripts/shared/dom.js";

test("numbers have fixed decimals, a real minus sign, and no negative zero", () => {
  assert.deepEqual([1.005, -2, -0.001, 0].map((x) => fixed(x)), ["1.00", "−2.00", "0.00", "0.00"]);
  assert.equal(fixed(NaN), "–");
});
