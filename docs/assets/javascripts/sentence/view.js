// One sentence: touch a word, and see where it looks.
//
// Markup:  <div class="sketch" data-sketch="sentence"> with a child of class sketch-caption that stays, and a
//          table (word, query ×2, key ×2) that executed code has written; the sketch starts from its numbers.

import { button, captionOf, fixed, html, liveText, svg, uniqueId } from "../shared/dom.js";
import { vectorsOf } from "../shared/tables.js";
import { REACH, clamp, look, queryOf, ribbons, silent } from "./maths.js";

const STEP = 0.2;
const KEYS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

export function mount(root) {
  const words = vectorsOf(root.querySelector("table"));
  colour(words);
  const asking = words.findIndex((word) => word.name === root.dataset.word);
  const state = { pinned: asking, current: asking, moved: new Map() };
  const query = () => queryOf(words, state.moved, state.current);

  const line = sentenceOf(words, { choose, preview, leave: () => preview(state.pinned) });
  const plane = planeOf(words, { move, putBack });
  const shares = sharesOf(words);
  const numbers = numbersOf(words);
  const said = liveText();

  function choose(i) {
    state.pinned = i;
    preview(i);
  }
  function preview(i) {
    if (state.current === i) return;
    state.current = i;
    show(state.pinned === i);
  }
  function move(to) {
    if (silent(words[state.current].query)) return;
    state.moved.set(state.current, clamp(to));
    show(true);
  }
  function putBack() {
    state.moved.clear();
    show(true);
  }

  function show(speak) {
    const found = look(words, query());
    line.update(state.current, found.weights);
    shares.update(found.weights);
    numbers.update(state, found, query());
    plane.update(words[state.current], query(), found.weights, state.moved.has(state.current));
    said.say(sentence(words, state.current, query(), found.weights), { quietly: !speak });
  }

  const fallback = [...root.childNodes];
  root.replaceChildren(
    ...captionOf(root),
    line.element,
    shares.element,
    said.element,
    html("div", { className: "sentence-parts" }, html("div", { className: "sketch-scroll" }, numbers.element), plane.element),
  );
  const resized = new ResizeObserver(() => show(false));
  resized.observe(line.element);
  document.fonts?.ready.then(() => root.isConnected && show(false));
  show(false);
  said.sayNow(sentence(words, state.current, query(), look(words, query()).weights));
  return () => {
    resized.disconnect();
    said.stop();
    root.replaceChildren(...fallback);
  };
}

/** Words with features of their own get one of four colours, which no role of the page uses. */
function colour(words) {
  let next = 0;
  for (const word of words) {
    const plain = silent(word.query) && silent(word.key);
    word.className = plain ? "word-plain" : `word-${(next += 1)}`;
  }
}

/** The words as buttons of a toolbar, the ribbons above and between them. */
function sentenceOf(words, { choose, preview, leave }) {
  const picture = svg("svg", { "aria-hidden": "true", class: "sentence-ribbons" });
  const paths = words.map((word) => svg("path", { class: `sentence-ribbon ${word.className}` }));
  picture.append(...paths);
  const buttons = words.map((word, i) => {
    const weight = html("span", { className: "sentence-weight", "aria-hidden": "true" });
    const made = html("button", { type: "button", className: `sentence-word ${word.className}`, onclick: () => choose(i) }, word.name, weight);
    made.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && preview(i));
    made.addEventListener("focus", () => choose(i));
    return made;
  });
  const bar = html("div", { className: "sentence-line", role: "toolbar", "aria-label": "The sentence: choose the word that looks" }, ...buttons);
  bar.addEventListener("pointerleave", leave);
  bar.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    const ends = { Home: 0, End: words.length - 1 };
    const to = event.key in ends ? ends[event.key] : KEYS[event.key] && (at + KEYS[event.key] + words.length) % words.length;
    if (to === undefined || at < 0) return;
    event.preventDefault();
    buttons[to].focus();
  });
  const element = html("div", { className: "sentence-stage" }, picture, bar);
  return {
    element,
    update(current, weights) {
      const stage = element.getBoundingClientRect();
      const boxes = buttons.map((made) => {
        const box = made.getBoundingClientRect();
        const middle = (box.left + box.right) / 2 - stage.left;
        return { x: middle, top: Math.round(box.top - stage.top) + 4, bottom: box.bottom - stage.top + 14 };
      });
      const narrow = boxes.some(({ top }) => top !== boxes[0].top); // the sentence takes more than one line
      const room = narrow ? 40 : 150;
      ribbons(boxes, current, weights, narrow ? 34 : 44, room).forEach(({ d, width }, i) => {
        paths[i].setAttribute("d", d);
        paths[i].setAttribute("stroke-width", width.toFixed(1));
      });
      buttons.forEach((made, i) => {
        made.setAttribute("aria-pressed", i === current);
        made.tabIndex = i === current ? 0 : -1;
        made.lastChild.textContent = fixed(weights[i]);
        made.lastChild.classList.toggle("is-large", weights[i] > 1.5 / weights.length);
      });
    },
  };
}

/** One bar of all shares: what the word takes home. */
function sharesOf(words) {
  const parts = words.map((word) => html("span", { className: `sentence-share ${word.className}` }));
  const element = html("div", { className: "sentence-shares", "aria-hidden": "true" }, ...parts);
  return {
    element,
    update(weights) {
      parts.forEach((part, i) => {
        part.style.flexGrow = weights[i];
        part.textContent = weights[i] > 0.12 ? words[i].name : "";
      });
    },
  };
}

/** Where the weights come from: words that say something, their query, their key, score and weight. */
function numbersOf(words) {
  const cell = () => html("td");
  const told = words.map((word, i) => ({ ...word, i })).filter((word) => word.className !== "word-plain");
  const silentOnes = words.length - told.length;
  const first = words.findIndex((word) => word.className === "word-plain");
  const rows = told.map((word) => {
    const cells = [cell(), cell(), cell(), cell()];
    return { word, cells, row: html("tr", {}, html("th", { scope: "row", className: word.className }, word.name), ...cells) };
  });
  const rest = [cell(), cell(), cell(), cell()];
  const heading = (text, role) => html("th", { scope: "col" }, role ? html("span", { className: `role-${role}` }, text) : text);
  const whose = html("th", { scope: "col" });
  const element = html(
    "table",
    { className: "sketch-table" },
    html("caption", {}, "Where the weights come from"),
    html("thead", {}, html("tr", {}, heading("word"), heading("its query", "query"), heading("its key", "key"), whose, heading("weight"))),
    html("tbody", {}, ...rows.map(({ row }) => row), html("tr", { className: "is-masked" }, html("th", { scope: "row" }, `${silentOnes} others, each`), ...rest)),
  );
  const pair = (v) => `(${v.map((x) => fixed(x, Number.isInteger(x) ? 0 : 1)).join(", ")})`;
  const write = (cells, texts) => cells.forEach((c, i) => (c.textContent = texts[i]));
  return {
    element,
    update(state, { scores, weights }) {
      whose.textContent = `score with “${words[state.current].name}”: q · k / √2`;
      for (const { word, cells } of rows) {
        const { i, key } = word;
        write(cells, [pair(queryOf(words, state.moved, i)), pair(key), fixed(scores[i]), fixed(weights[i], 3)]);
      }
      write(rest, [pair(words[first].query), pair(words[first].key), fixed(scores[first]), fixed(weights[first], 3)]);
    },
  };
}

/** The query as an arrow among the keys; a hand, or the arrow keys, turn it. */
function planeOf(words, { move, putBack }) {
  const title = uniqueId("plane");
  const side = 2 * (REACH + 0.5);
  const grid = [-2, -1, 0, 1, 2].map((i) => svg("path", { class: i ? "sentence-grid" : "sentence-axis", d: `M${i} ${-REACH}V${REACH}M${-REACH} ${i}H${REACH}` }));
  const points = words
    .filter((word) => !silent(word.key))
    .map((word) => ({ word, dot: svg("circle", { class: `sentence-key ${word.className}`, cx: word.key[0], cy: -word.key[1] }), name: nameAt(word) }));
  const arrow = svg("path", { class: "sentence-arrow" });
  const tip = svg("path", { class: "sentence-tip" });
  const picture = svg(
    "svg",
    { viewBox: `${-side / 2} ${-side / 2} ${side} ${side}`, role: "img", "aria-labelledby": title },
    svg("title", { id: title }, "Keys as points and one query as an arrow; the table beside it has the numbers."),
    ...grid,
    ...points.flatMap(({ dot, name }) => [dot, name]),
    arrow,
    tip,
  );
  const handle = html("button", { type: "button", className: "sketch-handle", "aria-label": "Query: drag it, or move it with the arrow keys; Escape puts it back" });
  const back = button("Put it back", putBack);
  const holder = html("div", { className: "sentence-plane" }, picture, handle);
  let now = [0, 0];
  handle.addEventListener("keydown", (event) => {
    if (event.key === "Escape") putBack();
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    move([now[0] + by[0], now[1] + by[1]]);
  });
  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const box = picture.getBoundingClientRect();
    move([((event.clientX - box.left) / box.width - 0.5) * side, (0.5 - (event.clientY - box.top) / box.height) * side]);
  });
  const note = html(
    "p",
    { className: "sentence-note" },
    "The arrow is the ",
    html("span", { className: "role-query" }, "query"),
    ", the dots are ",
    html("span", { className: "role-key" }, "keys"),
    ". Turn the arrow and see who wins.",
  );
  return {
    element: html("div", { className: "sentence-side" }, holder, note, back),
    update(word, query, weights, moved) {
      now = query;
      const asks = !silent(word.query);
      const [x, y] = [query[0], -query[1]];
      const length = Math.hypot(x, y) || 1;
      const [ux, uy] = [x / length, y / length];
      for (const part of [arrow, tip]) part.setAttribute("visibility", asks ? "visible" : "hidden");
      arrow.setAttribute("d", `M0 0L${x - 0.2 * ux} ${y - 0.2 * uy}`);
      tip.setAttribute("d", `M${x} ${y}l${-0.3 * ux - 0.14 * uy} ${-0.3 * uy + 0.14 * ux}l${0.28 * uy} ${-0.28 * ux}z`);
      handle.hidden = !asks;
      handle.style.left = `${(x / side + 0.5) * 100}%`;
      handle.style.top = `${(y / side + 0.5) * 100}%`;
      for (const { word: other, dot } of points) dot.setAttribute("r", 0.1 + 0.32 * Math.sqrt(weights[words.indexOf(other)]));
      back.disabled = !moved;
    },
  };
}

/** A key's name, on the side of it where there is room. */
function nameAt({ name, key: [x, y], className }) {
  const right = x < 1;
  const place = right
    ? { x: x - 0.3, y: -y + 0.1, "text-anchor": "end" }
    : { x, y: -y + (y > 0 ? -0.45 : 0.65), "text-anchor": "middle" };
  return svg("text", { class: `sentence-name ${className}`, ...place }, name);
}

/** What the drawing says. */
function sentence(words, i, query, weights) {
  const { name } = words[i];
  if (silent(query)) return `“${name}” asks nothing: its query is zeros, so every word gets the same share, ${fixed(weights[0])}.`;
  const most = Math.max(...weights);
  const best = words.filter((_, j) => most - weights[j] < 1e-9).map((word) => `“${word.name}”`);
  const share = `${fixed(most)}${best.length > 1 ? " each" : ""} of ${best.join(" and ")}`;
  return `“${name}” takes home ${share}, and the rest from the other words. The shares sum to 1.`;
}
