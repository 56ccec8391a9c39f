// One card: what a number or a claim says of itself, and where it stands. Fetched when the first card opens.

import { html, uniqueId } from "./elements.js";

const SITE = new URL("../../", import.meta.url);
const SHOWN = 4; // parts of a computed number
const NARROW = 600; // below it a card is a sheet at the foot of the screen

const fetched = new Map();

/** What the card of a link says, or null where nothing is known. */
export async function contentOf(trigger) {
  const address = cardsOf(location.pathname, SITE.pathname);
  try {
    if (!fetched.has(address)) {
      const found = fetch(new URL(address, SITE));
      fetched.set(address, found.then((response) => (response.ok ? response.json() : Promise.reject(response.status))));
    }
    const data = await fetched.get(address);
    return trigger.dataset.claim ? claimCard(data, trigger) : numberCard(data, trigger);
  } catch {
    fetched.delete(address); // the link still leads to the row, and the next card tries again
    return null;
  }
}

/** Where the cards of a page are, below the site's root. */
export function cardsOf(pathname, root) {
  const page = pathname.slice(root.length).replace(/(index)?\.html$/, "").replace(/\/$/, "");
  return `data/cards/${page || "index"}.json`;
}

function numberCard(data, trigger) {
  const ids = idsOf(trigger.dataset.ids, trigger.hash).filter((id) => data.measurements[id]);
  if (!ids.length) return null;
  if (trigger.dataset.ids) return [...computed(data, ids), row(trigger.href)];
  const found = data.measurements[ids[0]];
  const experiment = data.experiments[found.experiment];
  return [
    html("p", { className: "card-words" }, numberSentence(found)),
    ...(found.moves ? [html("p", {}, found.moves)] : []),
    folded(facts(numberFacts(found, experiment)), row(trigger.href)),
  ];
}

/** What a number is, in a sentence: words, value, and of how many seeds. */
export function numberSentence(found) {
  const words = found.words.charAt(0).toUpperCase() + found.words.slice(1);
  const said = `${words}: ${withUnit(found.display ?? short(found.value), found.unit)}.`;
  if (!found.spread) return said;
  return `${said} ${found.seeds.length} seeds gave ${short(found.spread.min)} to ${short(found.spread.max)}.`;
}

function folded(...content) {
  return html("details", { className: "card-more" }, html("summary", {}, "Where it comes from"), ...content);
}

/** The ids behind a link: several where a number was computed, else the one that its address names. */
export function idsOf(listed, hash) {
  return listed ? listed.split(" ") : [decodeURIComponent(hash.replace(/^#/, ""))];
}

function computed(data, ids) {
  const parts = ids.slice(0, SHOWN).map((id) => {
    const found = data.measurements[id];
    return html("li", {}, `${found.words}: ${withUnit(found.display, found.unit)} (`, code(found), ")");
  });
  if (ids.length > SHOWN) parts.push(html("li", {}, `and ${ids.length - SHOWN} more`));
  return [
    html("p", { className: "card-words" }, "Computed in the page, when it was built, from"),
    html("ul", {}, ...parts),
  ];
}

/** Label and content of each line of a number's card. */
export function numberFacts(found, experiment) {
  const lines = [];
  if (found.scope) lines.push(["Where", found.scope]);
  lines.push(["Value", withUnit(String(found.value), found.unit)]);
  if (found.seeds) lines.push(["Seeds", seedsInWords(found)]);
  if (found.interval) lines.push(["Interval", found.interval]);
  if (found.allowed) lines.push(["Stored", `${found.allowed}: ${found.reason}`], ["Drift", driftInWords(found.drift)]);
  lines.push(["Experiment", `${found.experiment}: ${experiment.question}`], ["Code", code(found)]);
  if (found.hosted) lines.push(["Hosted", html("a", { href: found.hosted }, "at the commit of this build")]);
  lines.push(["Run", experiment.run]);
  if (experiment.taken) lines.push(["Taken over", experiment.taken]);
  return lines;
}

/** `0, 1, 2: from 0.91 to 0.99, standard deviation 0.03`. */
export function seedsInWords({ seeds, spread }) {
  const names = seeds.join(", ");
  if (!spread) return names;
  const deviation = spread.sd === null || spread.sd === undefined ? "" : `, standard deviation ${short(spread.sd)}`;
  return `${names}: from ${short(spread.min)} to ${short(spread.max)}${deviation}`;
}

/** Drift is stored as units of the tolerance, or in words where there is no such unit. */
export function driftInWords(drift) {
  if (drift === "0" || drift === "same") return "none: as stored";
  return /^[+-]/.test(drift) ? `${drift.replace("-", "−")} of its tolerance` : drift;
}

function claimCard(data, trigger) {
  const claim = data.claims[trigger.dataset.claim];
  if (!claim) return null;
  const lines = claimFacts(claim);
  lines.push(["Experiment", claim.experiment], ["Code", code(claim)]);
  const { taken } = data.experiments[claim.experiment];
  if (taken) lines.push(["Taken over", taken]);
  if (claim.hosted) lines.push(["Hosted", html("a", { href: claim.hosted }, "at the commit of this build")]);
  return [
    html("p", { className: "card-words" }, `The build checks this: ${claim.words}.`),
    html("p", {}, claimSentence(claim)),
    folded(facts(lines), row(trigger.href)),
  ];
}

/** What kind of evidence a claim has, in a sentence. */
export function claimSentence({ formed, exempt, nulls }) {
  const seeds = formed ? `It was ${formed}. ` : "";
  if (nulls) return `${seeds}In ${nulls.length === 1 ? "a world" : `${nulls.length} worlds`} made to break it, it is false.`;
  return `${seeds}${exempt ? "It holds by arithmetic or theorem." : ""}`.trim();
}

/** Where a claim was measured, first; then what decided it, how it would be false, and on which seeds. */
export function claimFacts(claim) {
  const saw = Object.entries(claim.saw).slice(0, 8);
  const lines = claim.scope ? [["Where", claim.scope]] : [];
  lines.push(["Saw", saw.map(([name, value]) => `${name} ${short(value)}`).join(", ")]);
  if (claim.margin !== null && claim.margin !== undefined) lines.push(["Margin", short(claim.margin)]);
  if (claim.nulls) lines.push(["False with", claim.nulls.join("; ")]);
  else if (claim.exempt) lines.push(["No null", claim.exempt]);
  if (claim.formed) lines.push(["Seeds", [claim.formed, claim.carries].filter(Boolean).join("; ")]);
  return lines;
}

/** A value in a few digits; text stays text. */
export function short(value) {
  if (typeof value !== "number") return String(value);
  return (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)))).replace("-", "−");
}

function withUnit(text, unit) {
  return unit ? `${text} ${unit}` : text;
}

function facts(lines) {
  return html("dl", {}, ...lines.flatMap(([name, what]) => [html("dt", {}, name), html("dd", {}, what)]));
}

function code(found) {
  // Pages of code are no pages of the theme: instant navigation must not bring them in.
  return html("a", { href: new URL(found.code, SITE).href, target: "_self" }, found.source);
}

function row(href) {
  return html("p", { className: "card-row" }, html("a", { href }, "Its row among all measurements"));
}

/** Puts a card after its trigger, above everything, moving nothing. */
export function place(trigger, content) {
  const [words] = content;
  words.id = uniqueId("card");
  const shut = html("button", { type: "button", className: "card-close", "aria-label": "Close" }, "×");
  const card = html("div", { className: "provenance-card", role: "dialog", "aria-labelledby": words.id }, ...content, shut);
  if ("popover" in card) card.popover = "manual";
  trigger.after(card);
  card.showPopover?.();
  trigger.setAttribute("aria-describedby", words.id);
  const move = () => {
    card.classList.toggle("is-sheet", globalThis.innerWidth < NARROW);
    const at = trigger.getClientRects()[0] ?? trigger.getBoundingClientRect();
    const room = roomOf(at, naturalHeight(card), document.documentElement);
    card.style.setProperty("--room", `${room}px`);
    const { left, top } = beside(at, card.getBoundingClientRect(), document.documentElement);
    card.style.left = `${left}px`;
    card.style.top = `${top}px`;
  };
  move();
  card.addEventListener("toggle", move, true); // what is unfolded may need room above
  return {
    card,
    trigger,
    move,
    remove() {
      trigger.removeAttribute("aria-describedby");
      card.remove();
    },
  };
}

const GAP = 6; // px between a number and its card, and between a card and the window's edge

/** How high a card is that nothing confines. */
function naturalHeight(card) {
  return card.scrollHeight + card.offsetHeight - card.clientHeight;
}

/** How high a card may be: it scrolls where it fits neither below the trigger nor above it. */
export function roomOf(at, height, { clientHeight }) {
  const [below, above] = [clientHeight - at.bottom - 2 * GAP, at.top - 2 * GAP];
  return height <= below ? height : Math.max(below, above);
}

/** Below the trigger where there is room, else above; inside the window's width. */
export function beside(at, { width, height }, { clientWidth, clientHeight }) {
  const left = Math.max(GAP, Math.min(at.left, clientWidth - width - GAP));
  const below = at.bottom + GAP;
  const above = at.top - GAP - height;
  const top = below + height <= clientHeight || above < 0 ? below : above;
  return { left, top };
}
