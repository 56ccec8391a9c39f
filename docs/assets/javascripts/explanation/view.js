// Cover patches of a digit and see what the model says; compare with where its class token looks.
//
// Markup:  <div class="sketch" data-sketch="explanation" data-model="models/explanation/digits.json">text</div>
//
// A child of class sketch-caption stays above the sketch; the rest of the text gives way to it. Before anything is
// shown, the model computes the manifest's test images and must agree with Keras. Whatever is touched, everything
// that depends on it is computed before the next picture is shown: there is no answer of an earlier state.

import { button, captionOf, fixed, html, liveText, svg, uniqueId } from "../shared/dom.js";
import { cover, covering, disagreement, forward, patchesOf, placeOf, rawMap, readModel } from "./maths.js";
import { largest } from "../shared/models.js";

const ROOT = new URL("../../../", import.meta.url);
const SURE = 0.95;
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [-9, -9], End: [9, 9] };

/** The model, once it has shown that it computes what Keras did, and its images. */
export async function loadModel(address) {
  const manifest = await fetchOk(address).then((response) => response.json());
  const weights = await fetchOk(new URL(manifest.weights, address)).then((response) => response.arrayBuffer());
  const model = readModel(manifest, weights);
  const apart = disagreement(model, manifest);
  if (!(apart <= manifest.test.tolerance)) throw new Error(`${address}: logits are ${apart} apart from Keras' own`);
  if (!manifest.images?.length) throw new Error(`${address} brings no image`);
  const images = manifest.images.map((image) => ({ ...image, patches: patchesOf(image.pixels, manifest) }));
  return { model, images };
}

async function fetchOk(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} could not be loaded: ${response.status}`);
  return response;
}

export async function mount(root) {
  const { model, images } = await loadModel(new URL(root.dataset.model, ROOT));
  const across = Math.sqrt(model.tokens - 1);
  for (const image of images) image.whole = forward(model, image.patches);
  const state = { at: 0, covered: new Set(), guesses: new Map() };
  const words = liveText(400);

  const choice = html("select", { onchange: () => goTo(Number(choice.value)) }, ...images.map((image, i) => new Option(nameOf(image), i)));
  const before = button("Previous", () => goTo(state.at - 1));
  const after = button("Next", () => goTo(state.at + 1));
  const skip = button("Show without a guess", () => guess(null));
  const bare = button("Uncover all", () => setCovered(new Set()));
  const all = button("Cover all", () => setCovered(new Set(image().patches.keys())));
  const task = html("p", { className: "explanation-task" });
  const board = boardOf(across, { press, paint });
  const bars = barsOf(model.classes);
  const heads = Array.from({ length: model.heads }, (_, head) => mapOf(across, `Head ${head + 1}`));
  const raw = mapOf(across, "Mean of heads");
  const falls = mapOf(across, "What covering says");
  const rest = html("p", { className: "explanation-rest" });
  const verdict = html("p", { className: "explanation-verdict" });

  const image = () => images[state.at];

  function goTo(at) {
    state.at = Math.min(Math.max(at, 0), images.length - 1);
    state.covered = new Set();
    show();
  }
  function setCovered(covered) {
    state.covered = covered;
    show();
  }
  function guess(patch) {
    state.guesses.set(state.at, patch);
    show();
  }
  /** A click, a tap or a key: the guess, as long as there is none; then it covers, or uncovers, and says so. */
  function press(patch) {
    const covers = state.guesses.has(state.at);
    if (covers) paint(patch, !state.covered.has(patch));
    else guess(patch);
    return covers;
  }
  function paint(patch, on) {
    if (!state.guesses.has(state.at) || state.covered.has(patch) === on) return;
    const covered = new Set(state.covered);
    if (on) covered.add(patch);
    else covered.delete(patch);
    setCovered(covered);
  }

  function show() {
    const { patches, label, whole } = image();
    const { covered } = state;
    const guessed = state.guesses.has(state.at);
    const mine = state.guesses.get(state.at) ?? null;
    const now = covered.size ? forward(model, cover(patches, covered, model)) : whole;
    const answer = largest(whole.probabilities);
    choice.value = state.at;
    before.disabled = state.at === 0;
    after.disabled = state.at === images.length - 1;
    bare.disabled = !covered.size;
    all.disabled = !guessed || covered.size === patches.length;
    skip.hidden = guessed;
    task.textContent = guessed
      ? "Cover patches: click, drag across, or move with the arrow keys and press Space. Escape uncovers all."
      : `The model says ${answer}. Which patch does that hang on most? Press it.`;
    board.update(cover(patches, covered, model), { covered, guessed, mine });
    bars.update(now.probabilities, label);
    now.attention.at(-1).forEach((weights, head) => heads[head].update(weights.slice(1), covered));
    const map = rawMap(now.attention);
    raw.update(map, covered);
    rest.textContent = `On itself the class token keeps ${fixed(1 - map.reduce((a, b) => a + b, 0))} of the weight. Squares are as large as the weight.`;
    falls.element.hidden = !guessed;
    const drops = guessed ? covering(model, patches, covered, answer) : [];
    if (guessed) falls.update(drops, covered);
    verdict.textContent = guessed ? compared(drops, map, mine, covered, answer) : "";
    words.say(said(image(), now, covered, answer));
  }

  const label = html("label", { className: "sketch-switch explanation-choice" }, html("span", {}, "Image"), choice);
  const fallback = [...root.childNodes];
  root.replaceChildren(
    ...captionOf(root),
    html("div", { className: "sketch-controls" }, label, before, after),
    task,
    html(
      "div",
      { className: "explanation-parts" },
      html("div", { className: "explanation-board" }, board.element, html("div", { className: "sketch-controls" }, skip, bare, all)),
      bars.element,
    ),
    words.element,
    html("p", { className: "explanation-title" }, "Where the class token looks, last block"),
    html("div", { className: "explanation-maps" }, ...heads.map(({ element }) => element), raw.element, falls.element),
    rest,
    verdict,
  );
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.covered.size) setCovered(new Set());
  });
  show();
  words.sayNow(said(image(), image().whole, state.covered, largest(image().whole.probabilities)));
  return () => {
    words.stop();
    root.replaceChildren(...fallback);
  };
}

/** What an image is called in the list. */
function nameOf({ label, whole, number }) {
  const answer = largest(whole.probabilities);
  return `Image ${number}: ${label === answer ? `a ${label}, right` : `a ${label} taken for a ${answer}`}`;
}

/** The patch that a key leads to; one stays where the image ends. */
function next(key, current, across) {
  const within = (place) => Math.min(Math.max(place, 0), across - 1);
  const [down, right] = MOVES[key];
  return within(Math.floor(current / across) + down) * across + within((current % across) + right);
}

/** The image, its patches as buttons. Built once and updated in place, so that the focus stays. */
function boardOf(across, { press, paint }) {
  const count = across * across;
  let current = 0;
  let stroke = null; // where a pointer began, and what it does on its way
  const cells = Array.from({ length: count }, (_, patch) => {
    const pixels = Array.from({ length: 4 }, () => html("span", { className: "explanation-pixel" }));
    const element = html("button", { type: "button", className: "explanation-patch", tabIndex: patch ? -1 : 0 }, ...pixels);
    element.addEventListener("click", (event) => {
      if (event.detail === 0) press(patch); // a key or a reading aid; pointers are heard below
    });
    return { element, pixels };
  });
  const element = html("div", { className: "explanation-grid", role: "group", "aria-label": "The image, in sixteen patches" }, ...cells.map((cell) => cell.element));
  const under = (event) => cells.findIndex((cell) => cell.element === document.elementFromPoint(event.clientX, event.clientY)?.closest(".explanation-patch"));
  element.addEventListener("pointerdown", (event) => {
    const patch = under(event);
    if (patch < 0 || event.button) return;
    stroke = { patch, covers: null };
    if (event.pointerType === "touch") return; // it may become a scroll
    event.preventDefault();
    begin();
    if (stroke) element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const patch = stroke ? under(event) : -1;
    if (patch < 0) return;
    if (stroke.covers === null && patch !== stroke.patch) begin();
    if (stroke && stroke.covers !== null) paint(patch, stroke.covers);
  });
  element.addEventListener("pointerup", () => {
    if (stroke?.covers === null) begin();
    stroke = null;
  });
  element.addEventListener("pointercancel", () => (stroke = null));
  /** The patch under the pointer is pressed; where that covers it, or uncovers it, those on the way follow. */
  function begin() {
    const { patch } = stroke;
    const free = cells[patch].element.getAttribute("aria-pressed") !== "true";
    focus(patch);
    if (press(patch)) stroke.covers = free;
    else stroke = null;
  }
  element.addEventListener("keydown", (event) => {
    if (!(event.key in MOVES)) return;
    event.preventDefault();
    focus(next(event.key, current, across));
  });
  function focus(patch) {
    cells[current].element.tabIndex = -1;
    current = patch;
    cells[patch].element.tabIndex = 0;
    cells[patch].element.focus();
  }
  return {
    element,
    update(patches, { covered, guessed, mine }) {
      cells.forEach((cell, patch) => {
        const on = covered.has(patch);
        cell.element.classList.toggle("is-covered", on);
        cell.element.classList.toggle("is-guess", patch === mine);
        cell.element.setAttribute("aria-pressed", on);
        const place = `Row ${Math.floor(patch / across) + 1}, column ${(patch % across) + 1}`;
        cell.element.setAttribute("aria-label", `${place}${on ? ", covered" : ""}${patch === mine ? ", your guess" : ""}${guessed ? "" : ": guess this patch"}`);
        cell.pixels.forEach((pixel, i) => pixel.style.setProperty("--ink", patches[patch][i].toFixed(3)));
      });
    },
  };
}

/** A map of numbers over patches: squares as large as the number, hollow where it is negative. */
function mapOf(across, title) {
  const id = uniqueId("explanation-map");
  const name = svg("title", { id });
  const squares = Array.from({ length: across * across }, () => svg("rect", {}));
  const marks = squares.map((_, i) => svg("path", { d: `M${i % across} ${Math.floor(i / across)}l1 1m0 -1l-1 1`, class: "explanation-gone" }));
  const line = (i) => svg("path", { d: `M${i} 0v${across}M0 ${i}h${across}`, class: "explanation-line" });
  const lines = Array.from({ length: across - 1 }, (_, i) => line(i + 1));
  const picture = svg(
    "svg",
    { viewBox: `-0.05 -0.05 ${across + 0.1} ${across + 0.1}`, role: "img", "aria-labelledby": id },
    name,
    svg("rect", { width: across, height: across, class: "explanation-frame" }),
    ...lines,
    ...squares,
    ...marks,
  );
  const element = html("figure", { className: "explanation-map" }, picture, html("figcaption", {}, title));
  return {
    element,
    update(values, covered) {
      const most = Math.max(...values.map((value) => Math.abs(value ?? 0)), 1e-9);
      values.forEach((value, i) => {
        const side = 0.92 * Math.sqrt(Math.abs(value ?? 0) / most);
        const [x, y] = [(i % across) + (1 - side) / 2, Math.floor(i / across) + (1 - side) / 2];
        for (const [key, to] of Object.entries({ x, y, width: side, height: side })) squares[i].setAttribute(key, to.toFixed(3));
        squares[i].setAttribute("class", (value ?? 0) < 0 ? "explanation-square is-negative" : "explanation-square");
        marks[i].setAttribute("visibility", covered.has(i) ? "visible" : "hidden");
      });
      const best = largest(values.map((value) => value ?? -Infinity));
      const all = values.map((value) => (value === null ? "covered" : fixed(value))).join(", ");
      name.textContent = `${title}: largest in row ${Math.floor(best / across) + 1}, column ${(best % across) + 1}. Row by row: ${all}.`;
    },
  };
}

/** The probabilities as a table with bars, updated in place. */
function barsOf(classes) {
  const rows = Array.from({ length: classes }, (_, i) => {
    const bar = html("span", { className: "explanation-bar", "aria-hidden": "true" });
    const mark = html("span", { className: "explanation-mark" });
    const value = html("td");
    const row = html("tr", {}, html("th", { scope: "row" }, String(i), mark), html("td", { className: "explanation-room" }, bar), value);
    return { row, bar, mark, value };
  });
  const heads = ["Digit", "", "Probability"].map((text) => (text ? html("th", { scope: "col" }, text) : html("td", {})));
  const element = html("table", { className: "sketch-table explanation-bars" }, html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map(({ row }) => row)));
  return {
    element,
    update(probabilities, label) {
      const best = largest(probabilities);
      rows.forEach(({ bar, mark, value }, i) => {
        bar.style.width = `${(100 * probabilities[i]).toFixed(1)}%`;
        mark.textContent = [i === best && " said", i === label && " written"].filter(Boolean).join(",");
        value.textContent = fixed(probabilities[i], 3);
      });
    },
  };
}

/** Your patch, and the first of the weights' map, by what covering says. */
function compared(drops, map, mine, covered, answer) {
  const open = drops.filter((drop) => drop !== null);
  if (!open.length) return "Nothing is left to cover.";
  const at = (patch) => `row ${Math.floor(patch / Math.sqrt(drops.length)) + 1}, column ${(patch % Math.sqrt(drops.length)) + 1}`;
  const values = drops.map((drop) => drop ?? -Infinity);
  const best = largest(values);
  const shown = map.map((weight, i) => (covered.has(i) ? -Infinity : weight));
  const looked = largest(shown);
  const place = (patch) => (covered.has(patch) ? "covered" : `number ${placeOf(values, patch)} of ${open.length}`);
  const guessed = mine === null ? "" : ` Your patch is ${place(mine)}.`;
  const rest = covered.size ? "Of the patches that are left, covering" : "Covering";
  return `${rest} ${at(best)} takes most from the lead of ${answer}. The patch with the largest mean weight, ${at(looked)}, is ${place(looked)}.${guessed}`;
}

/** What is seen, in words. */
function said({ label, whole, patches }, now, covered, answer) {
  const says = largest(now.probabilities);
  const first = `The image is a ${label}; uncovered, the model says ${answer} with ${fixed(whole.probabilities[answer], 3)}`;
  const sure = answer !== label && whole.probabilities[answer] > SURE ? ", wrong and sure of it" : answer !== label ? ", which is wrong" : "";
  if (!covered.size) return `${first}${sure}.`;
  const much = covered.size === patches.length ? "all patches covered, which leaves the mean image and nothing of this one" : `${covered.size} of ${patches.length} patches covered`;
  return `${first}${sure}. With ${much}, it says ${says} with ${fixed(now.probabilities[says], 3)}.`;
}
