// The live model: the trained weights of this site, computing in the reader's browser, on one screen.
//
// Markup:  <div class="sketch" data-sketch="model"
//               data-models="models/induction/two-blocks.json models/induction/one-block.json">text</div>
//
// A child of class sketch-caption stays above the sketch; the rest of the text gives way to it.
// data-models lists manifests that export.py wrote, relative to the site's root; the first is shown first.
// Before anything is shown, the model computes the manifest's test sequences and must agree with Keras.
//
// The tiles are the axis of everything: the last block looks above them, the first one below. ← → Home End choose
// a position, ↑ ↓, a letter or the row of symbols change it. Nodes are made once for a model and then changed in
// place, so that the focus stays where it was.

import { button, captionOf, fixed, html, liveText, toggle, uniqueId } from "../shared/dom.js";
import { arcs, map } from "./drawing.js";
import { loadModel } from "./loading.js";
import { CUE, SYMBOLS, countRight, drawSequence, forward, moveCue, seeded } from "./maths.js";
import { largest } from "../shared/models.js";

const TEST = 500;
const CHUNK = 50;
const FIRST = { tokens: [3, 1, 5, CUE, 6, 2, 2, 4, 1, 7, 3, CUE], place: 3, answer: 6 };
const CUE_NAME = "★";

/** What a token is called on the page: symbols are letters, the cue is a star. */
export const nameOf = (token) => (token === CUE ? CUE_NAME : token === 0 ? "padding" : String.fromCharCode(64 + token));

export async function mount(root) {
  const paths = (root.dataset.models ?? "models/induction/two-blocks.json").split(/\s+/).filter(Boolean);
  const models = await Promise.all(paths.map(loadModel));
  const state = { model: models[0], ...FIRST, off: new Set(), at: FIRST.place + 1, head: 0, drawn: 0 };
  if (state.model.length !== FIRST.tokens.length) Object.assign(state, drawSequence(state.model.length, seeded(0)));
  const off = (block, head) => state.off.has(`${block}.${head}`);
  const end = () => state.tokens.length - 1;
  const words = liveText(400);
  const tested = html("output", { className: "model-tested", "aria-live": "polite" });
  const test = button(`Test on ${TEST} fresh sequences`, () => runTest());
  const panel = html("div", { className: "model-panel" });
  const symbols = symbolRow();
  const answer = answerBars();
  let parts = null; // of the model that is shown
  let testing = 0;

  /** Another sequence, the same nodes. */
  function edit(to) {
    Object.assign(state, to);
    tested.textContent = "";
    show();
  }

  function choose(position, { focus = false } = {}) {
    state.at = Math.min(end(), Math.max(0, position));
    show();
    if (focus) parts.tiles[state.at].focus();
  }

  /** A symbol, or the cue, at the chosen position; the last position is always the cue. */
  function put(token) {
    const { tokens, place, at } = state;
    if (at === end() || token === tokens[at]) return;
    if (token === CUE) {
      if (at < end() - 1) edit(moveCue(tokens, place, at));
    } else if (at !== place) {
      const changed = tokens.with(at, token);
      edit({ tokens: changed, answer: changed[place + 1] });
    }
  }

  /** The next symbol at the chosen position, upward or downward. */
  function turn(by) {
    const token = state.tokens[state.at];
    if (token !== CUE) put(1 + ((token - 1 + by + SYMBOLS) % SYMBOLS));
  }

  function symbolRow() {
    const buttons = [...Array(SYMBOLS).keys(), CUE - 1].map((i) => {
      const token = i + 1;
      return button(nameOf(token), () => put(token), { className: "sketch-button model-symbol" });
    });
    const label = html("span", { className: "model-label" });
    const element = html("div", { className: "model-symbols", role: "group" }, label, ...buttons);
    return {
      element,
      update() {
        const { tokens, at, place } = state;
        label.textContent = `Position ${at + 1}: `;
        element.setAttribute("aria-label", `The symbol at position ${at + 1}`);
        buttons.forEach((one, i) => {
          one.setAttribute("aria-pressed", tokens[at] === i + 1);
          // Not `disabled`: a button that has the focus must not lose it.
          const fixedHere = at === end() || (at === place && i + 1 !== CUE) || (i + 1 === CUE && at >= end() - 1);
          one.setAttribute("aria-disabled", fixedHere);
        });
      },
    };
  }

  const keys = {
    ArrowLeft: () => choose(state.at - 1, { focus: true }),
    ArrowRight: () => choose(state.at + 1, { focus: true }),
    Home: () => choose(0, { focus: true }),
    End: () => choose(end(), { focus: true }),
    ArrowUp: () => turn(1),
    ArrowDown: () => turn(-1),
    "*": () => put(CUE),
  };
  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const letter = event.key.length === 1 ? event.key.toUpperCase().charCodeAt(0) - 64 : 0;
    const act = keys[event.key] ?? (letter >= 1 && letter <= SYMBOLS ? () => put(letter) : null);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation(); // a letter is no shortcut of the site's here
    act();
  }

  /** The nodes of a model: tiles, switches, arcs, maps. */
  function build() {
    const { model } = state;
    const heads = [...Array(model.heads).keys()];
    const last = model.blocks - 1;
    const tiles = [...Array(model.length).keys()].map((t) => {
      const tile = html("button", { type: "button", className: "model-tile", onclick: () => choose(t) });
      tile.dataset.position = t + 1; // drawn by the style sheet: the label says it to those who hear
      tile.addEventListener("focus", () => state.at !== t && choose(t));
      return tile;
    });
    const row = html("div", { className: "model-tiles", role: "toolbar", "aria-label": "The sequence" }, ...tiles);
    row.addEventListener("keydown", press);
    const up = arcs(model.length, true);
    const down = arcs(model.length, false);
    const rows = heads.map((head) => ({ view: map(head, 1, model.length, false), control: switchOf(last, head) }));
    const first = model.blocks < 2 ? [] : heads; // of one block, the last position alone looks
    const maps = first.map((head) => ({ view: map(head, model.length, model.length, true), control: switchOf(0, head) }));
    const figures = maps.map(({ view, control }) => html("div", { className: "model-head" }, control.label, view.element));
    for (const { view } of maps) {
      const look = (event) => choose(view.rowAt(event.clientY));
      view.element.addEventListener("click", look);
      view.element.addEventListener("pointermove", (event) => event.buttons && event.pointerType === "mouse" && look(event));
    }
    const tabs = maps.map((_, head) => button(`Head ${head + 1}`, () => ((state.head = head), show())));
    const below = html("p", { className: "model-label" });
    panel.replaceChildren(
      html(
        "div",
        { className: "model-strip" },
        html("p", { className: "model-label" }, html("b", {}, `Block ${last + 1}`), ": where the last position looks"),
        up.element,
        row,
        ...(maps.length ? [down.element, below] : []),
        symbols.element,
      ),
      html(
        "div",
        { className: "model-side" },
        answer.element,
        html("p", { className: "model-label" }, html("b", {}, `Block ${last + 1}`), ", head by head"),
        html("div", { className: "model-rows" }, ...rows.flatMap(({ view, control }) => [control.label, view.element])),
      ),
      ...(maps.length
        ? [
            html(
              "div",
              { className: "model-below" },
              html("p", { className: "model-label" }, html("b", {}, "Block 1"), ": a row looks, a column is looked at"),
              html("div", { className: "model-tabs", role: "group", "aria-label": "Which head’s map" }, ...tabs),
              html("div", { className: "model-maps" }, ...figures),
            ),
          ]
        : []),
    );
    parts = { tiles, up, down, rows, maps, figures, tabs, below };
  }

  function switchOf(block, head) {
    const control = toggle(`Head ${head + 1}`, !off(block, head), (on) => {
      state.off[on ? "delete" : "add"](`${block}.${head}`);
      tested.textContent = "";
      show();
    });
    control.input.setAttribute("aria-label", `Block ${block + 1}, head ${head + 1}`);
    control.label.classList.add(`model-series${(head % 5) + 1}`);
    return control;
  }

  /** Everything follows the state. */
  function show() {
    const { model, tokens, place, at } = state;
    const { probabilities, attention } = forward(model, tokens, off);
    const names = tokens.map(nameOf);
    const last = model.blocks - 1;
    parts.tiles.forEach((tile, t) => {
      tile.textContent = names[t];
      tile.className = `model-tile${tokens[t] === CUE ? " is-cue" : ""}${t === place + 1 ? " is-answer" : ""}`;
      tile.setAttribute("aria-pressed", t === at);
      tile.setAttribute("aria-label", `Position ${t + 1}: ${saidOf(t)}`);
      tile.tabIndex = t === at ? 0 : -1;
    });
    const on = (block) => [...attention[block].keys()].filter((head) => !off(block, head));
    parts.up.update(on(last).map((head) => ({ head, row: attention[last][head][0] })), end());
    parts.rows.forEach(({ view, control }, head) => {
      view.update(attention[last][head], names, null, lookOf(last, head, attention[last][head][0], end()), off(last, head));
      control.input.checked = !off(last, head);
    });
    if (parts.maps.length) {
      parts.down.update(on(0).map((head) => ({ head, row: attention[0][head][at] })), at);
      parts.below.replaceChildren(html("b", {}, "Block 1"), `: where position ${at + 1} (${names[at]}) looks`);
      parts.maps.forEach(({ view, control }, head) => {
        view.update(attention[0][head], names, at, lookOf(0, head, attention[0][head][at], at), off(0, head));
        control.input.checked = !off(0, head);
        parts.figures[head].classList.toggle("is-current", head === state.head);
        parts.tabs[head].setAttribute("aria-pressed", head === state.head);
      });
    }
    symbols.update();
    answer.update(probabilities, state.answer);
    words.say(sentence(probabilities, attention[last]));
  }

  function saidOf(t) {
    if (state.tokens[t] !== CUE) return nameOf(state.tokens[t]);
    return t === end() ? "the cue again" : "the cue";
  }

  function sentence(probabilities, lastBlock) {
    const guess = largest(probabilities);
    const verdict = guess === state.answer ? "Right" : "Wrong";
    const block = state.model.blocks - 1;
    const active = lastBlock.map((rows, head) => ({ head, row: rows[0] })).filter(({ head }) => !off(block, head));
    const strongest = active.sort((a, b) => Math.max(...b.row) - Math.max(...a.row))[0];
    const look = strongest
      ? ` In the last block head ${strongest.head + 1} looks most at position ${largest(strongest.row) + 1}: ${fixed(Math.max(...strongest.row))}.`
      : " Each head of the last block is off.";
    const truth = nameOf(state.answer);
    const silenced = [...state.off].sort().map((name) => `block ${Number(name[0]) + 1}’s head ${Number(name.slice(2)) + 1}`);
    const without = silenced.length ? ` Off: ${silenced.join(", ")}.` : "";
    return `The model answers ${nameOf(guess)} with probability ${fixed(probabilities[guess])}. ${verdict}: ${truth} follows the first ${CUE_NAME}.${look}${without}`;
  }

  function lookOf(block, head, row, at) {
    const key = largest(row);
    return `Block ${block + 1}, head ${head + 1}: position ${at + 1} looks most at position ${key + 1}, weight ${fixed(row[key])}`;
  }

  /** Counts right answers in portions, so that the page stays awake. */
  async function runTest() {
    const run = ++testing;
    const random = seeded(1_000_000);
    const { model } = state;
    const heads = new Set(state.off);
    let rightOnes = 0;
    for (let done = 0; done < TEST && run === testing; done += CHUNK) {
      tested.textContent = `${done} of ${TEST} …`;
      rightOnes += countRight(model, CHUNK, random, (block, head) => heads.has(`${block}.${head}`));
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (run !== testing) return;
    const without = heads.size ? `with ${heads.size} of ${model.blocks * model.heads} heads off` : "with every head on";
    tested.textContent = `${model.title}, ${without}: ${rightOnes} of ${TEST} right (${fixed(rightOnes / TEST, 3)}).`;
  }

  const fresh = button("New sequence", () => {
    state.drawn += 1;
    testing += 1;
    edit(drawSequence(state.model.length, seeded(state.drawn)));
  });
  const restart = button("Restart", () => {
    testing += 1;
    state.off.clear();
    Object.assign(state, { drawn: 0, at: FIRST.place + 1, head: 0 });
    edit(state.model.length === FIRST.tokens.length ? FIRST : drawSequence(state.model.length, seeded(0)));
  });
  const group = uniqueId("model");
  const choice = html(
    "fieldset",
    { className: "model-choice" },
    html("legend", {}, "Model"),
    ...models.map((model) => {
      const input = html("input", { type: "radio", name: group, checked: model === state.model });
      input.addEventListener("change", () => {
        testing += 1;
        state.model = model;
        state.off.clear();
        tested.textContent = "";
        if (state.tokens.length !== model.length) Object.assign(state, drawSequence(model.length, seeded(state.drawn)));
        build();
        show();
      });
      return html("label", { className: "sketch-switch" }, input, html("span", {}, model.title));
    }),
  );
  choice.hidden = models.length < 2;

  const fallback = [...root.childNodes];
  const controls = html("div", { className: "sketch-controls" }, fresh, restart, test, tested);
  root.replaceChildren(...captionOf(root), choice, panel, words.element, controls);
  build();
  show();
  return () => {
    testing += 1;
    words.stop();
    root.replaceChildren(...fallback);
  };
}

/** The probability of each symbol as a bar, the true answer framed; what is no symbol stands in no bar. */
function answerBars() {
  const title = html("p", { className: "model-label" });
  const rows = [...Array(SYMBOLS).keys()].map((i) => {
    const bar = html("span", { className: "model-bar" });
    const number = html("td", {});
    const element = html(
      "tr",
      {},
      html("th", { scope: "row" }, nameOf(i + 1)),
      html("td", { className: "model-room" }, bar),
      number,
    );
    return { element, bar, number };
  });
  const table = html("table", { className: "model-answer" }, html("caption", { className: "for-readers-aloud" }, "Probability of each symbol"), html("tbody", {}, ...rows.map(({ element }) => element)));
  const element = html("div", { className: "model-prediction" }, title, table);
  return {
    element,
    update(probabilities, answer) {
      title.replaceChildren(html("b", {}, "Answer"), `: after the first ${CUE_NAME} stands `, html("b", {}, nameOf(answer)));
      rows.forEach((row, i) => {
        row.element.classList.toggle("is-answer", i + 1 === answer);
        row.bar.style.setProperty("--share", probabilities[i + 1].toFixed(4));
        row.number.textContent = fixed(probabilities[i + 1], 2);
      });
    },
  };
}
