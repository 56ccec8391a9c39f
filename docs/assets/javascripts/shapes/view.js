// Shapes: from tokens to outputs as grids of numbers; touch a cell and see its row, its column and its line.
//
// Markup:  <div class="sketch" data-sketch="shapes"> with a child of class sketch-caption, and four tables that
//          executed code has written: the words' features X, and the kernels W_Q, W_K, W_V.

import { captionOf, fixed, html, liveText } from "../shared/dom.js";
import { rolesIn } from "../shared/roles.js";
import { rowsOf } from "../shared/tables.js";
import { LINES, matrices, sources } from "./maths.js";

const ROLES = { Q: "query", W_Q: "query", K: "key", W_K: "key", V: "value", W_V: "value", output: "value" };
const SHAPES = { X: "words × features", W_Q: "features × d_k", W_K: "features × d_k", W_V: "features × d_v", Q: "words × d_k", K: "words × d_k", V: "words × d_v", scores: "words × words", weights: "words × words", output: "words × d_v" };
const STAGES = [["X"], ["W_Q", "W_K", "W_V"], ["Q", "K", "V"], ["scores"], ["weights"], ["output"]];
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function mount(root) {
  const tables = [...root.querySelectorAll("table")].map(rowsOf);
  const words = tables[0].map(({ name }) => name);
  const features = tables[1].map(({ name }) => name);
  const [X, W_Q, W_K, W_V] = tables.map((rows) => rows.map(({ numbers }) => numbers));
  const found = matrices({ X, W_Q, W_K, W_V });
  const names = { words, features };
  const grids = Object.fromEntries(Object.keys(found).map((name) => [name, gridOf(name, found[name], names, choose)]));
  const lines = LINES.map(({ makes, code }) => ({ makes, element: html("span", { className: "shapes-line" }, ...marked(code), html("i", {}, sizes(found, makes))) }));
  const explained = liveText(150);

  function choose(name, i, j) {
    const lit = sources(found, name, i, j);
    for (const [other, grid] of Object.entries(grids)) {
      grid.light(lit.filter(({ matrix }) => matrix === other), other === name ? [i, j] : null);
    }
    for (const { makes, element } of lines) element.classList.toggle("is-lit", makes === name);
    explained.say(arithmetic(found, names, name, i, j));
  }

  const stages = STAGES.map((stage) => html("div", { className: "shapes-stage" }, ...stage.map((name) => grids[name].element)));
  const fallback = [...root.childNodes];
  root.replaceChildren(
    ...captionOf(root),
    html("div", { className: "shapes-flow" }, ...stages),
    html("pre", { className: "shapes-code" }, ...lines.map(({ element }) => element)),
    explained.element,
  );
  choose("scores", words.indexOf(root.dataset.word), 0);
  explained.sayNow(arithmetic(found, names, "scores", words.indexOf(root.dataset.word), 0));
  return () => {
    explained.stop();
    root.replaceChildren(...fallback);
  };
}

const number = (x) => fixed(x, Number.isInteger(x) ? 0 : 2);

/** A line of code whose queries, keys and values are marked. */
function marked(code) {
  return rolesIn(code).map(({ text, role }) => (role ? html("span", { className: `role-${role}` }, text) : text));
}

/** The shapes of a line's matrices, as NumPy would print them. */
function sizes(found, name) {
  return `  # ${sizeOf(found[name])}`;
}

const sizeOf = (matrix) => `(${matrix.length}, ${matrix[0].length})`;

/** One matrix: a table whose cells take the focus, one at a time, and are walked with the arrow keys. */
function gridOf(name, matrix, { words, features }, choose) {
  const square = name === "scores" || name === "weights";
  const rowNames = name.startsWith("W_") ? features : words;
  const columnNames = square ? words : name === "X" ? features : matrix[0].map((_, j) => String(j + 1));
  const cells = matrix.map((row, i) =>
    row.map((x, j) => {
      const made = html(
        "button",
        { type: "button", className: "shapes-cell", tabIndex: i + j ? -1 : 0, onclick: () => choose(name, i, j), "aria-label": `${name}, ${rowNames[i]}, ${columnNames[j]}: ${number(x)}` },
        number(x),
      );
      made.addEventListener("focus", () => choose(name, i, j));
      made.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && choose(name, i, j));
      return made;
    }),
  );
  const element = html(
    "table",
    { className: `shapes-matrix ${square ? "is-square" : ""}` },
    html("caption", {}, html("span", { className: ROLES[name] ? `role-${ROLES[name]}` : "" }, name), ` ${sizeOf(matrix)} `, html("small", {}, SHAPES[name])),
    html("thead", {}, html("tr", {}, html("td"), ...columnNames.map((text) => html("th", { scope: "col" }, text)))),
    html("tbody", {}, ...cells.map((row, i) => html("tr", {}, html("th", { scope: "row" }, rowNames[i]), ...row.map((made) => html("td", {}, made))))),
  );
  element.addEventListener("keydown", (event) => {
    const by = STEPS[event.key];
    const i = cells.findIndex((row) => row.includes(document.activeElement));
    if (!by || i < 0) return;
    event.preventDefault();
    const j = cells[i].indexOf(document.activeElement);
    const to = cells[i + by[0]]?.[j + by[1]];
    if (!to) return;
    cells[i][j].tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
  return {
    element,
    light(lit, chosen) {
      cells.flat().forEach((made) => made.classList.remove("is-source", "is-chosen"));
      for (const { row, column } of lit) cells[row][column].classList.add("is-source");
      if (chosen) cells[chosen[0]][chosen[1]].classList.add("is-chosen");
    },
  };
}

/** How a cell came about, with its numbers. */
function arithmetic(found, { words, features }, name, i, j) {
  const value = found[name][i][j];
  const sum = (a, b) => a.map((x, k) => `${number(x)} · ${number(b[k])}`).join(" + ");
  const column = (m) => found[m].map((row) => row[j]);
  switch (name) {
    case "X":
      return `“${words[i]}” as it comes in: its feature “${features[j]}” is ${number(value)}.`;
    case "W_Q":
    case "W_K":
    case "W_V":
      return `A kernel, learned in a model, chosen here: how much “${features[i]}” counts in column ${j + 1}.`;
    case "Q":
    case "K":
    case "V":
      return `The row of “${words[i]}” in X times column ${j + 1} of W_${name}: ${sum(found.X[i], column(`W_${name}`))} = ${number(value)}.`;
    case "scores":
      return `The query of “${words[i]}” against the key of “${words[j]}”: (${sum(found.Q[i], found.K[j])}) / √2 ≈ ${number(value)}.`;
    case "weights":
      return `“${words[i]}” gives “${words[j]}” this share: exp(${number(found.scores[i][j])}) over the sum of its row’s exponentials ≈ ${number(value)}.`;
    default:
      return `What “${words[i]}” takes home, column ${j + 1}: ${sum(found.weights[i], column("V"))} ≈ ${number(value)}.`;
  }
}
