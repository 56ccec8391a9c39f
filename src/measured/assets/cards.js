// Where a number comes from, at the number; what a claim rests on, at the claim.
//
// Markup:  <a class="measured" href="measurements/#id" data-ids="id id"><data value="…">…</data></a>
//          <a class="claim-mark" data-claim="id" href="measurements/#claim-id"></a>
//
// Sources are quiet: numbers look like text until the reader turns the switch below the title on, which is
// remembered. Then numbers are underlined, sentences that rest on a claim are marked, and pointing at one, the
// focus or a tap opens a small card; while the switch is off, a press on a number does. The card stands after its
// number in the document, so that Tab leads into it; Escape closes it. It says one sentence, and folds the rest.
// What fills it (card.js) and its data, one file a page, are fetched when the first card opens. Without scripts, and
// where these cannot be fetched, the link leads to the row that says the same.

import { html } from "./elements.js";

const REMEMBERED = "measured:sources"; // a page's own first script may read it, so that nothing moves later
const TRIGGER = "a.measured, a.claim-mark";
const OPENS = 180; // ms of hovering
const CLOSES = 260; // ms to cross from the number to its card

/** Cards for everything inside `root`; returns how to take them away. */
export function mount(root) {
  let open = null;
  let timer = 0;
  let pointer = "";
  let aimed = null; // what the pointer was moved onto; scrolling under a still pointer aims at nothing
  const sources = sourcesSwitch(root);

  const later = (wait, what) => {
    clearTimeout(timer);
    timer = setTimeout(what, wait);
  };
  const close = () => {
    clearTimeout(timer);
    const gone = open;
    open = null; // before the removal, which takes the focus and comes back here
    gone?.remove();
  };
  const show = async (trigger) => {
    clearTimeout(timer);
    if (open?.trigger === trigger) return;
    const wanted = {};
    show.latest = wanted;
    const card = await import("./card.js").catch(() => null); // the link still leads to the row
    const content = await card?.contentOf(trigger);
    if (show.latest !== wanted || !trigger.isConnected) return;
    close();
    if (content) open = card.place(trigger, content);
  };
  const within = (node) => open && node instanceof Node && (open.card.contains(node) || open.trigger.contains(node));

  const handlers = {
    pointermove({ target, pointerType, movementX, movementY }) {
      if (pointerType === "touch" || !(movementX || movementY)) return;
      const trigger = triggerOf(target);
      if (within(target)) clearTimeout(timer);
      if (trigger === aimed) return;
      aimed = trigger;
      if (trigger && sources.on) later(OPENS, () => show(trigger));
    },
    pointerout({ target, relatedTarget, pointerType }) {
      if (pointerType === "touch" || within(relatedTarget)) return;
      if (!triggerOf(target) && !within(target)) return;
      aimed = null;
      show.latest = null;
      if (!within(document.activeElement)) later(CLOSES, close);
      else clearTimeout(timer);
    },
    focusin({ target }) {
      const trigger = triggerOf(target);
      if (sources.on && trigger?.matches(":focus-visible") && pointer !== "touch") show(trigger);
    },
    focusout({ relatedTarget }) {
      show.latest = null;
      if (open && !within(relatedTarget)) close();
    },
    pointerdown({ pointerType }) {
      pointer = pointerType;
    },
    click(event) {
      const trigger = triggerOf(event.target);
      if (!trigger || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (pointer !== "touch" && sources.on) return; // a link, which leads to the row
      event.preventDefault();
      event.stopPropagation(); // instant navigation would follow the link
      if (open?.trigger === trigger) close();
      else show(trigger);
    },
  };
  const outside = ({ target }) => within(target) || triggerOf(target) || close();
  const key = ({ key: pressed }) => {
    pointer = "";
    if (pressed !== "Escape" || !open) return;
    if (open.card.contains(document.activeElement)) open.trigger.focus();
    show.latest = null;
    close();
  };
  const move = () => open?.move();

  for (const [name, handler] of Object.entries(handlers)) root.addEventListener(name, handler);
  document.addEventListener("pointerdown", outside);
  document.addEventListener("keydown", key);
  globalThis.addEventListener("scroll", move, { passive: true, capture: true });
  globalThis.addEventListener("resize", move);
  const closing = ({ target }) => target instanceof Element && target.closest(".card-close") && close();
  document.addEventListener("click", closing);
  return () => {
    document.removeEventListener("click", closing);
    sources.remove();
    show.latest = null;
    close();
    for (const [name, handler] of Object.entries(handlers)) root.removeEventListener(name, handler);
    document.removeEventListener("pointerdown", outside);
    document.removeEventListener("keydown", key);
    globalThis.removeEventListener("scroll", move, { capture: true });
    globalThis.removeEventListener("resize", move);
  };
}

/** The switch below the title; numbers leave the order of focus while sources are hidden. */
function sourcesSwitch(root) {
  const holder = root.querySelector(".sources-switch");
  const state = { on: remembered() };
  const input = html("input", { type: "checkbox", role: "switch", checked: state.on });
  const follow = () => {
    document.documentElement.classList.toggle("shows-sources", state.on);
    for (const link of root.querySelectorAll(TRIGGER)) {
      if (state.on) link.removeAttribute("tabindex");
      else link.tabIndex = -1;
    }
  };
  input.addEventListener("change", () => {
    state.on = input.checked;
    try {
      localStorage.setItem(REMEMBERED, state.on ? "on" : "off");
    } catch {
      // the page works without memory
    }
    follow();
  });
  const words = html("span", { className: "sources-words" }, "underlines what was measured; ✓ marks checked claims");
  holder?.replaceChildren(html("label", {}, input, html("span", {}, "Show sources")), words);
  follow();
  return {
    get on() {
      return state.on || !holder;
    },
    remove() {
      holder?.replaceChildren();
    },
  };
}

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED) === "on";
  } catch {
    return false;
  }
}

function triggerOf(node) {
  return node instanceof Element ? node.closest(TRIGGER) : null;
}
