// Numbers as text, and addresses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed } from "../../docs/assets/javascripts/shared/dom.js";
import { isOtherPage } from "../../docs/assets/javascripts/shared/addresses.js";

test("numbers have fixed decimals, a real minus sign, and no negative zero", () => {
  assert.deepEqual([1.005, -2, -0.001, 0].map((x) => fixed(x)), ["1.00", "−2.00", "0.00", "0.00"]);
  assert.equal(fixed(NaN), "–");
});

test("a link leads to another page of the site, or is left to the browser", () => {
  const site = new URL("https://example.org/book/");
  const here = new URL("https://example.org/book/attention/");
  const leads = (address) => isOtherPage(new URL(address, here), here, site);
  assert.ok(leads("../quiz/"));
  assert.ok(leads("../quiz/#scale"));
  assert.ok(leads("../page.html"));
  assert.ok(leads(".."));
  assert.ok(!leads("#masks"));
  assert.ok(!leads("../attention.ipynb"));
  assert.ok(!leads("/another/"));
  assert.ok(!leads("https://elsewhere.org/book/quiz/"));
});
