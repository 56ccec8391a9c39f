// Attention as a soft lookup: drag the query, watch the weights.
//
// Markup:  <div class="sketch" data-sketch="lookup">text for those without scripts</div>
//          A child of class sketch-caption stays above the sketch; the rest of the text gives way to it.
//          p5 moves it once somebody presses Play; until then it stands still, and p5 is not fetched.

import { button, captionOf, fixed, html, liveText, slider, toggle } from "../shared/dom.js";
import { createStage } from "../shared/stage.js";
import { ALLOWED, KEYS, NAMES, REACH, START, VALUES, clamp, drift, heaviest, lookup } from "./maths.js";
import { layout, paint, toPlane, toScreen } from "./drawing.js";

const LABEL =
  "Two planes with a bar chart. Left: five keys and the query. Bars: the weight of each key. " +
  "Right: the five values and the output, their weighted average. The numbers stand in the table below.";
const FIRST = { query: [...START], scaled: true, masked: false, seconds: 0 };
const STEP = 0.1;
const FAR_STEP = 0.5;

export function mount(root) {
  const state = { ...FIRST };
  const result = () => lookup(state.query, { scaled: state.scaled, allowed: state.masked ? ALLOWED : null });
  const words = liveText();
  const table = resultTable();
  const holder = html("div", { className: "sketch-canvas" });
  const stage = createStage(holder, {
    label: LABEL,
    height: (width) => layout(width).height,
    draw: (painter, width, _height, colours) => paint(painter, layout(width), { ...state, ...result() }, colours),
    advance(seconds) {
      state.seconds += seconds;
      state.query = drift(state.seconds);
      show(false);
    },
  });

  const x = slider("Query, across", { min: -REACH, max: REACH, step: STEP, value: START[0] }, (to) => move([to, state.query[1]]));
  const y = slider("Query, up", { min: -REACH, max: REACH, step: STEP, value: START[1] }, (to) => move([state.query[0], to]));
  const scale = toggle("Divide the scores by √2, the scale", true, (on) => change({ scaled: on }));
  const mask = toggle("Mask keys D and E", false, (on) => change({ masked: on }));
  const pause = button("Play", () => setPlaying(!stage.playing));
  const restart = button("Restart", () => {
    Object.assign(state, FIRST);
    scale.input.checked = state.scaled;
    mask.input.checked = state.masked;
    show(true);
    stage.redraw();
  });
  const handle = html("button", {
    type: "button",
    className: "sketch-handle",
    "aria-label": "Query: drag it, or move it with the arrow keys",
  });
  holder.append(handle);

  function setPlaying(on) {
    pause.textContent = on ? "Pause" : "Play";
    if (on) stage.start().then(() => stage.play(true)).catch(stay);
    else stage.play(false);
    if (!on) show(true);
  }

  function stay(error) {
    pause.textContent = "Play";
    console.error(error);
  }

  /** The reader's hand: it stops the idle motion. */
  function move(query) {
    if (stage.playing || pause.textContent === "Pause") setPlaying(false);
    state.query = clamp(query);
    show(true);
    stage.redraw();
  }

  function change(to) {
    Object.assign(state, to);
    show(true);
    stage.redraw();
  }

  /** Numbers, sliders, handle and words follow the state; they are read aloud if the reader changed it. */
  function show(speak) {
    const now = result();
    table.update(now, state);
    x.update(state.query[0]);
    y.update(state.query[1]);
    const [left, top] = toScreen(layout(stage.size()[0]).keys, state.query);
    handle.style.transform = `translate(${left}px, ${top}px)`;
    words.say(sentence(state.query, now), { quietly: !speak });
  }

  handle.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? FAR_STEP : STEP;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    if (!by) return;
    event.preventDefault();
    move([state.query[0] + by[0], state.query[1] + by[1]]);
  });
  const follow = (event) => {
    const box = holder.getBoundingClientRect();
    move(toPlane(layout(stage.size()[0]).keys, [event.clientX - box.left, event.clientY - box.top]));
  };
  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => handle.hasPointerCapture(event.pointerId) && follow(event));
  holder.addEventListener("click", (event) => {
    const { left, top, side } = layout(stage.size()[0]).keys;
    const inside = event.offsetX >= left && event.offsetX <= left + side && event.offsetY >= top && event.offsetY <= top + side;
    if (event.target !== handle && inside) follow(event);
  });

  const settings = html("div", { className: "sketch-controls" }, x.label, y.label, scale.label, mask.label);
  const clock = html("div", { className: "sketch-controls" }, pause, restart);
  const fallback = [...root.childNodes];
  const numbers = html("div", { className: "sketch-scroll" }, table.element);
  root.replaceChildren(...captionOf(root), holder, clock, settings, words.element, numbers);
  const replace = new ResizeObserver(() => show(false)); // the handle follows the width
  replace.observe(holder);
  words.sayNow(sentence(state.query, result()));
  show(false);
  stage.redraw();

  return () => {
    replace.disconnect();
    words.stop();
    stage.remove();
    root.replaceChildren(...fallback);
  };
}

/** What the drawing says, in a sentence. */
function sentence(query, { weights, output }) {
  const first = heaviest(weights);
  return (
    `Query (${query.map((v) => fixed(v)).join(", ")}). ` +
    `${NAMES[first]} weighs most: ${fixed(weights[first])} of 1. ` +
    `Output (${output.map((v) => fixed(v)).join(", ")}).`
  );
}

/** The table of one row of attention: from products to the sum. */
function resultTable() {
  const cell = (text = "") => html("td", {}, text);
  const rows = NAMES.map((name, i) => {
    const numbers = { product: cell(), score: cell(), exponential: cell(), weight: cell(), share: cell() };
    const value = cell(`(${VALUES[i].map((v) => fixed(v, 1)).join(", ")})`);
    value.className = "sketch-wide";
    numbers.share.className = "sketch-wide";
    const key = html("th", { scope: "row" }, `${name} `, html("span", { className: "sketch-wide" }, `(${KEYS[i].map((v) => fixed(v, 1)).join(", ")})`));
    const row = html("tr", {}, key, numbers.product, numbers.score, numbers.exponential, numbers.weight, value, numbers.share);
    return { row, ...numbers };
  });
  const total = { exponential: cell(), weight: cell(), output: cell() };
  total.output.className = "sketch-wide";
  const wide = (text) => html("th", { scope: "col", className: "sketch-wide" }, text);
  const head = ["Key k", "q·k", "score", "exp", "weight"].map((text) => html("th", { scope: "col" }, text));
  const filler = () => html("td", {});
  const element = html(
    "table",
    { className: "sketch-table" },
    html("caption", {}, "From scores to the weighted sum (exp: of the score less the largest score)"),
    html("thead", {}, html("tr", {}, ...head, wide("value v"), wide("weight × v"))),
    html("tbody", {}, ...rows.map(({ row }) => row)),
    html(
      "tfoot",
      {},
      html("tr", {}, html("th", { scope: "row" }, "Sum"), filler(), filler(), total.exponential, total.weight, html("td", { className: "sketch-wide" }), total.output),
    ),
  );
  const pair = (v) => `(${v.map((n) => fixed(n)).join(", ")})`;
  return {
    element,
    update({ products, scores, exponentials, sum, weights, shares, output }) {
      rows.forEach((row, i) => {
        const hidden = scores[i] === -Infinity;
        row.row.classList.toggle("is-masked", hidden);
        row.product.textContent = fixed(products[i]);
        row.score.textContent = hidden ? "−∞" : fixed(scores[i]);
        row.exponential.textContent = fixed(exponentials[i], 3);
        row.weight.textContent = fixed(weights[i], 3);
        row.share.textContent = pair(shares[i]);
      });
      total.exponential.textContent = fixed(sum, 3);
      total.weight.textContent = fixed(weights.reduce((a, b) => a + b, 0), 3);
      total.output.textContent = pair(output);
    },
  };
}
