// The live model: arcs above and below the tiles, and maps of weights, as SVG. Colours are classes, so they
// follow the scheme by themselves. Nodes are made once; an update changes attributes, so nothing blinks.

import { svg } from "../shared/dom.js";

/** Arcs are drawn from one and a half times an even share; the maps show every weight. */
const SHARES = 1.5;
const COLUMN = 20; // units of a drawing a token
const CELL = 10;
const EDGE = 14; // room for the names at a map's edges

const classOf = (stem, head) => `${stem} model-series${(head % 5) + 1}`;

/**
 * Arcs from one position to all others, as wide as their weights: one set a head.
 *
 * @param {number} length of the sequence
 * @param {boolean} upward whether they stand on the tiles below, or hang from those above
 */
export function arcs(length, upward) {
  const tall = upward ? 44 : 32;
  const element = svg("svg", { viewBox: `0 0 ${COLUMN * length} ${tall}`, class: "model-arcs", "aria-hidden": "true" });
  const x = (t, head) => COLUMN * (t + 0.5) + 1.6 * (head - 1.5);
  return {
    element,
    /** @param {{head: number, row: number[]}[]} looks one row of weights for each head that is on */
    update(looks, from) {
      const paths = looks.flatMap(({ head, row }) =>
        row.flatMap((weight, key) => {
          if (weight < SHARES / length) return [];
          const [x0, x1] = [x(from, head), x(key, head)];
          const rise = Math.min(tall - 2, (key === from ? 12 : 8 + 0.34 * Math.abs(x0 - x1)) * 1.3);
          const [base, top] = upward ? [tall, tall - rise] : [0, rise];
          const bend = key === from ? 6 : 0;
          const d = `M${x0} ${base}C${x0 - bend} ${top} ${x1 + bend} ${top} ${x1} ${base}`;
          return svg("path", { d, class: classOf("model-arc", head), "stroke-width": (0.4 + 3.6 * weight).toFixed(2) });
        }),
      );
      element.replaceChildren(...paths);
    },
  };
}

/**
 * One head's weights: a row looks, a column is looked at.
 *
 * @param {number} head whose colour it has
 * @param {number} queries rows
 * @param {number} length columns
 * @param {boolean} named whether names of tokens stand at its edges
 */
export function map(head, queries, length, named) {
  const [left, top] = named ? [EDGE, EDGE] : [0, 0];
  const element = svg("svg", {
    viewBox: `0 0 ${left + CELL * length} ${top + CELL * queries}`,
    class: "model-map",
    role: "img",
  });
  const frame = { x: left, y: top, width: CELL * length, height: CELL * queries, class: "model-frame" };
  const cells = [...Array(queries * length).keys()].map((i) =>
    svg("rect", {
      x: left + CELL * (i % length) + 0.3,
      y: top + CELL * Math.floor(i / length) + 0.3,
      width: CELL - 0.6,
      height: CELL - 0.6,
      class: classOf("model-weight", head),
    }),
  );
  const names = (axis) => [...Array(named ? length : 0).keys()].map((t) => {
    const along = EDGE + CELL * (t + 0.5);
    const [x, y] = axis === "rows" ? [EDGE / 2, along + 3] : [along, EDGE - 4];
    return svg("text", { x, y, class: "model-name" });
  });
  const [rowNames, columnNames] = [names("rows"), names("columns")];
  const chosen = svg("rect", { x: left, width: CELL * length, height: CELL, class: "model-row", visibility: "hidden" });
  element.append(svg("rect", frame), ...cells, ...rowNames, ...columnNames, chosen);
  return {
    element,
    /** The position whose row lies at a point of the window. */
    rowAt: (clientY) => {
      const box = element.getBoundingClientRect();
      const unit = box.height / (top + CELL * queries);
      return Math.min(queries - 1, Math.max(0, Math.floor(((clientY - box.top) / unit - top) / CELL)));
    },
    update(rows, tokens, at, label, off) {
      rows.flat().forEach((weight, i) => cells[i].setAttribute("fill-opacity", weight.toFixed(3)));
      rowNames.forEach((text, t) => {
        text.textContent = tokens[t];
        text.classList.toggle("model-at", t === at);
      });
      columnNames.forEach((text, t) => (text.textContent = tokens[t]));
      chosen.setAttribute("visibility", at === null ? "hidden" : "visible");
      if (at !== null) chosen.setAttribute("y", top + CELL * at);
      element.setAttribute("aria-label", off ? `${label}; switched off` : label);
      element.classList.toggle("model-off", off);
    },
  };
}
