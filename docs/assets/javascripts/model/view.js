// The live model: the trained weights of this site, computing in the reader's browser.
//
// Markup:  <div class="sketch" data-sketch="model"
//               data-models="models/induction/two-blocks.json models/induction/one-block.json">text</div>
//
// A child of class sketch-caption stays above the sketch; the rest of the text gives way to it.
// data-models lists manifests that export.py wrote, relative to the site's root; the first is shown first.
// Before anything is shown, the model computes the manifest's test sequences and must agree with Keras.

import { button, captionOf, fixed, html, liveText, toggle, uniqueId } from "../shared/dom.js";
import { arcs, heatMap } from "./drawing.js";
import {
  CUE,
  SYMBOLS,
  countRight,
  disagreement,
  drawSequence,
  forward,
  largest,
  moveCue,
  readModel,
  seeded,
} from "./maths.js";

const ROOT = new URL("../../../", import.meta.url);
const TEST = 500;
const CHUNK = 50;
const FIRST = { tokens: [3, 1, 5, CUE, 6, 2, 2, 4, 1, 7, 3, CUE], place: 3, answer: 6 };

/** What a token is called on the page: symbols are letters, the cue is a star. */
export const nameOf = (token) => (token === CUE ? "★" : token === 0 ? "padding" : String.fromCharCode(64 + token));

/** A model with its weights, once it has shown that it computes what Keras did. */
export async function loadModel(address) {
  const manifest = await fetchOk(address).then((response) => response.json());
  const weights = await fetchOk(new URL(manifest.weights, address)).then((response) => response.arrayBuffer());
  const model = readModel(manifest, weights);
  const apart = disagreement(model, manifest.test);
  if (!(apart <= manifest.test.tolerance)) throw new Error(`${address}: logits are ${apart} apart from Keras' own`);
  return { ...model, title: ["", "One block", "Two blocks"][model.blocks] ?? `${model.blocks} blocks` };
}

async function fetchOk(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} could not be loaded: ${response.status}`);
  return response;
}

export async function mount(root) {
  const manifests = (root.dataset.models ?? "models/induction/two-blocks.json").split(/\s+/).filter(Boolean);
  const models = await Promise.all(manifests.map((path) => loadModel(new URL(path, ROOT))));
  const state = { model: models[0], ...FIRST, off: new Set(), query: "all", drawn: 0 };
  if (state.model.length !== FIRST.tokens.length) Object.assign(state, drawSequence(state.model.length, seeded(0)));
  const off = (block, head) => state.off.has(`${block}.${head}`);
  const words = liveText(400);

  const cells = html("div", { className: "model-sequence", role: "group", "aria-label": "The sequence" });
  const left = button("Cue to the left", () => shiftCue(-1));
  const right = button("Cue to the right", () => shiftCue(1));
  const fresh = button("New sequence", () => {
    state.drawn += 1;
    edit(drawSequence(state.model.length, seeded(state.drawn)));
  });
  const from = html("select", { onchange: () => ((state.query = from.value), show()) });
  const fromLabel = html("label", { className: "sketch-switch model-from" }, html("span", {}, "Block 1 seen from"), from);
  const blocks = html("div", {});
  const prediction = html("div", { className: "model-prediction" });
  const tested = html("output", { className: "model-tested", "aria-live": "polite" });
  const test = button(`Test on ${TEST} fresh sequences`, () => runTest());
  const restart = button("Restart", () => {
    state.off.clear();
    state.query = "all";
    state.drawn = 0;
    edit(state.model.length === FIRST.tokens.length ? FIRST : drawSequence(state.model.length, seeded(0)));
    buildBlocks();
    tested.textContent = "";
  });
  let views = [];
  let testing = 0;

  function edit(to) {
    Object.assign(state, to);
    buildCells();
    show();
  }

  function shiftCue(by) {
    edit(moveCue(state.tokens, state.place, state.place + by));
  }

  /** One control a position: a choice of symbol, or the cue, which buttons move. */
  function buildCells() {
    const end = state.tokens.length - 1;
    cells.replaceChildren(
      ...state.tokens.map((token, t) => {
        const number = html("span", { className: "model-position", "aria-hidden": "true" }, String(t + 1));
        if (token === CUE) {
          const text = t === end ? "the cue again" : "the cue";
          const star = html("span", { className: "model-cue", role: "img", "aria-label": `Position ${t + 1}: ${text}` }, "★");
          return html("div", { className: "model-cell" }, star, number);
        }
        const choice = html("select", { "aria-label": `Position ${t + 1}` });
        for (let symbol = 1; symbol <= SYMBOLS; symbol += 1) choice.append(new Option(nameOf(symbol), symbol));
        choice.value = token;
        choice.addEventListener("change", () => {
          state.tokens = state.tokens.with(t, Number(choice.value));
          state.answer = state.tokens[state.place + 1];
          show();
        });
        return html("div", { className: "model-cell" }, choice, number);
      }),
    );
    left.disabled = state.place === 0;
    right.disabled = state.place === end - 2;
  }

  /** The switches and the pictures of every block. */
  function buildBlocks() {
    const { model } = state;
    from.replaceChildren(new Option("every position", "all"));
    for (let t = 0; t < model.length; t += 1) from.append(new Option(`position ${t + 1}`, t));
    from.value = state.query;
    fromLabel.hidden = model.blocks === 1;
    views = [];
    blocks.replaceChildren(
      ...[...Array(model.blocks).keys()].map((block) => {
        const arc = html("div", { className: "model-arcs" });
        const heads = [...Array(model.heads).keys()].map((head) => {
          const map = html("div", { className: "model-map" });
          const on = toggle(`Head ${head + 1}`, !off(block, head), (checked) => {
            state.off[checked ? "delete" : "add"](`${block}.${head}`);
            tested.textContent = "";
            show();
          });
          on.input.setAttribute("aria-label", `Block ${block + 1}, head ${head + 1}`);
          return { map, figure: html("div", { className: "model-head" }, on.label, map) };
        });
        views.push({ arc, maps: heads.map(({ map }) => map) });
        const last = block === model.blocks - 1;
        const title = `Block ${block + 1}${last ? ": asked from the last position only" : ""}`;
        const id = uniqueId("block");
        return html(
          "section",
          { className: "model-block", "aria-labelledby": id },
          html("p", { id, className: "model-title" }, title),
          arc,
          html("div", { className: "model-heads" }, ...heads.map(({ figure }) => figure)),
        );
      }),
    );
  }

  function show() {
    const { model, tokens, answer } = state;
    const { probabilities, attention } = forward(model, tokens, off);
    views.forEach(({ arc, maps }, block) => {
      const last = block === model.blocks - 1;
      const queries = last ? [tokens.length - 1] : attention[block][0].map((_, t) => t);
      arc.replaceChildren(
        arcs({
          width: Math.max(arc.clientWidth, 260),
          names: tokens.map(nameOf),
          attention: attention[block],
          queries,
          only: last || state.query === "all" ? null : Number(state.query),
          off: (head) => off(block, head),
          label: inWords(block, attention[block], queries),
        }),
      );
      maps.forEach((map, head) => {
        map.replaceChildren(
          heatMap({
            rows: attention[block][head],
            head,
            off: off(block, head),
            label: lookOf(block, head, attention[block][head], queries),
          }),
        );
      });
    });
    prediction.replaceChildren(bars(probabilities, answer));
    words.say(sentence(probabilities, answer, attention[model.blocks - 1]));
  }

  function sentence(probabilities, answer, lastBlock) {
    const guess = largest(probabilities);
    const verdict = guess === answer ? "Right" : "Wrong";
    const block = state.model.blocks - 1;
    const active = lastBlock.map((rows, head) => ({ head, row: rows[0] })).filter(({ head }) => !off(block, head));
    const strongest = active.sort((a, b) => Math.max(...b.row) - Math.max(...a.row))[0];
    const look = strongest
      ? ` In the last block head ${strongest.head + 1} looks most at position ${largest(strongest.row) + 1}: ${fixed(Math.max(...strongest.row))}.`
      : " Every head of the last block is off.";
    return `The model answers ${nameOf(guess)} with probability ${fixed(probabilities[guess])}. ${verdict}: ${nameOf(answer)} follows the first ★.${look}`;
  }

  function lookOf(block, head, rows, queries) {
    const at = queries.length - 1;
    const key = largest(rows[at]);
    return `Block ${block + 1}, head ${head + 1}: position ${queries[at] + 1} looks most at position ${key + 1}, weight ${fixed(rows[at][key])}`;
  }

  function inWords(block, attention, queries) {
    return `Arcs of attention. ${attention.map((rows, head) => lookOf(block, head, rows, queries)).join("; ")}.`;
  }

  /** Counts right answers in portions, so that the page stays awake. */
  async function runTest() {
    const run = ++testing;
    const random = seeded(1_000_000);
    const { model } = state;
    const heads = new Set(state.off);
    let rightOnes = 0;
    test.disabled = true;
    for (let done = 0; done < TEST && run === testing; done += CHUNK) {
      rightOnes += countRight(model, CHUNK, random, (block, head) => heads.has(`${block}.${head}`));
      await new Promise((resolve) => setTimeout(resolve));
    }
    test.disabled = false;
    if (run !== testing) return;
    const without = heads.size ? `with ${heads.size} of ${model.blocks * model.heads} heads off` : "with every head on";
    tested.textContent = `${model.title}, ${without}: ${rightOnes} of ${TEST} right (${fixed(rightOnes / TEST, 3)}).`;
  }

  const chosen = uniqueId("model");
  const choice = html(
    "fieldset",
    { className: "model-choice" },
    html("legend", {}, "Model"),
    ...models.map((model) => {
      const input = html("input", { type: "radio", name: chosen, checked: model === state.model });
      input.addEventListener("change", () => {
        testing += 1;
        state.model = model;
        state.off.clear();
        state.query = "all";
        tested.textContent = "";
        if (state.tokens.length !== model.length) Object.assign(state, drawSequence(model.length, seeded(state.drawn)));
        buildCells();
        buildBlocks();
        show();
      });
      return html("label", { className: "sketch-switch" }, input, html("span", {}, model.title));
    }),
  );
  choice.hidden = models.length < 2;

  const fallback = [...root.childNodes];
  root.replaceChildren(
    ...captionOf(root),
    choice,
    cells,
    html("div", { className: "sketch-controls" }, left, right, fresh, restart),
    words.element,
    prediction,
    html("div", { className: "sketch-controls" }, test, tested),
    fromLabel,
    blocks,
  );
  buildCells();
  buildBlocks();
  show();
  let width = root.clientWidth;
  const resized = new ResizeObserver(() => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    show();
  });
  resized.observe(root);
  return () => {
    testing += 1;
    resized.disconnect();
    words.stop();
    root.replaceChildren(...fallback);
  };
}

/** The probabilities as a table with bars; what is no symbol is one row. */
function bars(probabilities, answer) {
  const other = probabilities[0] + probabilities[CUE];
  const entries = [...Array(SYMBOLS).keys()].map((i) => [nameOf(i + 1), probabilities[i + 1], i + 1 === answer]);
  const rows = [...entries, ["other", other, false]].map(([name, value, isAnswer]) => {
    const bar = html("span", { className: "model-bar" });
    bar.style.width = `${100 * value}%`;
    const head = html("th", { scope: "row" }, name, ...(isAnswer ? [html("span", { className: "model-answer" }, " answer")] : []));
    return html("tr", {}, head, html("td", { className: "model-room" }, bar), html("td", {}, fixed(value, 3)));
  });
  const columns = ["Symbol", "", "Probability"].map((text) => (text ? html("th", { scope: "col" }, text) : html("td", {})));
  return html("table", { className: "sketch-table" }, html("thead", {}, html("tr", {}, ...columns)), html("tbody", {}, ...rows));
}
