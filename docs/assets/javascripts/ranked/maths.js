// The measured table, ranked: the arithmetic.

/**
 * The order of the rows by a column: places of the values, largest first or smallest first. Rows without
 * a number come last, equal rows keep their order.
 */
export function rank(values, descending = true) {
  const places = values.map((_, i) => i);
  const has = (i) => Number.isFinite(values[i]);
  return places.sort((a, b) => {
    if (has(a) !== has(b)) return has(a) ? -1 : 1;
    if (!has(a)) return a - b;
    return (descending ? values[b] - values[a] : values[a] - values[b]) || a - b;
  });
}

/** The places of the highest and the lowest number; null if there is none. */
export function extremes(values) {
  const order = rank(values).filter((i) => Number.isFinite(values[i]));
  return order.length ? { highest: order[0], lowest: rank(values, false)[0] } : null;
}

/** What the bars' room must hold: zero, and every value. */
export function extent(values) {
  const numbers = values.filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  return low === high ? [0, 1] : [low, high];
}

/** Where a value's bar begins and ends in its room, as shares of the room's width: from zero to the value. */
export function bar(value, [low, high]) {
  const place = (x) => (x - low) / (high - low);
  return [place(Math.min(0, value)), place(Math.max(0, value))];
}
