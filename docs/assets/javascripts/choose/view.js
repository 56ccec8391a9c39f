// A picture with several states: one of them is shown, and the reader says which.
//
// Markup:  <div class="sketch picture" data-sketch="choose" data-label="The word that looks"> with a child of class
//          sketch-caption and a picture that executed code has written. Its parts carry data-choice; those of the
//          choice at hand have the class is-current, others are not shown or not lit. Colours of words (word-1 …)
//          on a choice's words are its button's, too. With data-next="Shuffle" there is one button for the next
//          choice and one back to the first, instead of a button for each.

import { button, html, liveText, plain } from "../shared/dom.js";

const KEYS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export function mount(root) {
  const parts = [...root.querySelectorAll("[data-choice]")];
  const choices = [...new Set(parts.map((part) => part.dataset.choice))];
  const told = parts.filter((part) => part.classList.contains("picture-words"));
  const start = parts.find((part) => part.classList.contains("is-current")).dataset.choice;
  const said = liveText(100);
  const bar = root.dataset.next ? nextBar(root.dataset.next, choices, show) : choiceBar(root.dataset.label, choices, told, show);
  let current = start;

  function show(choice) {
    current = choice;
    for (const part of parts) part.classList.toggle("is-current", part.dataset.choice === choice);
    bar.update(choice);
    const words = told.find((part) => part.dataset.choice === choice);
    if (words) said.say(plain(words));
  }

  const caption = root.querySelector(":scope > .sketch-caption");
  caption.after(bar.element);
  said.element.classList.add("sketch-unseen"); // the same words stand in the picture, coloured
  root.append(said.element);
  bar.update(start);
  const pick = (event) => {
    const found = event.target.closest("[data-choice]")?.dataset.choice;
    if (found && found !== current) show(found);
  };
  root.addEventListener("click", pick);
  return () => {
    said.stop();
    root.removeEventListener("click", pick);
    bar.element.remove();
    said.element.remove();
    for (const part of parts) part.classList.toggle("is-current", part.dataset.choice === start);
  };
}

/** A button for each choice; arrow keys walk among them. */
function choiceBar(label, choices, told, show) {
  const buttons = choices.map((choice) => {
    const own = told.find((part) => part.dataset.choice === choice)?.querySelector("[class^=word-]");
    return button(choice, () => show(choice), { className: `sketch-button choose-button ${own?.className ?? ""}` });
  });
  const element = html("div", { className: "sketch-controls picture-controls", role: "toolbar", "aria-label": label }, html("span", {}, `${label}:`), ...buttons);
  element.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    const by = KEYS[event.key];
    if (!by || at < 0) return;
    event.preventDefault();
    const to = (at + by + choices.length) % choices.length;
    buttons[to].focus();
    show(choices[to]);
  });
  return {
    element,
    update(choice) {
      buttons.forEach((made, i) => {
        made.setAttribute("aria-pressed", choices[i] === choice);
        made.tabIndex = choices[i] === choice ? 0 : -1;
      });
    },
  };
}

/** One button for the next choice, one back to the first. */
function nextBar(label, choices, show) {
  let at = 0;
  const next = button(label, () => show(choices[at + 1 < choices.length ? at + 1 : 1]));
  const first = button(choices[0], () => {
    show(choices[0]);
    next.focus();
  });
  return {
    element: html("div", { className: "sketch-controls picture-controls" }, next, first),
    update(choice) {
      at = choices.indexOf(choice);
      first.disabled = at === 0;
    },
  };
}
