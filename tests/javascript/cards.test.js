// What a card says, and where it stands.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  beside,
  cardsOf,
  claimFacts,
  claimSentence,
  driftInWords,
  idsOf,
  numberSentence,
  roomOf,
  seedsInWords,
  short,
} from "../../src/measured/assets/card.js";
import { matches, wordsOf } from "../../src/measured/assets/ledger.js";

test("a computed number names all it came from, another one the id of its address", () => {
  assert.deepEqual(idsOf("scale.a scale.b", "#scale.a"), ["scale.a", "scale.b"]);
  assert.deepEqual(idsOf(undefined, "#scale.a"), ["scale.a"]);
});

test("seeds with their range; without samples the names alone", () => {
  assert.equal(seedsInWords({ seeds: [0, 1] }), "0, 1");
  const spread = { min: 0.5, max: 0.75, sd: 0.17677 };
  assert.equal(seedsInWords({ seeds: [0, 1], spread }), "0, 1: from 0.5 to 0.75, standard deviation 0.1768");
});

test("drift in units of the tolerance, or in words", () => {
  assert.equal(driftInWords("0"), "none: as stored");
  assert.equal(driftInWords("-0.25"), "−0.25 of its tolerance");
  assert.equal(driftInWords("0.2 of the bound"), "0.2 of the bound");
});

test("a claim says where it was measured first, then how it would be false, then on which seeds", () => {
  const claim = { scope: "One die.", saw: { mean: 3.5 }, margin: 0.5, nulls: ["no effect"], formed: "formed on 5 seeds", carries: "5 of 5" };
  assert.deepEqual(claimFacts(claim), [
    ["Where", "One die."],
    ["Saw", "mean 3.5"],
    ["Margin", "0.5"],
    ["False with", "no effect"],
    ["Seeds", "formed on 5 seeds; 5 of 5"],
  ]);
  assert.deepEqual(claimFacts({ saw: {}, exempt: "a theorem" }).at(-1), ["No null", "a theorem"]);
});

test("a real minus sign, few digits, and text as it is", () => {
  assert.equal(short(-0.123456), "−0.1235");
  assert.equal(short(20000), "20000");
  assert.equal(short("<b>"), "<b>");
});

test("a card stays inside the window: below where it fits, above where it does not", () => {
  const view = { clientWidth: 400, clientHeight: 300 };
  const card = { width: 200, height: 100 };
  assert.deepEqual(beside({ left: 350, top: 20, bottom: 40 }, card, view), { left: 194, top: 46 });
  assert.deepEqual(beside({ left: 10, top: 250, bottom: 270 }, card, view), { left: 10, top: 144 });
  assert.equal(beside({ left: 0, top: 50, bottom: 290 }, { width: 200, height: 280 }, view).top, 296);
});

test("a card that fits neither below nor above its number gets the larger of both rooms, and stays in the window", () => {
  const view = { clientWidth: 400, clientHeight: 300 };
  assert.equal(roomOf({ top: 20, bottom: 40 }, 100, view), 100);
  for (const at of [{ left: 0, top: 120, bottom: 140 }, { left: 0, top: 160, bottom: 180 }]) {
    const height = roomOf(at, 400, view);
    assert.equal(height, 148);
    const { top } = beside(at, { width: 200, height }, view);
    assert.ok(top >= 0 && top + height <= 300);
    assert.ok(top >= at.bottom || top + height <= at.top, "the number stays in sight");
  }
});

test("the filter wants all words, in any order and case", () => {
  assert.ok(matches("scale.max_weight mean", wordsOf(" MEAN  scale ")));
  assert.ok(!matches("scale.max_weight mean", wordsOf("scale entropy")));
  assert.ok(matches("anything", wordsOf("")));
});

test("a number's card begins with one sentence: what it is, its value, and what seeds gave", () => {
  assert.equal(numberSentence({ words: "mean of a die", display: "3.52" }), "Mean of a die: 3.52.");
  const seeded = { words: "luck", display: "0.91", unit: "s", seeds: [0, 1], spread: { min: 0.9, max: 0.92 } };
  assert.equal(numberSentence(seeded), "Luck: 0.91 s. 2 seeds gave 0.9 to 0.92.");
});

test("a claim's card says what evidence there is", () => {
  assert.equal(claimSentence({ formed: "formed on 5 seeds", nulls: ["no effect"] }), "It was formed on 5 seeds. In a world made to break it, it is false.");
  assert.equal(claimSentence({ nulls: ["a", "b"] }), "In 2 worlds made to break it, it is false.");
  assert.equal(claimSentence({ exempt: "a theorem" }), "It holds by arithmetic or theorem.");
});

test("a page's cards are found by its address, wherever the site stands", () => {
  assert.equal(cardsOf("/", "/"), "data/cards/index.json");
  assert.equal(cardsOf("/site/attention/", "/site/"), "data/cards/attention.json");
  assert.equal(cardsOf("/site/attention/index.html", "/site/"), "data/cards/attention.json");
  assert.equal(cardsOf("/exercises/02-softmax.html", "/"), "data/cards/exercises/02-softmax.json");
});
