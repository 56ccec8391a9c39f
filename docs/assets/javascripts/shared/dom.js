// Building blocks of every component: elements without innerHTML, numbers as text, live words.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Properties are set as properties (`className`, `onclick`, `disabled` …); names with a
 * dash (`aria-label`, `data-x`) and `for`, `role`, `scope` are set as attributes.
 */
export function html(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.includes("-") || ["for", "role", "scope", "list"].includes(name)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** An SVG element with attributes. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A number with fixed decimals, a real minus sign, and no negative zero. */
export function fixed(value, digits = 2) {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(digits);
  return text.startsWith("-") && Number(text) !== 0 ? `−${text.slice(1)}` : text.replace(/^-/, "");
}

/** An element's text on one line. */
export const plain = (element) => element.textContent.trim().replace(/\s+/g, " ");

/** The same without the full stop that would stand inside quotation marks. */
export const quotable = (element) => plain(element).replace(/\.$/, "");

/** What stays of a sketch's own text: children of class sketch-caption. */
export function captionOf(root) {
  return [...root.children].filter((child) => child.classList.contains("sketch-caption"));
}

/** A button of a sketch. */
export function button(text, onclick, properties = {}) {
  return html("button", { type: "button", className: "sketch-button", onclick, ...properties }, text);
}

/** A labelled checkbox, drawn as a switch. */
export function toggle(text, checked, onchange) {
  const input = html("input", { type: "checkbox", checked, onchange: () => onchange(input.checked) });
  return { input, label: html("label", { className: "sketch-switch" }, input, html("span", {}, text)) };
}

/** A labelled slider whose value stands beside it. */
export function slider(text, { min, max, step, value, digits = 2 }, oninput) {
  const shown = html("span", { className: "sketch-number", "aria-hidden": "true" }); // the slider says it itself
  const input = html("input", { type: "range", min, max, step });
  const update = (to) => {
    input.value = to;
    shown.textContent = fixed(Number(to), digits);
  };
  input.addEventListener("input", () => {
    shown.textContent = fixed(Number(input.value), digits);
    oninput(Number(input.value));
  });
  update(value);
  return { input, update, label: html("label", { className: "sketch-slider" }, html("span", {}, text), input, shown) };
}

/**
 * The drawing in words: on the page they follow the state at once. They are read aloud at most once every
 * `wait` ms, so that a screen reader is not flooded while something is dragged; the last words always arrive.
 * `quietly` changes them without having them read aloud: for what moves by itself.
 */
export function liveText(wait = 700) {
  const shown = html("p", { className: "sketch-words", "aria-hidden": "true" });
  const spoken = html("p", { className: "for-readers-aloud", role: "status", "aria-live": "polite" });
  const element = html("div", { className: "sketch-said" }, shown, spoken);
  let timer = 0;
  let latest = "";
  const speak = () => {
    clearTimeout(timer);
    timer = 0;
    if (spoken.textContent !== latest) spoken.textContent = latest;
  };
  const show = (words) => {
    latest = words;
    if (shown.textContent !== words) shown.textContent = words;
  };
  return {
    element,
    say(words, { quietly = false } = {}) {
      show(words);
      spoken.setAttribute("aria-live", quietly ? "off" : "polite");
      timer ||= setTimeout(speak, wait);
    },
    sayNow(words) {
      show(words);
      speak();
    },
    stop: () => clearTimeout(timer),
  };
}

/** The site's colours as they stand now: `{ink, muted, grid, surface, accent, series1 … series5}`. */
export function colours(element = document.body) {
  const style = getComputedStyle(element);
  const roles = ["ink", "muted", "grid", "surface", "accent", "series1", "series2", "series3", "series4", "series5"];
  return Object.fromEntries(roles.map((role) => [role, style.getPropertyValue(`--figure-${role}`).trim() || "#777777"]));
}

/** Calls back when the colour scheme changes; returns how to stop. */
export function onScheme(callback) {
  const observer = new MutationObserver(() => callback());
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
  return () => observer.disconnect();
}

let ids = 0;

/** An id that no other element of the page has. */
export function uniqueId(stem) {
  ids += 1;
  return `${stem}-${ids}`;
}
