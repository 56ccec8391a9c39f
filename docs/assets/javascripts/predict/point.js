// One point on an axis: the reader sets it, then the measured one appears beside it.

import { button, fixed, html } from "../shared/dom.js";
import { decimals, distance, measuredIn, verdict } from "./maths.js";

/** An axis with a point to set, and a button; the answer is a number. */
export function askPoint(root, details, answer) {
  const { min = "0", max = "1", step = "0.01", unit = "" } = root.dataset;
  const [low, high] = [Number(min), Number(max)];
  const [measured] = measuredIn(details, 1);
  const value = Number(measured.value);
  const digits = decimals(step);
  const space = unit && ` ${unit}`;
  const middle = low + Math.round((high - low) / Number(step) / 2) * Number(step);
  let set = false;

  const input = html("input", { type: "range", min, max, step, value: root.dataset.start ?? middle });
  input.setAttribute("aria-label", `Your guess, from ${min} to ${max}${space}`);
  const shown = html("span", { className: "predict-guess" });
  const found = html("span", { className: "predict-measured", hidden: true }, html("b", {}, measured.textContent.trim()));
  const gap = html("span", { className: "predict-gap", hidden: true });
  const ticks = [low, (low + high) / 2, high].map((x, i) => {
    const tick = html("span", { className: "predict-tick" }, fixed(x, Number.isInteger(x) ? 0 : digits));
    return at(tick, i / 2);
  });
  const axis = html("div", { className: "predict-axis" }, input, html("span", { className: "predict-marks", "aria-hidden": "true" }, gap, found, ...ticks));
  const commit = button("Compare with the measurement", () => answer(set ? Number(input.value) : null));

  const touch = () => {
    set = true;
    draw();
  };
  input.addEventListener("input", touch);
  input.addEventListener("pointerup", touch); // a press where the hidden thumb lies changes nothing, and is an answer
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") touch();
  });

  function draw() {
    axis.classList.toggle("is-unset", !set);
    shown.textContent = set ? `${fixed(Number(input.value), digits)}${space}` : "not set yet";
    input.setAttribute("aria-valuetext", shown.textContent);
  }
  const share = (x) => Math.min(1, Math.max(0, (x - low) / (high - low)));

  return {
    element: html("div", { className: "predict-ask" }, axis, html("div", { className: "sketch-controls" }, html("span", {}, "Your guess: ", shown), commit)),
    knows: (guess) => typeof guess === "number" && guess >= low && guess <= high,
    missing: () => "Set the point first: nothing counts before you have touched it.",
    focus: () => input.focus(),
    lock(guess) {
      set = guess !== null;
      input.value = guess ?? root.dataset.start ?? middle;
      input.disabled = set;
      commit.disabled = set;
      found.hidden = gap.hidden = !set;
      at(found, share(value));
      at(gap, Math.min(share(value), share(guess ?? value)));
      gap.style.setProperty("--length", Math.abs(share(value) - share(guess ?? value)));
      draw();
    },
    words(guess) {
      const far = distance(guess, value, high - low);
      const finer = Number.isInteger(value) && digits === 0 ? 0 : digits + 1;
      return `You said ${fixed(guess, digits)}${space}; measured: ${measured.textContent.trim()}${space}. ${verdict(far)} Off by ${fixed(far.off, finer)}${space}.`;
    },
  };
}

/** Puts an element at a share of the axis. */
function at(element, share) {
  element.style.setProperty("--share", share);
  return element;
}
