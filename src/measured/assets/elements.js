// Elements without innerHTML.

/**
 * An HTML element. Properties are set as properties (`className`, `type` …); names with a dash
 * (`aria-label`, `data-x`) and `role` are set as attributes.
 */
export function html(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

let ids = 0;

/** An id that no other element of the page has. */
export function uniqueId(stem) {
  ids += 1;
  return `${stem}-${ids}`;
}
