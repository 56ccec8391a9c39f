// Entry of the site's scripts, loaded as a module on every page.
//
// It looks for elements that a component enhances, and imports that component when such an element
// comes near the viewport. Every component exports `mount(element)`, which returns a function that takes
// it down again. Pages work without this file: what is enhanced is text, a table or a <details>.
//
// | element                             | component         |
// |-------------------------------------|-------------------|
// | <div data-sketch="lookup">          | lookup/view.js    |
// | <div class="measured-table"><table> | ranked/view.js    |
// | <div data-sketch="model">           | model/view.js     |
// | <div data-sketch="circuits">        | circuits/view.js  |
// | <div data-sketch="training">        | training/view.js  |
// | <div data-sketch="sentence">        | sentence/view.js  |
// | <div data-sketch="speller">         | speller/view.js   |
// | <div data-sketch="shapes">          | shapes/view.js    |
// | <div data-sketch="mask">            | mask/view.js      |
// | <div data-sketch="walk">            | walk/view.js      |
// | <div data-sketch="choose">          | choose/view.js    |
// | <div data-sketch="dimensions">      | dimensions/view.js |
// | <div data-sketch="explanation">     | explanation/view.js |
// | <div class="predict">               | predict/view.js   |
// | <div class="quiz">                  | quiz/view.js      |
//
// What scripts build of a large sketch has its styles beside the script: they come along (`styled`).
//
// Cards at numbers and the filter of measurements are the engine's (src/measured/assets/).

import "./instant.js";
import { onEveryPage } from "./shared/pages.js";

const COMPONENTS = [
  ['[data-sketch="lookup"]', () => import("./lookup/view.js")],
  ["table.measured-table, .measured-table table", () => import("./ranked/view.js")],
  ['[data-sketch="model"]', () => styled(["model"], import("./model/view.js"))],
  ['[data-sketch="circuits"]', () => styled(["circuits"], import("./circuits/view.js"))],
  ['[data-sketch="training"]', () => styled(["model", "training"], import("./training/view.js"))],
  ['[data-sketch="sentence"]', () => import("./sentence/view.js")],
  ['[data-sketch="speller"]', () => styled(["speller"], import("./speller/view.js"))],
  ['[data-sketch="shapes"]', () => import("./shapes/view.js")],
  ['[data-sketch="mask"]', () => import("./mask/view.js")],
  ['[data-sketch="walk"]', () => import("./walk/view.js")],
  ['[data-sketch="choose"]', () => import("./choose/view.js")],
  ['[data-sketch="dimensions"]', () => import("./dimensions/view.js")],
  ['[data-sketch="explanation"]', () => styled(["explanation"], import("./explanation/view.js"))],
  [".predict", () => import("./predict/view.js")],
  [".quiz", () => import("./quiz/view.js")],
];
const NEAR = "300px";
const AHEAD = "1200px"; // of who scrolls: before it can be seen to take its place
// What becomes taller or wider when it is mounted is mounted when the reader begins to scroll, all of it at once,
// before any of it can be seen to move.
const GROWING = ".predict, .quiz, .sketch.picture, table";

let takeDown = () => {};

/** Watches the page's elements. */
function start() {
  takeDown();
  const mounted = [];
  const elements = COMPONENTS.flatMap(([selector]) => [...document.querySelectorAll(selector)]);
  const watch = (rootMargin) => {
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting) continue;
          observer.unobserve(target);
          mountOne(target, mounted);
        }
      },
      { rootMargin },
    );
    for (const element of elements) observer.observe(element);
    return observer;
  };
  let seen = watch(NEAR);
  const growing = elements.filter((element) => element.matches(GROWING));
  const begin = () => {
    growing.forEach((element) => mountOne(element, mounted));
    seen.disconnect();
    seen = watch(AHEAD);
  };
  addEventListener("scroll", begin, { once: true, passive: true });
  takeDown = () => {
    seen.disconnect();
    removeEventListener("scroll", begin);
    for (const unmount of mounted) unmount();
  };
}

/** A component with the style sheets that it needs, which the page then keeps. */
async function styled(names, component) {
  await Promise.all(names.map((name) => bringStyles(new URL(`./${name}/view.css`, import.meta.url).href)));
  return component;
}

function bringStyles(href) {
  let link = [...document.head.querySelectorAll("link[rel=stylesheet]")].find((found) => found.href === href);
  if (!link) {
    link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    link.there = new Promise((resolve, reject) => Object.assign(link, { onload: resolve, onerror: reject }));
    document.head.append(link);
  }
  return link.there;
}

async function mountOne(element, mounted) {
  if (element.dataset.mounted) return;
  element.dataset.mounted = "yes";
  const [, bring] = COMPONENTS.find(([selector]) => element.matches(selector));
  try {
    const { mount } = await bring();
    if (!element.isConnected) return;
    const unmount = await mount(element);
    if (unmount) mounted.push(unmount);
    element.dataset.mounted = "ready";
  } catch (error) {
    element.dataset.mounted = "failed"; // its text stays as it was
    console.error(error);
  }
}

let focused = null; // a browser may have taken the focus off before it tells of the change
document.addEventListener("focusin", ({ target }) => (focused = target));

/** A control that switches itself off hands the focus on: else it would fall to the body. */
function keepFocus(changes) {
  for (const { target } of changes) {
    const lost = target === focused && [target, document.body].includes(document.activeElement);
    const part = target.disabled && lost && target.closest(".sketch, .predict, .quiz");
    if (!part) continue;
    const others = [...part.querySelectorAll("button, input, select, summary")].filter((e) => !e.disabled && e.offsetParent);
    const after = others.find((e) => target.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING);
    (after ?? others.at(-1))?.focus();
  }
}

new MutationObserver(keepFocus).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["disabled"] });
onEveryPage(start);
