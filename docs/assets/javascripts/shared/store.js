// What a reader guessed or answered, kept in this browser and sent nowhere.

const PREFIX = "attention-from-scratch:";

/** The key of an element: its page, its kind, and its id or its place among those of its kind. */
export function keyOf(element, kind) {
  const place = element.id || [...document.querySelectorAll(`.${kind}`)].indexOf(element);
  return `${PREFIX}${location.pathname}:${kind}:${place}`;
}

/** The stored value, or null: also where storage is forbidden or holds something else. */
export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

/** Stores a value; forgets it where it is null. A full or forbidden storage is no error to the reader. */
export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // the page works without memory
  }
}
