// Numbers as text, and what a diagram says of itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { description, theme } from "../../docs/assets/javascripts/diagram.js";
import { fixed } from "../../docs/assets/javascripts/shared/dom.js";

test("numbers have fixed decimals, a real minus sign, and no negative zero", () => {
  assert.deepEqual([1.005, -2, -0.001, 0].map((x) => fixed(x)), ["1.00", "−2.00", "0.00", "0.00"]);
  assert.equal(fixed(NaN), "–");
});

test("a diagram's own description is its text equivalent", () => {
  const text = "flowchart LR\n  accTitle: Two blocks\n  accDescr: The cue is matched\n  a --> b";
  assert.equal(description(text), "Two blocks. The cue is matched");
  assert.match(description("flowchart LR\n  a --> b"), /text is below/);
});

test("a diagram wears the site's colours", () => {
  const worn = theme({ ink: "#111111", muted: "#222222", grid: "#333333", surface: "#444444", accent: "#555555" }, "serif");
  assert.equal(worn.primaryTextColor, "#111111");
  assert.equal(worn.lineColor, "#222222");
  assert.ok(Object.values(worn).every((value) => typeof value === "string" && value !== ""));
});
