// Attention as a soft lookup: the picture, from a state to strokes.

import { fixed } from "../shared/dom.js";
import { KEYS, NAMES, REACH, VALUES } from "./maths.js";

const WIDE = 500;
const GAP = 18;
const TITLE = 24;

/** Where things stand on a canvas of this width: two planes, and the bars between or below them. */
export function layout(width) {
  const wide = width >= WIDE;
  const middle = wide ? Math.min(190, 0.24 * width) : width;
  const side = Math.floor(wide ? Math.min(310, (width - middle - 2 * GAP) / 2) : (width - GAP) / 2);
  const left = wide ? Math.floor((width - 2 * side - middle - 2 * GAP) / 2) : 0;
  const right = wide ? left + side + middle + 2 * GAP : side + GAP;
  const barBox = wide
    ? { left: left + side + GAP, top: TITLE, width: middle, height: side }
    : { left: 0, top: 2 * TITLE + side + 8, width, height: 150 };
  return {
    wide,
    keys: { left, top: TITLE, side },
    values: { left: right, top: TITLE, side },
    bars: barBox,
    height: wide ? TITLE + side + 2 : barBox.top + barBox.height,
  };
}

/** A point of a plane as pixels. */
export function toScreen({ left, top, side }, [x, y]) {
  return [left + (side * (x + REACH)) / (2 * REACH), top + (side * (REACH - y)) / (2 * REACH)];
}

/** Pixels as a point of a plane. */
export function toPlane({ left, top, side }, [x, y]) {
  return [((x - left) / side) * 2 * REACH - REACH, REACH - ((y - top) / side) * 2 * REACH];
}

export function paint(p, place, state, colours) {
  plane(p, place.keys, "Keys and the query", colours);
  plane(p, place.values, "Values and the output", colours);
  keysAndQuery(p, place.keys, state, colours);
  bars(p, place.bars, state, colours);
  valuesAndOutput(p, place.values, state, colours);
}

const shade = (colour, alpha) => colour + Math.round(255 * Math.min(1, Math.max(0, alpha))).toString(16).padStart(2, "0");
const colourOf = (colours, i) => colours[`series${i + 1}`];

function plane(p, { left, top, side }, title, { ink, grid }) {
  p.noStroke();
  p.fill(ink);
  p.textSize(13);
  p.textAlign("left", "alphabetic");
  p.text(title, left, top - 8);
  p.noFill();
  p.stroke(grid);
  p.strokeWeight(1);
  p.rect(left + 0.5, top + 0.5, side - 1, side - 1);
  p.line(left, top + side / 2, left + side, top + side / 2);
  p.line(left + side / 2, top, left + side / 2, top + side);
}

function arrow(p, [x1, y1], [x2, y2], colour, weight) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(6 + weight, length);
  const [backX, backY] = [x2 - ux * head, y2 - uy * head];
  const half = head / 2;
  p.stroke(colour);
  p.strokeWeight(weight);
  p.line(x1, y1, backX, backY);
  p.noStroke();
  p.fill(colour);
  p.triangle(x2, y2, backX - uy * half, backY + ux * half, backX + uy * half, backY - ux * half);
}

/** A letter beside a point, on the side away from the plane's middle, inside the frame. */
function letter(p, box, point, name, colour) {
  const [x, y] = toScreen(box, point);
  const [cx, cy] = toScreen(box, [0, 0]);
  const away = Math.hypot(x - cx, y - cy) || 1;
  p.noStroke();
  p.fill(colour);
  p.textSize(14);
  p.textAlign("center", "center");
  p.text(name, x + (13 * (x - cx)) / away, y + (13 * (y - cy)) / away);
}

function keysAndQuery(p, box, { query, weights, scores }, colours) {
  const origin = toScreen(box, [0, 0]);
  KEYS.forEach((key, i) => {
    const hidden = scores[i] === -Infinity;
    const colour = hidden ? colours.muted : colourOf(colours, i);
    arrow(p, origin, toScreen(box, key), shade(colour, hidden ? 0.35 : 0.4 + 0.6 * weights[i]), 1.5 + 4 * weights[i]);
    letter(p, box, key, NAMES[i], hidden ? colours.muted : colours.ink);
  });
  arrow(p, origin, toScreen(box, query), colours.ink, 3);
  const [x, y] = toScreen(box, query);
  p.noFill();
  p.stroke(colours.ink);
  p.strokeWeight(1.5);
  p.circle(x, y, 22);
  p.noStroke();
  p.fill(colours.ink);
  p.textSize(14);
  p.textAlign("center", "center");
  p.text("q", x + (x > box.left + box.side - 24 ? -19 : 19), y + (y < box.top + 20 ? 12 : -12));
}

function bars(p, { left, top, width, height }, { weights, scores }, colours) {
  p.noStroke();
  p.fill(colours.ink);
  p.textSize(13);
  p.textAlign("left", "alphabetic");
  p.text("Weights", left, top - 8);
  const step = height / weights.length;
  const thick = Math.min(26, 0.62 * step);
  const [from, room] = [left + 20, width - 20 - 60];
  weights.forEach((weight, i) => {
    const y = top + step * (i + 0.5);
    const hidden = scores[i] === -Infinity;
    p.noStroke();
    p.fill(hidden ? colours.muted : colours.ink);
    p.textSize(14);
    p.textAlign("left", "center");
    p.text(NAMES[i], left, y);
    p.fill(shade(colours.grid, 0.5));
    p.rect(from, y - thick / 2, room, thick);
    p.fill(colourOf(colours, i));
    p.rect(from, y - thick / 2, room * weight, thick);
    p.fill(hidden ? colours.muted : colours.ink);
    p.textSize(13);
    p.text(hidden ? "masked" : fixed(weight), from + room + 6, y);
  });
}

function valuesAndOutput(p, box, { weights, output }, colours) {
  const [ox, oy] = toScreen(box, output);
  VALUES.forEach((value, i) => {
    const [x, y] = toScreen(box, value);
    p.stroke(shade(colourOf(colours, i), 0.15 + 0.85 * weights[i]));
    p.strokeWeight(1 + 4 * weights[i]);
    p.line(ox, oy, x, y);
    p.noStroke();
    p.fill(shade(colourOf(colours, i), weights[i] === 0 ? 0.3 : 1));
    p.circle(x, y, 7 + 13 * Math.sqrt(weights[i]));
    letter(p, box, value, NAMES[i], weights[i] === 0 ? colours.muted : colours.ink);
  });
  p.stroke(colours.surface);
  p.strokeWeight(1.5);
  p.fill(colours.ink);
  p.quad(ox, oy - 9, ox + 9, oy, ox, oy + 9, ox - 9, oy);
}
