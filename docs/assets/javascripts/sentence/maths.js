// One row of attention for a word of the sentence, and how its ribbons lie.

import { lookup } from "../lookup/maths.js";

export const REACH = 2.4;

/** The query that a word asks with: its own, or the one that the reader has dragged it to. */
export const queryOf = (words, moved, i) => moved.get(i) ?? words[i].query;

/**
 * Weights of one word over all words.
 *
 * @param {{query: number[], key: number[]}[]} words
 * @param {number[]} query
 */
export function look(words, query) {
  const keys = words.map((word) => word.key);
  const { scores, weights } = lookup(query, { keys, values: keys });
  return { scores, weights };
}

/** Whether a vector is all zeros. */
export const silent = (vector) => vector.every((x) => x === 0);

/**
 * The order in which ribbons leave the base of word `i`, from left to right: near words take the inner
 * places, so that arcs nest and do not cross.
 */
export function slots(count, i) {
  const left = Array.from({ length: i }, (_, j) => i - 1 - j);
  const right = Array.from({ length: count - i - 1 }, (_, j) => count - 1 - j);
  return [...left, i, ...right];
}

/**
 * A path for each ribbon, in the words' order.
 *
 * @param {{x: number, top: number, bottom: number}[]} boxes words on the stage, in px; equal tops share a line
 * @param {number} i the word that looks
 * @param {number[]} weights
 * @param {number} base width of the ribbons' common base, in px
 * @param {number} room height above a line that arcs may use, in px
 * @returns {{d: string, width: number}[]}
 */
export function ribbons(boxes, i, weights, base, room) {
  const own = boxes[i];
  const made = [];
  let x = own.x - base / 2;
  for (const j of slots(boxes.length, i)) {
    const width = weights[j] * base;
    made[j] = { d: path(own, boxes[j], x + width / 2, j === i, room), width: Math.max(0.8, width) };
    x += width;
  }
  return made;
}

function path(own, other, x, itself, room) {
  const n = (value) => Math.round(value * 10) / 10;
  if (itself) return `M${n(x)} ${own.top}V${own.top - 14}`;
  if (own.top === other.top) {
    const height = Math.min(room, 22 + Math.abs(other.x - x) * 0.4);
    return `M${n(x)} ${own.top}C${n(x)} ${n(own.top - height)} ${n(other.x)} ${n(own.top - height)} ${n(other.x)} ${own.top}`;
  }
  const up = other.top < own.top;
  const [from, to] = up ? [own.top, other.bottom] : [own.bottom, other.top];
  const bend = (to - from) * 0.55;
  return `M${n(x)} ${n(from)}C${n(x)} ${n(from + bend)} ${n(other.x)} ${n(to - bend)} ${n(other.x)} ${n(to)}`;
}

/** A query inside the plane, in tenths. */
export const clamp = (query) => query.map((x) => Math.max(-REACH, Math.min(REACH, Math.round(x * 10) / 10)));
