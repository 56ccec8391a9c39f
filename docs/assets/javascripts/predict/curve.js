// A curve on axes: the reader sets each of its points, then the measured one appears over it.

import { button, fixed, html, svg } from "../shared/dom.js";
import { decimals, farthest, measuredIn } from "./maths.js";

const KEYS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
const WIDE = { width: 640, height: 330, left: 46, top: 34, bottom: 76, handle: 11 };
// Axes of its own where the page is narrow, not the wide ones shrunk: letters keep their size.
const NARROW = { width: 340, height: 340, left: 40, top: 34, bottom: 76, handle: 13 };

/** Axes with a point to set at each place; the answer is a list of numbers. */
export function askCurve(root, details, answer) {
  const { min = "0", max = "1", step = "0.01", across = "", up = "" } = root.dataset;
  const places = root.dataset.points.split(" ");
  const [low, high] = [Number(min), Number(max)];
  const elements = measuredIn(details, places.length);
  const measured = elements.map((element) => Number(element.value));
  const digits = decimals(step);
  let values = places.map(() => null);
  let unveiled = false;
  let frame = null;

  const picture = svg("svg", { class: "curve", role: "group", "aria-label": `Axes: ${across} across, ${up} from ${min} to ${max} upward; a point to set at each of ${places.length} places` });
  const note = html("p", { className: "curve-note" });
  const commit = button("Compare with the measurement", () => answer(complete() ? [...values] : null));
  const complete = () => values.every((value) => value !== null);

  const columns = places.map((place, i) => {
    const parts = { hit: svg("rect", { class: "curve-hit" }), name: svg("text", { class: "curve-tick" }), handle: svg("circle", { class: "curve-handle" }), value: svg("text", { class: "curve-value" }) };
    parts.name.textContent = place;
    parts.element = svg("g", { class: "curve-column", role: "slider", tabindex: "0", "aria-orientation": "vertical", "aria-valuemin": min, "aria-valuemax": max, "aria-label": `${up}, ${across} ${place}` }, parts.hit, parts.name, parts.handle, parts.value);
    parts.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && complete()) commit.click();
      const by = KEYS[event.key];
      if (!by || unveiled) return;
      event.preventDefault();
      set(i, (values[i] ?? (low + high) / 2) + by * Number(step));
    });
    return parts;
  });
  const lines = { gap: svg("path", { class: "curve-gap" }), mine: svg("path", { class: "curve-mine" }), measured: svg("path", { class: "curve-measured" }) };
  const dots = measured.map(() => ({ dot: svg("circle", { class: "curve-dot", r: 5 }), text: text("", "curve-found") }));

  function set(i, to) {
    values[i] = Number(Math.max(low, Math.min(high, to)).toFixed(digits));
    draw();
  }
  const x = (i) => frame.left + ((frame.width - frame.left - 8) * (i + 0.5)) / places.length;
  const floor = () => frame.height - frame.bottom;
  const y = (value) => floor() - ((value - low) / (high - low)) * (floor() - frame.top);

  /** Lays the axes out anew where the width asks for it. */
  function fit() {
    const wanted = root.clientWidth < 560 ? NARROW : WIDE;
    if (wanted === frame || !root.clientWidth) return;
    frame = wanted;
    picture.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    const half = (frame.width - frame.left - 8) / places.length / 2 - 4;
    const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
      const value = low + share * (high - low);
      const line = svg("path", { class: "curve-grid", d: `M${frame.left} ${y(value)}H${frame.width - 8}` });
      return share % 0.5 ? [line] : [line, text(fixed(value, Number.isInteger(value) ? 0 : 1), "curve-tick is-end", frame.left - 8, y(value) + 5)];
    });
    columns.forEach(({ hit, name, handle }, i) => {
      const box = { x: x(i) - half, y: frame.top - 8, width: 2 * half, height: floor() - frame.top + 44, rx: 4 };
      for (const [key, value] of Object.entries(box)) hit.setAttribute(key, value);
      name.setAttribute("x", x(i));
      name.setAttribute("y", floor() + 46);
      handle.setAttribute("r", frame.handle);
    });
    const words = [text(up, "curve-tick is-start", frame.left, frame.top - 14), text(across, "curve-tick", (frame.left + frame.width) / 2, frame.height - 8)];
    const curves = [lines.gap, lines.mine, lines.measured];
    const found = dots.flatMap((made) => [made.dot, made.text]);
    picture.replaceChildren(...grid, ...words, ...curves, ...columns.map(({ element }) => element), ...found);
    draw();
  }

  function draw() {
    if (!frame) return;
    columns.forEach(({ element, handle, value: shown }, i) => {
      const value = values[i];
      const unset = value === null;
      element.classList.toggle("is-set", !unset);
      element.setAttribute("aria-valuenow", unset ? min : value);
      element.setAttribute("aria-valuetext", unset ? "not set yet" : fixed(value, digits));
      element.setAttribute("aria-disabled", unveiled);
      handle.setAttribute("cx", x(i));
      handle.setAttribute("cy", unset ? floor() + 15 : y(value));
      shown.textContent = unset ? "" : fixed(value, digits);
      shown.setAttribute("x", x(i));
      shown.setAttribute("y", unset ? 0 : y(value) + (unveiled && measured[i] > value ? 28 : -18));
    });
    const path = (list) => list.map((value, i) => `${i ? "L" : "M"}${x(i)} ${y(value)}`).join("");
    const broken = values.map((value, i) => (value === null ? "" : `${i && values[i - 1] !== null ? "L" : "M"}${x(i)} ${y(value)}`));
    lines.mine.setAttribute("d", broken.join(""));
    lines.measured.setAttribute("d", unveiled ? path(measured) : "");
    lines.gap.setAttribute("d", unveiled ? `${path(values)}${measured.map((value, i) => `L${x(i)} ${y(value)}`).reverse().join("")}Z` : "");
    dots.forEach(({ dot, text: found }, i) => {
      dot.setAttribute("cx", x(i));
      dot.setAttribute("cy", y(measured[i]));
      found.setAttribute("x", x(i));
      found.setAttribute("y", y(measured[i]) + (measured[i] > values[i] ? -12 : 24));
      found.textContent = unveiled ? elements[i].textContent.trim() : "";
      dot.setAttribute("visibility", unveiled ? "visible" : "hidden");
    });
    const left = values.filter((value) => value === null).length;
    note.textContent = unveiled ? "" : left ? `${left} to set. Press where the curve should pass, or Tab to a place and use the arrow keys.` : "That is your curve.";
    picture.classList.toggle("is-unveiled", unveiled);
  }

  follow(picture, (event, dragged) => {
    if (unveiled || !frame) return;
    const box = picture.getBoundingClientRect();
    const scale = frame.width / box.width;
    const column = ((event.clientX - box.left) * scale - frame.left) / ((frame.width - frame.left - 8) / places.length);
    const i = Math.max(0, Math.min(places.length - 1, Math.floor(column)));
    const share = (floor() - (event.clientY - box.top) * scale) / (floor() - frame.top);
    set(i, low + share * (high - low));
    if (!dragged) columns[i].element.focus({ preventScroll: true });
  });
  const resized = new ResizeObserver(fit);
  resized.observe(root);

  return {
    element: html("div", { className: "predict-ask" }, picture, note, html("div", { className: "sketch-controls" }, commit)),
    knows: (guess) => Array.isArray(guess) && guess.length === places.length && guess.every((to) => to >= low && to <= high),
    missing: () => "Set each point first: nothing counts before you have touched it.",
    focus: () => columns[Math.max(0, values.indexOf(null))].element.focus(),
    restore: () => resized.disconnect(),
    lock(guess) {
      unveiled = guess !== null;
      values = guess ?? places.map(() => null);
      commit.disabled = unveiled;
      fit();
      draw();
    },
    words(guess) {
      const { near, far, off } = farthest(guess, measured);
      const list = places.map((place, i) => `${elements[i].textContent.trim()} at ${place}`).join(", ");
      return `Measured: ${list}. You were nearest at ${places[near]} and farthest at ${places[far]}, by ${fixed(off, digits)}.`;
    },
  };
}

function text(words, className, x = 0, y = 0) {
  const made = svg("text", { class: className, x, y });
  made.textContent = words;
  return made;
}

/** A mouse draws as it is dragged. A finger taps, so that a swipe still scrolls the page, or drags a handle. */
function follow(picture, move) {
  let dragging = false;
  picture.addEventListener("pointerdown", (event) => {
    dragging = event.pointerType === "mouse" || event.target.classList.contains("curve-handle");
    if (!dragging || event.button) return;
    event.preventDefault();
    picture.setPointerCapture(event.pointerId);
    move(event, false);
  });
  picture.addEventListener("pointermove", (event) => dragging && event.buttons && move(event, true));
  picture.addEventListener("click", (event) => event.pointerType !== "mouse" && move(event, false));
  for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => (dragging = false));
}
