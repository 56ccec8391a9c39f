// The measured table, ranked: a heading is a button that sorts the rows and draws the column as bars.
//
// Markup:  <div class="measured-table"><table> … <td><data value="0.464">0.464</data></td> … </table></div>
//          or the class on the table itself
//
// A column can be ranked when at least two of its cells hold <data value>. Rows are named by their first
// cell. The chart, and p5 with it, comes with the first click.

import { button, html, liveText, plain, prefersStillness } from "../shared/dom.js";
import { createStage } from "../shared/stage.js";
import { between, ease, extent, extremes, rank, slots } from "./maths.js";

const SECONDS = 0.9;
const ROW = 30;

export function mount(table) {
  const body = table.tBodies[0];
  const headings = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
  if (!body) return null;
  const rows = [...body.rows];
  const labels = rows.map((row) => plain(row.cells[0]));
  const names = labels.map((label) => (/^[\d.,−-]+$/.test(label) && headings[0] ? `${plain(headings[0])} ${label}` : label));
  const columns = headings.map((heading, place) => columnOf(heading, rows, place));
  let chart = null;
  let sorted = null; // {column, descending}

  const clean = [];
  for (const column of columns) {
    if (column.values.filter(Number.isFinite).length < 2) continue;
    const content = [...column.heading.childNodes];
    const press = html("button", { type: "button", className: "ranked-heading", title: "Rank the rows by this column" });
    press.append(...content);
    press.addEventListener("click", () => sort(column, sorted?.column === column ? !sorted.descending : true));
    column.heading.replaceChildren(press);
    clean.push(() => column.heading.replaceChildren(...content));
  }
  if (!clean.length) return null;

  function sort(column, descending) {
    sorted = { column, descending };
    for (const { heading } of columns) heading.removeAttribute("aria-sort");
    column.heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const order = rank(column.values, descending);
    body.append(...order.map((row) => rows[row]));
    chart ??= createChart(table, labels, unsort);
    chart.show(column, order, statement(column, names, descending));
  }

  function unsort() {
    sorted = null;
    for (const { heading } of columns) heading.removeAttribute("aria-sort");
    body.append(...rows);
  }

  return () => {
    unsort();
    chart?.remove();
    for (const restore of clean) restore();
  };
}

/** A column: its title, and for each row the number and how the table shows it. */
function columnOf(heading, rows, place) {
  const data = rows.map((row) => row.cells[place]?.querySelector("data[value]") ?? null);
  return {
    heading,
    title: plain(heading),
    values: data.map((element) => (element && element.value.trim() !== "" ? Number(element.value) : NaN)),
    texts: data.map((element) => (element ? plain(element) : "–")),
  };
}

/** The ranking in words. */
function statement({ title, values, texts }, names, descending) {
  const { highest, lowest } = extremes(values);
  return (
    `Ranked by “${title}”, ${descending ? "highest" : "lowest"} first. ` +
    `Highest: ${texts[highest]} (${names[highest]}). Lowest: ${texts[lowest]} (${names[lowest]}).`
  );
}

/** The bars under a table, with their clock. */
function createChart(table, labels, unsort) {
  const original = labels.map((_, i) => i);
  const nothing = labels.map(() => NaN);
  const state = { from: original, to: original, order: original, fromValues: nothing, values: nothing, texts: [], time: SECONDS };
  const words = liveText(0);
  const holder = html("div", { className: "sketch-canvas" });
  const pause = button("Pause", () => run(!stage.playing));
  const restart = button("Restart", () => animate(original, slots(state.order), labels.map(() => 0)));
  const back = button("Original order", () => {
    unsort();
    state.order = original;
    animate(current(), original, currentValues());
    words.say("The rows stand in their original order.");
  });
  const element = html(
    "div",
    { className: "ranked" },
    words.element,
    holder,
    html("div", { className: "sketch-controls" }, pause, restart, back),
  );
  (table.closest(".md-typeset__scrollwrap") ?? table).after(element);

  const progress = () => ease(state.time / SECONDS);
  const current = () => between(state.from, state.to, progress());
  const currentValues = () => between(state.fromValues, state.values, progress());

  const stage = createStage(holder, {
    label: "Bars of the ranked column; the same numbers stand in the table above.",
    height: () => ROW * labels.length + 8,
    draw(painter, width, _height, colours) {
      const now = { labels, texts: state.texts, places: current(), values: currentValues(), range: extent(state.values) };
      paint(painter, width, now, colours);
    },
    advance(seconds) {
      state.time += seconds;
      if (state.time >= SECONDS) run(false);
    },
  });

  function run(on) {
    stage.play(on && state.time < SECONDS);
    pause.textContent = on || state.time >= SECONDS ? "Pause" : "Play";
    pause.disabled = state.time >= SECONDS;
  }

  function animate(from, to, fromValues) {
    Object.assign(state, { from, to, fromValues, time: prefersStillness() ? SECONDS : 0 });
    stage.redraw();
    run(true);
    stage.start().then(() => run(stage.playing || state.time === 0), finish);
  }

  /** Without p5 nothing moves: the bars stand where they belong. */
  function finish(error) {
    console.error(error);
    state.time = SECONDS;
    run(false);
    stage.redraw();
  }

  return {
    show(column, order, sentence) {
      const [from, fromValues] = [current(), currentValues()];
      Object.assign(state, { order, values: column.values, texts: column.texts });
      words.say(sentence);
      animate(from, slots(order), fromValues);
    },
    remove() {
      words.stop();
      stage.remove();
      element.remove();
    },
  };
}

/** Bars from zero, names on the left, numbers as the table shows them. */
function paint(p, width, { labels, texts, places, values, range }, colours) {
  const longest = Math.max(...labels.map((label) => label.length));
  const left = Math.min(0.42 * width, 12 + 7.4 * longest);
  const most = Math.floor((left - 8) / 7.2);
  const room = width - left - 12 - 8 * Math.max(...texts.map((text) => text.length), 3);
  const x = (value) => left + (room * (value - range[0])) / (range[1] - range[0]);
  labels.forEach((label, i) => {
    const y = 4 + ROW * (places[i] + 0.5);
    p.noStroke();
    p.fill(colours.ink);
    p.textSize(13);
    p.textAlign("left", "center");
    p.text(label.length > most ? `${label.slice(0, most - 1)}…` : label, 0, y);
    if (!Number.isFinite(values[i])) return;
    p.fill(colours.accent);
    p.rect(Math.min(x(0), x(values[i])), y - 9, Math.abs(x(values[i]) - x(0)), 18);
    p.fill(colours.ink);
    p.text(texts[i], Math.max(x(0), x(values[i])) + 6, y);
  });
  p.stroke(colours.muted);
  p.strokeWeight(1);
  p.line(x(0), 2, x(0), 6 + ROW * labels.length);
}
