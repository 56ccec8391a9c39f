// Numbers that a sketch starts from stand in the page, as tables that executed code has written: read them there.

/**
 * The rows of a table: the first cell as text, the others as numbers.
 *
 * @param {HTMLTableElement} table
 * @returns {{name: string, numbers: number[]}[]}
 */
export function rowsOf(table) {
  return [...table.tBodies[0].rows].map((row) => {
    const [name, ...rest] = [...row.cells].map((cell) => cell.textContent.trim());
    return { name, numbers: rest.map(numberOf) };
  });
}

/**
 * Words with their vectors, from a table of (word, query ×2, key ×2).
 *
 * @param {HTMLTableElement} table
 * @returns {{name: string, query: number[], key: number[]}[]}
 */
export function vectorsOf(table) {
  return rowsOf(table).map(({ name, numbers }) => ({ name, query: numbers.slice(0, 2), key: numbers.slice(2, 4) }));
}

/** A number as people write it, with a real minus sign or a hyphen. */
export function numberOf(text) {
  const value = Number(text.replace("−", "-"));
  if (!Number.isFinite(value)) throw new Error(`“${text}” is no number`);
  return value;
}
