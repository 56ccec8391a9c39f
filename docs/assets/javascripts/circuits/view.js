// Circuits side by side on the same tokens: arrows as wide as their measured weights, and edges to cut.
//
// Markup:  <div class="sketch" data-sketch="circuits">text for those without scripts</div>
//          and, anywhere in the article, links to the measurements `induction.proof.…`, which hold the numbers.
//          A child of class sketch-caption stays above the sketch.
//
// A button below each drawing, or the scissors on an edge, intervenes; what was measured after it stands in the
// drawing, at the answer. Nothing is computed here.

import { button, captionOf, html, liveText, svg, uniqueId } from "../shared/dom.js";
import { ANSWER, CUE, DONOR, INTERVENTIONS, LAST, PANELS, TOKENS, idOf, outcome, shownAfter, widthOf } from "./maths.js";

const STEP = 46;
const x = (t) => 26 + STEP * t;
const ROWS = { tokens: 262, block1: 158, answer: 46 };
const TILE = 32;

export function mount(root) {
  const article = root.closest("article") ?? document;
  const measured = (id) => {
    const data = article.querySelector(`a[href$="#${id}"] data`);
    if (!data) throw new Error(`no link to ${id} in the article`);
    return { text: data.textContent, value: Number(data.value) };
  };
  const panels = PANELS.map((panel) => panelOf(panel, measured));
  const fallback = [...root.childNodes];
  root.replaceChildren(
    ...captionOf(root),
    legend(),
    html("div", { className: "circuits" }, ...panels.map(({ element }) => element)),
  );
  return () => {
    panels.forEach(({ words }) => words.stop());
    root.replaceChildren(...fallback);
  };
}

function legend() {
  const line = (kind) => svg("svg", { viewBox: "0 0 40 10", class: "circuit-key", "aria-hidden": "true" }, svg("path", { d: "M0 5H40", class: `circuit-edge ${kind}` }));
  return html(
    "p",
    { className: "circuit-legend" },
    html("span", {}, line("is-match"), "where the cue is"),
    html("span", {}, line("is-read"), "which symbol it is"),
    html("span", {}, line("is-control"), "the opposite edge, a control"),
    html("span", {}, "Arrows show where information goes. Looking goes the other way."),
  );
}

/** One circuit: its drawing, its buttons, and what was measured, in words beside it. */
function panelOf({ name, title, says }, measured) {
  const words = liveText(150);
  let chosen = "whole";
  const id = uniqueId("circuit");
  const values = (what) => measured(idOf(what, name));
  const drawing = draw(name, values, (what) => choose(what === chosen ? "whole" : what));
  const result = html("p", { className: "circuit-result" });
  const buttons = Object.entries(INTERVENTIONS).map(([what, text]) => {
    const one = button(text, () => choose(what), { className: "sketch-button circuit-button" });
    return { what, one };
  });
  const element = html(
    "section",
    { className: "circuit", "aria-labelledby": id },
    html("p", { id, className: "circuit-title" }, title),
    html("p", { className: "circuit-says" }, says),
    drawing.element,
    result,
    words.element,
    html("div", { className: "circuit-buttons" }, ...buttons.map(({ one }) => one)),
  );

  function choose(what) {
    chosen = what;
    const shown = shownAfter(what, name).map(([label, of]) => ({ label, ...measured(of) }));
    const then = outcome(what, shown.map(({ value }) => value));
    drawing.update(what, then);
    for (const one of buttons) one.one.setAttribute("aria-pressed", one.what === what);
    result.replaceChildren(
      ...shown.map(({ label, text, value }) => {
        const bar = html("span", { className: "circuit-bar" });
        bar.style.setProperty("--share", value);
        return html("span", { className: "circuit-share" }, html("span", {}, label), bar, html("b", {}, text));
      }),
    );
    const said = shown.map(({ label, text }) => `${label} in ${text}`).join(", ");
    words.say(`${title}, ${INTERVENTIONS[what]}: ${said} of the sequences, by the median model.`);
  }

  choose("whole");
  return { element, words };
}

/** The drawing of a circuit: tokens below, after block 1 in the middle, the answer above. */
function draw(name, values, cut) {
  const looks = values("answer_looks_at_cue");
  const opposite = values("cue_looks_at_answer");
  const hole = values("hole");
  const reads = values("weight");
  const pointer = name === "pointer";
  const edges = {
    answer_to_cue: edge(x(CUE), ROWS.tokens, x(ANSWER), ROWS.block1, pointer ? "is-control" : "is-match", looks.value),
    cue_to_answer: edge(x(ANSWER), ROWS.tokens, x(CUE), ROWS.block1, "is-control", opposite.value),
  };
  const read = svg("g", {});
  const symbol = svg("text", { x: x(LAST), y: ROWS.answer + 7, class: "circuit-symbol is-large" });
  const own = pointer ? [gap(hole)] : [label(x(ANSWER) + 32, (ROWS.tokens + ROWS.block1) / 2 - 8, looks.text)];
  const scissors = Object.entries(edges).map(([what, { middle }]) => scissor(middle, what, cut));
  const element = svg(
    "svg",
    { viewBox: "0 0 330 300", class: "circuit-drawing", role: "group", "aria-label": "The circuit; buttons on edges cut them" },
    ...TOKENS.map((_, t) => svg("path", { d: `M${x(t)} ${ROWS.tokens - 16}V${ROWS.block1 + 16}`, class: "circuit-stream" })),
    svg("path", { d: `M${x(LAST)} ${ROWS.block1 - 16}V${ROWS.answer + 20}`, class: "circuit-stream" }),
    ...own,
    ...Object.values(edges).map(({ group }) => group),
    read,
    ...TOKENS.flatMap((token, t) => [tile(t, ROWS.tokens, token, t === CUE ? "circuit-first-cue" : ""), tile(t, ROWS.block1, token)]),
    svg("rect", { x: x(LAST) - 20, y: ROWS.answer - 20, width: 40, height: 40, rx: 5, class: "circuit-tile is-answer" }),
    symbol,
    row(ROWS.tokens + 34, "tokens"),
    row(ROWS.block1 - 26, "after block 1"),
    row(ROWS.answer + 5, "after block 2: the answer"),
    ...scissors.map(({ group }) => group),
  );
  return {
    element,
    update(what, { symbol: said, reads: place }) {
      for (const [edgeName, { group }] of Object.entries(edges)) {
        group.classList.toggle("is-cut", what === edgeName || (what === "hidden_cue" && edgeName === "answer_to_cue"));
      }
      for (const { of, group } of scissors) group.setAttribute("aria-pressed", what === of);
      element.classList.toggle("hides-cue", what === "hidden_cue");
      symbol.textContent = said;
      const from = place ?? ANSWER;
      const path = edge(x(from), ROWS.block1, x(LAST), ROWS.answer + 24, "is-read", place === null ? 0 : reads.value);
      // The weight was measured in the whole model; after an intervention the arrow says only where it reads.
      const told = what === "whole" ? [label(x(from) + 20, (ROWS.block1 + ROWS.answer) / 2 - 2, reads.text)] : [];
      read.replaceChildren(path.group, ...told, ...(place === DONOR ? [svg("rect", { x: x(DONOR) - 18, y: ROWS.block1 - 18, width: 36, height: 36, rx: 5, class: "circuit-donor" })] : []));
      read.classList.toggle("is-cut", place === null);
    },
  };
}

function edge(x0, y0, x1, y1, kind, weight) {
  const [from, to] = [y0 - TILE / 2 - 2, y1 + TILE / 2 + 2];
  const bend = 0.5 * (from - to);
  const d = `M${x0} ${from}C${x0} ${from - bend} ${x1} ${to + bend} ${x1} ${to + 7}`;
  const line = svg("path", { d, class: `circuit-edge ${kind}`, "stroke-width": widthOf(weight).toFixed(2) });
  const head = svg("path", { d: `M${x1} ${to}l-5 9h10z`, class: `circuit-head ${kind}` });
  return { group: svg("g", { class: "circuit-arrow" }, line, head), middle: [(x0 + x1) / 2, (from + to) / 2] };
}

/** The last position looks elsewhere: a band from all tokens but the cue, and a gap where the cue is. */
function gap(hole) {
  const to = `${x(LAST)} ${ROWS.block1 + 18}`;
  const top = ROWS.tokens - 18;
  const part = (a, b) => svg("path", { d: `M${x(a) - 16} ${top}L${to}L${x(b) + 16} ${top}z`, class: "circuit-band" });
  return svg(
    "g",
    {},
    part(0, CUE - 1),
    part(CUE + 1, LAST),
    svg("rect", { x: x(CUE) - 17, y: top - 34, width: 34, height: 30, rx: 4, class: "circuit-gap" }),
    label(x(CUE) - 42, top - 16, hole.text),
  );
}

function scissor([cx, cy], what, cut) {
  const shift = what === "answer_to_cue" ? 14 : -14; // the two edges cross
  const group = svg(
    "g",
    { class: "circuit-cut", role: "button", tabindex: "0", "aria-pressed": "false", "aria-label": `Cut: ${INTERVENTIONS[what]}`, transform: `translate(${cx + (what === "answer_to_cue" ? 16 : -16)} ${cy - shift})` },
    svg("circle", { r: 16, class: "circuit-touch" }),
    svg("circle", { r: 11, class: "circuit-knob" }),
    svg("path", { d: "M-3-4L6 4M-3 4L6-4" }),
    svg("circle", { cx: -5, cy: -4.5, r: 2.2 }),
    svg("circle", { cx: -5, cy: 4.5, r: 2.2 }),
  );
  group.addEventListener("click", () => cut(what));
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    cut(what);
  });
  return { of: what, group };
}

const label = (lx, ly, text) => svg("text", { x: lx, y: ly, class: "circuit-weight" }, text);
const row = (y, text) => svg("text", { x: 10, y, class: "circuit-row" }, text);

function tile(t, y, token, name = "") {
  const kind = token === "★" ? " is-cue" : t === ANSWER ? " is-answer" : "";
  return svg(
    "g",
    { class: name },
    svg("rect", { x: x(t) - TILE / 2, y: y - TILE / 2, width: TILE, height: TILE, rx: 4, class: `circuit-tile${kind}` }),
    svg("text", { x: x(t), y: y + 6, class: `circuit-symbol${kind}` }, token),
  );
}
