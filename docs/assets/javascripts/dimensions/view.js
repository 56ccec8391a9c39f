// The scale: a slider for d_k, and twelve bars with and without the division.
//
// Markup:  <div class="sketch picture" data-sketch="dimensions"> with a child of class sketch-caption, two drawings of
//          class dimensions-panel (is-without, is-with), and a table of dot products, one row a key and one
//          column a width, whose foot has the largest weight, mean over data-draws draws, for either way; all of
//          which executed code has written. Bars and marks are moved where they stand.

import { fixed, html, liveText } from "../shared/dom.js";
import { rowsOf } from "../shared/tables.js";
import { said, weightsAt } from "./maths.js";

export function mount(root) {
  const table = root.querySelector("table");
  const keys = rowsOf(table);
  const widths = [...table.tHead.rows[0].cells].slice(1).map((cell) => Number(cell.textContent));
  const means = [...table.tFoot.rows].map((row) => [...row.cells].slice(1).map((cell) => Number(cell.textContent)));
  const draws = Number(table.dataset.draws);
  const column = (i) => ({ numbers: keys.map(({ numbers }) => numbers[i]), average: means.map((row) => row[i]) });
  const rows = widths.map((width, i) => ({ width, ...column(i) }));
  const panels = ["without", "with"].map((way) => panelOf(root.querySelector(`.dimensions-panel.is-${way}`)));
  const start = rows.findIndex(({ width }) => width === Number(root.dataset.width));
  const words = liveText(150);
  const shown = html("span", { className: "sketch-number", "aria-hidden": "true" });
  const input = html("input", { type: "range", min: 0, max: rows.length - 1, step: 1, value: start });
  const label = html("label", { className: "sketch-slider picture-controls" }, html("span", {}, "Width d", html("sub", {}, "k")), input, shown);

  function draw() {
    const { width, numbers, average } = rows[Number(input.value)];
    const found = [false, true].map((divided) => weightsAt(numbers, width, divided));
    found.forEach((weights, i) => panels[i](weights, average[i]));
    shown.textContent = width;
    input.setAttribute("aria-valuetext", String(width));
    return said(width, found, average, draws, fixed);
  }
  input.addEventListener("input", () => words.say(draw()));
  root.querySelector(":scope > .sketch-caption").after(label);
  root.querySelector(".dimensions-panels").after(words.element);
  words.sayNow(draw());
  return () => {
    words.stop();
    input.value = start;
    draw();
    label.remove();
    words.element.remove();
  };
}

/** Moves the bars of a drawing, the number above the largest, and the mark of the mean. */
function panelOf(drawing) {
  const bars = [...drawing.querySelectorAll(".dimensions-bar")];
  const largest = drawing.querySelector(".dimensions-largest");
  const number = drawing.querySelector(".dimensions-mean-number");
  const mark = number.parentElement;
  const drawn = Number(number.textContent);
  const [floor, top] = [...drawing.querySelectorAll(".curve-grid")].map((line) => Number(line.getAttribute("d").split(/[ H]/)[1])).filter((_, i) => i !== 1);
  return (weights, mean) => {
    mark.setAttribute("transform", `translate(0 ${((drawn - mean) * (floor - top)).toFixed(1)})`);
    number.textContent = fixed(mean);
    weights.forEach((weight, i) => {
      const height = weight * (floor - top);
      bars[i].setAttribute("height", height.toFixed(1));
      bars[i].setAttribute("y", (floor - height).toFixed(1));
    });
    const best = weights.indexOf(Math.max(...weights));
    largest.setAttribute("x", Number(bars[best].getAttribute("x")) + Number(bars[best].getAttribute("width")) / 2);
    largest.setAttribute("y", floor - weights[best] * (floor - top) - 6);
    largest.textContent = fixed(weights[best]);
    bars.forEach((bar, i) => bar.classList.toggle("is-best", i === best));
  };
}
