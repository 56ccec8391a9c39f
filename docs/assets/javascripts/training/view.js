// Training, scrubbed: a slider over checkpoints, the learning curve on the left, where the heads look on the right.
//
// Markup:  <div class="sketch" data-sketch="training" data-checkpoints="models/induction/checkpoints.json">text</div>
//          A child of class sketch-caption stays above the sketch; the rest of the text gives way to it.
//          A link to `induction.order_blind_ceiling.l12` in the article gives the rung that is drawn.
//
// Both files were written from one training; they are fetched when a reader comes near.

import { button, captionOf, fixed, html, liveText, svg } from "../shared/dom.js";
import { map } from "../model/drawing.js";
import { fetchOk } from "../model/loading.js";
import { nameOf } from "../model/view.js";
import { nearest, points, readCheckpoints, ticks } from "./maths.js";

const BOX = { left: 34, top: 10, width: 300, height: 180 };
const NAMED = [1, 5, 10, 20, 30];
const RUNG = "induction.order_blind_ceiling.l12";
const FRAME = 220; // ms a checkpoint while it plays

export async function mount(root) {
  const path = root.dataset.checkpoints;
  const manifest = await fetchOk(path).then((response) => response.json());
  const weights = await fetchOk(path.replace(/[^/]*$/, manifest.weights)).then((response) => response.arrayBuffer());
  const data = readCheckpoints(manifest, weights);
  const tokens = data.tokens.map(nameOf);
  const rung = (root.closest("article") ?? document).querySelector(`a[href$="#${RUNG}"] data`);
  const state = { index: 0, head: data.head };
  let timer = 0;

  const words = liveText(500);
  const curve = curveOf(data, rung, go);
  const range = html("input", { type: "range", min: 0, max: data.count - 1, step: 1, value: 0, oninput: () => go(Number(range.value)) });
  const slider = html("label", { className: "sketch-slider training-slider" }, html("span", {}, "Checkpoint"), range);
  const play = button("Play", () => (timer ? stop() : start()));
  const back = button("Restart", () => go(0));
  const heads = [...Array(data.heads).keys()];
  const tabs = heads.map((head) => button(`Head ${head + 1}`, () => ((state.head = head), show())));
  const maps = heads.map((head) => map(head, data.length, data.length, true));
  const holder = html("div", { className: "training-map" });
  const rows = heads.map((head) => map(head, 1, data.length, false));
  const title = html("p", { className: "model-label training-title" });
  const answer = data.tokens.indexOf(data.cue) + 1;

  function go(index) {
    stop();
    state.index = index;
    show();
  }

  function start() {
    if (state.index === data.count - 1) state.index = 0;
    play.textContent = "Pause";
    timer = globalThis.setInterval(() => {
      state.index += 1;
      show();
      if (state.index === data.count - 1) stop();
    }, FRAME);
  }

  function stop() {
    globalThis.clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function show() {
    const { index, head } = state;
    const { block1, block2 } = data.at(index);
    const said = `epoch ${fixed(data.epochs[index], 1)}: accuracy ${fixed(data.accuracies[index])}`;
    range.value = index;
    range.setAttribute("aria-valuetext", said);
    curve.update(index);
    const edge = block1.map((rowsOf) => rowsOf[answer][answer - 1]);
    const read = block2.map(([row]) => row[answer]);
    tabs.forEach((tab, h) => tab.setAttribute("aria-pressed", h === head));
    maps[head].update(block1[head], tokens, answer, `Block 1, head ${head + 1}: the answer’s position gives the cue ${fixed(edge[head])}`, false);
    if (holder.firstChild !== maps[head].element) holder.replaceChildren(maps[head].element);
    rows.forEach((row, h) => row.update(block2[h], tokens, null, `Block 2, head ${h + 1}: the last position gives the answer ${fixed(read[h])}`, false));
    title.textContent = `After ${said}`;
    words.say(
      `At ${said}. By the strongest head, the answer’s position gives the cue ${fixed(Math.max(...edge))} in this sequence and ${fixed(data.edge[index])} ` +
        `on average over ${data.probe.toLocaleString("en")} others; the last position gives the answer ${fixed(Math.max(...read))} and ${fixed(data.on_answer[index])}.`,
      { quietly: timer !== 0 },
    );
  }

  const fallback = [...root.childNodes];
  root.replaceChildren(
    ...captionOf(root),
    html(
      "div",
      { className: "training" },
      html("div", { className: "training-left" }, title, curve.element, slider, words.element, html("div", { className: "sketch-controls" }, play, back)),
      html(
        "div",
        { className: "training-right" },
        html("p", { className: "model-label" }, html("b", {}, "Block 1"), ": a row looks, a column is looked at"),
        html("div", { className: "training-tabs", role: "group", "aria-label": "Which head’s map" }, ...tabs),
        holder,
        html("p", { className: "model-label" }, html("b", {}, "Block 2"), ": where the last position looks, one row a head"),
        html("div", { className: "training-rows" }, namesOf(tokens), ...rows.map(({ element }) => element)),
      ),
    ),
  );
  show();
  return () => {
    stop();
    words.stop();
    root.replaceChildren(...fallback);
  };
}

/** The tokens above the rows of block 2, in the same columns. */
function namesOf(tokens) {
  return html("div", { className: "training-names", "aria-hidden": "true" }, ...tokens.map((token) => html("span", {}, token)));
}

/** The learning curve, with a mark at a checkpoint; a press or a drag across it chooses one. */
function curveOf(data, rung, go) {
  const { left, top, width, height } = BOX;
  const at = points(data.accuracies, BOX);
  const y = (share) => top + height * (1 - share);
  const mark = svg("circle", { r: 5, class: "training-mark" });
  const line = svg("path", { class: "training-now" });
  const across = (share, kind) => svg("path", { d: `M${left} ${y(share)}h${width}`, class: kind });
  const text = (tx, ty, words, anchor = "middle") => svg("text", { x: tx, y: ty, class: "training-text", "text-anchor": anchor }, words);
  const element = svg(
    "svg",
    { viewBox: "0 0 346 232", class: "training-curve", role: "img", "aria-label": "Validation accuracy at each checkpoint of one training" },
    ...[0, 0.5, 1].flatMap((share) => [across(share, "training-grid"), text(left - 6, y(share) + 4, fixed(share, 1), "end")]),
    ...(rung ? [across(Number(rung.value), "training-rung"), text(left + width, y(Number(rung.value)) + 15, "naming the most common symbol", "end")] : []),
    ...ticks(data.epochs, NAMED).map(({ epoch, index }) => text(at[index][0], top + height + 17, String(epoch))),
    text(left + width / 2, top + height + 36, "epochs; the first ten are drawn wider"),
    line,
    svg("path", { d: `M${at.map((p) => p.map((v) => v.toFixed(1)).join(" ")).join("L")}`, class: "training-line" }),
    mark,
  );
  const follow = (event) => {
    const box = element.getBoundingClientRect();
    go(nearest(((event.clientX - box.left) / box.width) * 346, data.count, BOX));
  };
  element.addEventListener("click", follow);
  element.addEventListener("pointermove", (event) => event.buttons && event.pointerType === "mouse" && follow(event));
  return {
    element,
    update(index) {
      const [mx, my] = at[index];
      mark.setAttribute("cx", mx);
      mark.setAttribute("cy", my);
      line.setAttribute("d", `M${mx} ${top}v${height}`);
    },
  };
}
