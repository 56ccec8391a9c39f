// Predict, then reveal: how far off a guess was, in numbers and words.

/** How many decimals a step asks for: 0.05 asks for two. */
export function decimals(step) {
  const text = String(step);
  if (text.includes("e-")) return Number(text.split("e-")[1]);
  return text.includes(".") ? text.split(".")[1].length : 0;
}

/**
 * The difference between a guess and the measured value.
 *
 * @returns {{off: number, direction: "low" | "high" | "exact", share: number}} `share` is the difference
 *   as a share of the slider's range
 */
export function distance(guess, measured, range) {
  const off = Math.abs(guess - measured);
  const direction = off === 0 ? "exact" : guess < measured ? "low" : "high";
  return { off, direction, share: off / range };
}

/** A word for the distance; within a fortieth of the slider's range is close. */
export function verdict({ direction, share }) {
  if (direction === "exact") return "Exactly right.";
  if (share <= 1 / 40) return "Very close.";
  return direction === "low" ? "Your guess was too low." : "Your guess was too high.";
}

/** Where a drawn curve lies nearest to the measured one, where farthest, and how far there. */
export function farthest(guess, measured) {
  const off = guess.map((value, i) => Math.abs(value - measured[i]));
  const far = off.indexOf(Math.max(...off));
  return { near: off.indexOf(Math.min(...off)), far, off: off[far] };
}

/** The elements that hold what was measured: the first `count` numbers of the fold. */
export function measuredIn(details, count) {
  const found = [...details.querySelectorAll("data[value]")].slice(0, count);
  if (found.length < count) throw new Error(`a prediction needs ${count} <data value> inside its <details>`);
  return found;
}
