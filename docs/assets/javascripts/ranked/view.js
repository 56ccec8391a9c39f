// The measured table, ranked: a heading is a button that sorts the rows and draws a bar under each number.
//
// Markup:  <div class="measured-table"><table> … <td><data value="0.464">0.464</data></td> … </table></div>
//          or the class on the table itself
//
// A column can be ranked when at least two of its cells hold <data value>. Rows are named by their first
// cell. One press ranks with the highest first, a second with the lowest first, a third puts the rows back.
// Bars lie inside the cells, so that nothing below the table moves, and nothing is fetched.

import { html, plain } from "../shared/dom.js";
import { bar, extent, extremes, rank } from "./maths.js";

export function mount(table) {
  const body = table.tBodies[0];
  const headings = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
  if (!body) return null;
  const rows = [...body.rows];
  const names = rows.map((row) => nameOf(row, headings));
  const columns = headings.map((heading, place) => columnOf(heading, rows, place));
  const words = html("p", { className: "for-readers-aloud", role: "status", "aria-live": "polite" });
  let sorted = null; // {column, descending}

  const clean = [];
  for (const column of columns) {
    if (column.values.filter(Number.isFinite).length < 2) continue;
    const content = [...column.heading.childNodes];
    const press = html("button", { type: "button", className: "ranked-heading", title: "Rank the rows by this column" });
    press.append(...content);
    press.addEventListener("click", () => rankBy(column));
    column.heading.replaceChildren(press);
    clean.push(() => column.heading.replaceChildren(...content));
  }
  if (!clean.length) return null;
  (table.closest(".md-typeset__scrollwrap") ?? table).after(words);

  function rankBy(column) {
    const again = sorted?.column === column;
    if (again && !sorted.descending) {
      restore();
      words.textContent = "The rows stand in their original order.";
      return;
    }
    restore();
    sorted = { column, descending: !again };
    column.heading.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
    body.append(...rank(column.values, sorted.descending).map((row) => rows[row]));
    draw(column);
    words.textContent = statement(column, names, sorted.descending);
  }

  function restore() {
    sorted = null;
    for (const { heading, cells } of columns) {
      heading.removeAttribute("aria-sort");
      for (const cell of cells) cell?.classList.remove("ranked-cell");
    }
    body.append(...rows);
  }

  return () => {
    restore();
    words.remove();
    for (const undo of clean) undo();
  };
}

/** What a row is called: its first cell, with the column's title where that is but a number. */
function nameOf(row, headings) {
  const label = plain(row.cells[0]);
  return /^[\d.,−-]+$/.test(label) && headings[0] ? `${plain(headings[0])} ${label}` : label;
}

/** A column: its title, and for each row the cell, the number, and how the table shows it. */
function columnOf(heading, rows, place) {
  const cells = rows.map((row) => row.cells[place] ?? null);
  const data = cells.map((cell) => cell?.querySelector("data[value]") ?? null);
  return {
    heading,
    cells,
    title: plain(heading),
    values: data.map((element) => (element && element.value.trim() !== "" ? Number(element.value) : NaN)),
    texts: data.map((element) => (element ? plain(element) : "–")),
  };
}

/** A bar at the foot of each number's cell, from zero to the value. */
function draw({ cells, values }) {
  const room = extent(values);
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    const [from, to] = bar(value, room);
    cells[i].classList.add("ranked-cell");
    cells[i].style.setProperty("--from", `${100 * from}%`);
    cells[i].style.setProperty("--to", `${100 * to}%`);
  });
}

/** The ranking in words. */
function statement({ title, values, texts }, names, descending) {
  const { highest, lowest } = extremes(values);
  return (
    `Ranked by “${title}”, ${descending ? "highest" : "lowest"} first. ` +
    `Highest: ${texts[highest]} (${names[highest]}). Lowest: ${texts[lowest]} (${names[lowest]}).`
  );
}
