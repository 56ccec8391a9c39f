// The speller: type a word, see the letters that each sound looks at; the model without attention beside it.
//
// Markup:  <div class="sketch" data-sketch="speller" data-models="models/speller/">text</div>
//
// data-models is the folder that speller_export.py filled, relative to the site's root. A child of class
// sketch-caption stays above the sketch; the rest of the text gives way to it. Before anything is shown, both
// models compute the manifest's test words and must agree with Keras.

import { button, captionOf, fixed, html, liveText, uniqueId } from "../shared/dom.js";
import { cacheGrid, ribbons } from "./drawing.js";
import { loadJson, loadSpeller } from "./load.js";
import { bytesKept, edits, objection, soundsOf, spell, spellWithoutAttention, tidied, tokensOf } from "./maths.js";
import { largest } from "../shared/models.js";

const ROOT = new URL("../../../", import.meta.url);
const FIRST = "knight";
const OFFERED = 8;
const TALL = 96;
const KEYS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export async function mount(root) {
  const folder = new URL(root.dataset.models, ROOT);
  const [transformer, lstm, words] = await Promise.all([
    loadSpeller(new URL("transformer.json", folder)),
    loadSpeller(new URL("lstm.json", folder)),
    loadJson(new URL("words.json", folder)),
  ]);
  const state = { word: FIRST, block: transformer.blocks - 1, head: "mean", only: null, shown: Infinity, offer: 0 };
  let found = null; // what both models say to the word

  const plain = { autocapitalize: "none", autocomplete: "off", spellcheck: false, maxLength: 80 };
  const field = html("input", { type: "text", className: "speller-field", value: FIRST, ...plain });
  field.addEventListener("input", () => choose(field.value, { typed: true }));
  const fieldLabel = html("label", { className: "speller-label" }, html("span", {}, "A word of your own"), field);
  const offers = html("div", { className: "speller-offers", role: "group", "aria-label": "Held-out words, those that the transformer gets wrong first" });
  const trouble = html("p", { className: "speller-trouble", role: "alert" });
  const block = select(
    "Block",
    Array.from({ length: transformer.blocks }, (_, b) => [String(b), `block ${b + 1}`]),
    String(state.block),
    (value) => ((state.block = Number(value)), show()),
  );
  const head = select(
    "Head",
    [["mean", "mean of the heads"], ...Array.from({ length: transformer.num_heads }, (_, h) => [String(h), `head ${h + 1}`])],
    state.head,
    (value) => ((state.head = value), show()),
  );
  const stage = html("div", { className: "speller-stage" });
  const verdicts = html("div", { className: "speller-verdicts" });
  const words_ = liveText();
  const back = button("One sound back", () => moveTo(shownSteps() - 1));
  const next = button("Next sound", () => moveTo(shownSteps() + 1));
  const from = button("From the first sound", () => moveTo(1));
  const all = button("The whole word", () => moveTo(Infinity));
  const cache = html("div", { className: "speller-cache" });
  const table = html("div", { className: "sketch-scroll", tabIndex: 0, role: "group", "aria-label": "Table of weights" });
  const details = html("details", { className: "speller-numbers" }, html("summary", {}, "The weights as numbers"), table);
  const output = html("div", {}, stage, words_.element, verdicts, html("div", { className: "sketch-controls" }, from, back, next, all), cache, details);

  function choose(text, { typed = false } = {}) {
    state.word = tidied(text);
    state.only = null;
    state.shown = Infinity;
    if (!typed) field.value = state.word;
    const trouble_ = objection(state.word, transformer);
    trouble.textContent = trouble_ ?? "";
    output.hidden = Boolean(trouble_);
    found = trouble_ ? null : heard(state.word);
    if (found) show();
  }

  function heard(word) {
    const letters = tokensOf(word, transformer.letters);
    const said = spell(transformer, letters);
    const place = words.words.indexOf(word);
    return {
      letters: [...word],
      steps: said.steps,
      names: said.tokens.map((token) => soundsOf([token], transformer)[0] ?? "end"),
      sounds: soundsOf(said.tokens, transformer),
      without: soundsOf(spellWithoutAttention(lstm, letters).tokens, lstm),
      listed: place < 0 ? null : words.listed[place].split("|").map((spoken) => spoken.split(" ")),
    };
  }

  const shownSteps = () => Math.min(state.shown, found.steps.length);

  function moveTo(steps) {
    state.shown = Math.min(Math.max(steps, 1), found.steps.length);
    state.only = steps === Infinity ? null : state.shown - 1;
    show();
  }

  /** Weights of each step over the letters, by the chosen block and head. */
  function weights() {
    return found.steps.map(({ cross }) => {
      const rows = cross[state.block];
      if (state.head !== "mean") return rows[Number(state.head)];
      return rows[0].map((_, l) => rows.reduce((sum, row) => sum + row[l], 0) / rows.length);
    });
  }

  function offer() {
    const wrong = words.wrong.transformer;
    const picked = Array.from({ length: OFFERED }, (_, i) => words.words[wrong[(state.offer + i) % wrong.length]]);
    const onlyWithout = words.wrong.lstm.filter((i) => !wrong.includes(i));
    picked.push(words.words[onlyWithout[(state.offer / OFFERED) % onlyWithout.length]]);
    const more = button("Other words", () => {
      state.offer = (state.offer + OFFERED) % wrong.length;
      offer();
      offers.lastChild.focus();
    });
    offers.replaceChildren(...picked.map((word) => button(word, () => choose(word))), more);
  }

  function drawStage() {
    const rows = weights();
    const count = shownSteps();
    const sounds = found.names.slice(0, count).map((name, s) => {
      const [example, letters] = words.examples[name] ?? [];
      const told = example ? `${name} as in ${example}` : "the end";
      const made = html(
        "button",
        {
          type: "button",
          className: `speller-sound speller-series${(s % 5) + 1}`,
          "aria-pressed": String(state.only === s),
          title: `${told}: ${looks(rows[s])}`,
          tabIndex: s === (state.only ?? 0) ? 0 : -1,
          onclick: () => {
            state.only = state.only === s ? null : s;
            show();
            stage.querySelectorAll(".speller-sound")[s]?.focus();
          },
        },
        html("span", { className: "speller-name" }, name),
        html("span", { className: "speller-example" }, ...(example ? marked(example, letters) : [" "])),
      );
      return made;
    });
    const bar = html("div", { className: "speller-line", role: "toolbar", "aria-label": "Sounds: choose one to see the letters that it looks at" }, ...sounds);
    bar.addEventListener("keydown", (event) => {
      const at = sounds.indexOf(document.activeElement);
      const ends = { Home: 0, End: sounds.length - 1 };
      const to = event.key in ends ? ends[event.key] : KEYS[event.key] && (at + KEYS[event.key] + sounds.length) % sounds.length;
      if (to === undefined || at < 0) return;
      event.preventDefault();
      sounds.forEach((sound, s) => (sound.tabIndex = s === to ? 0 : -1));
      sounds[to].focus();
    });
    const letters = found.letters.map((letter) => html("span", { className: "speller-letter" }, letter));
    const below = html("div", { className: "speller-line speller-letters", "aria-label": `Letters: ${found.letters.join(" ")}`, role: "img" }, ...letters);
    const between = html("div", { className: "speller-between" });
    stage.replaceChildren(bar, between, below);
    const frame = stage.getBoundingClientRect();
    const middle = (element) => {
      const box = element.getBoundingClientRect();
      return { x: (box.left + box.right) / 2 - frame.left };
    };
    const only = state.only !== null && state.only < count ? state.only : null;
    between.append(
      ribbons({
        from: sounds.map(middle),
        to: letters.map(middle),
        weights: rows.slice(0, count),
        only,
        tall: TALL,
        width: Math.max(stage.clientWidth, 200),
      }),
    );
  }

  function show() {
    if (!found) return;
    drawStage();
    const rows = weights();
    const count = shownSteps();
    back.disabled = count <= 1;
    next.disabled = count >= found.steps.length;
    verdicts.replaceChildren(
      verdict("Transformer", found.sounds, found.listed),
      verdict("LSTM without attention", found.without, found.listed),
      html("p", { className: "speller-listed" }, listedInWords(found.listed)),
    );
    const kept = bytesKept(transformer, count, found.letters.length);
    const names = ["start", ...found.names].slice(0, found.steps.length);
    cache.replaceChildren(
      html("div", { className: "sketch-scroll", tabIndex: 0, role: "group", "aria-label": "The cache" }, cacheGrid({ names, filled: count, blocks: transformer.blocks })),
      html(
        "p",
        { className: "speller-kept" },
        `After ${count} ${count === 1 ? "step" : "steps"} the cache holds ${count} ${count === 1 ? "key and value" : "keys and values"} in each block: ` +
          `${kept.sounds.toLocaleString("en")} bytes, and ${kept.letters.toLocaleString("en")} for the letters, which never change.`,
      ),
    );
    table.replaceChildren(weightTable(rows.slice(0, count)));
    const s = state.only !== null && state.only < count ? state.only : count - 1;
    const said = found.names[s] === "end" ? "The end" : `${found.names[s]}`;
    words_.say(state.only === null ? `“${state.word}” is said ${found.sounds.join(" ")}. Choose a sound to see where it looks.` : `${said} ${looks(rows[s])}.`);
  }

  const looks = (row) => {
    const best = largest(row);
    const others = row.map((weight, l) => [weight, l]).filter(([weight, l]) => l !== best && weight >= 0.2);
    const name = (l) => `${found.letters[l]} (letter ${l + 1}, ${fixed(row[l])})`;
    return `looks most at ${name(best)}${others.length ? `, and at ${others.map(([, l]) => name(l)).join(" and ")}` : ""}`;
  };

  function weightTable(rows) {
    const id = uniqueId("weights");
    const headings = found.letters.map((letter) => html("th", { scope: "col" }, letter));
    return html(
      "table",
      { className: "sketch-table", "aria-labelledby": id },
      html("caption", { id }, `Weight of each sound on each letter, block ${state.block + 1}, ${state.head === "mean" ? "mean of the heads" : `head ${Number(state.head) + 1}`}`),
      html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "sound"), ...headings)),
      html("tbody", {}, ...rows.map((row, s) => html("tr", {}, html("th", { scope: "row" }, found.names[s]), ...row.map((weight) => html("td", {}, fixed(weight)))))),
    );
  }

  const fallback = [...root.childNodes];
  const controls = html("div", { className: "sketch-controls" }, block, head);
  root.replaceChildren(...captionOf(root), html("div", { className: "sketch-controls" }, fieldLabel), offers, trouble, controls, output);
  offer();
  choose(FIRST);
  const resized = new ResizeObserver(() => found && drawStage());
  resized.observe(root);
  return () => {
    resized.disconnect();
    words_.stop();
    root.replaceChildren(...fallback);
  };
}

/** A labelled choice. */
function select(text, options, value, onchange) {
  const made = html("select", { onchange: () => onchange(made.value) });
  made.append(...options.map(([key, words]) => new Option(words, key)));
  made.value = value;
  return html("label", { className: "sketch-switch" }, html("span", {}, text), made);
}

/** An example word with the letters of the sound set apart. */
function marked(word, letters) {
  const at = word.indexOf(letters);
  return [word.slice(0, at), html("b", {}, letters), word.slice(at + letters.length)];
}

/** What a model says, and how far that is from what is listed. */
function verdict(name, sounds, listed) {
  const apart = listed ? Math.min(...listed.map((spoken) => edits(sounds, spoken))) : null;
  const judged = apart === null ? "" : apart === 0 ? " – right" : ` – wrong by ${apart} ${apart === 1 ? "sound" : "sounds"}`;
  return html("p", { className: `speller-verdict${apart ? " is-wrong" : ""}` }, html("span", { className: "speller-who" }, `${name}: `), html("span", { className: "speller-said" }, sounds.join(" ") || "nothing"), judged);
}

function listedInWords(listed) {
  if (!listed) return "This word is none of the held-out ones, so that nothing here says whether that is right.";
  return `The dictionary lists: ${listed.map((spoken) => spoken.join(" ")).join("; or ")}.`;
}
