// Predict, then reveal: the reader commits to a guess before a measurement is shown.
//
// Markup:  <div class="predict" data-kind="slider" data-min="0" data-max="1" data-step="0.01">
//            <p>What is the largest weight?</p>
//            <details><summary>Show the measured value</summary>
//              <p>It is <data value="0.464">0.464</data>.</p>
//            </details>
//          </div>
//          <div class="predict" data-kind="choice">
//            <p>What happens?</p>
//            <ul><li data-right>It rises.</li><li>It falls.</li></ul>
//            <details>…</details>
//          </div>
//
//          <div class="predict" data-kind="curve" data-points="4 16 64" data-across="d_k" data-up="largest weight">
//            <p>Draw it.</p>
//            <details>…</details>
//          </div>
//
// What was measured are the first <data value>s inside the <details>, one for each point; data-unit follows
// numbers of a slider. Nothing is set before the reader sets it, and what nobody has set is no answer. The
// guess stays in this browser. Without scripts the <details> reveals the values by itself.

import { button, html, quotable, uniqueId } from "../shared/dom.js";
import { keyOf, recall, remember } from "../shared/store.js";
import { askCurve } from "./curve.js";
import { askPoint } from "./point.js";

export function mount(root) {
  const details = root.querySelector("details");
  const asks = { slider: askPoint, curve: askCurve, choice: askChoice }[root.dataset.kind];
  if (!details || !asks) throw new Error('.predict needs a <details> and data-kind="slider", "curve" or "choice"');
  const key = keyOf(root, "predict");
  const result = html("p", { className: "predict-result", role: "status", "aria-live": "polite" });
  const forget = button("Guess again", () => {
    remember(key, null);
    details.open = false;
    settle(null);
    ask.focus();
  });
  const ask = asks(root, details, (guess) => {
    if (!ask.knows(guess)) {
      result.textContent = ask.missing();
      ask.focus();
      return;
    }
    remember(key, guess);
    details.open = true;
    settle(guess);
  });
  const bottom = html("div", { className: "sketch-controls" }, forget);

  function settle(guess) {
    result.textContent = guess === null ? "" : ask.words(guess);
    forget.hidden = guess === null;
    ask.lock(guess);
  }

  details.before(ask.element, result, bottom);
  const earlier = recall(key);
  const known = ask.knows(earlier) ? earlier : null;
  settle(known);
  if (known !== null) details.open = true;
  return () => {
    for (const added of [ask.element, result, bottom]) added.remove();
    ask.restore?.();
  };
}

/** The items of a list become radio buttons; the answer is an item's place. */
function askChoice(root, details, answer) {
  const list = [...root.querySelectorAll("ul, ol")].find((found) => !details.contains(found));
  if (!list) throw new Error('.predict data-kind="choice" needs a list of choices');
  const items = [...list.children];
  const right = items.findIndex((item) => item.hasAttribute("data-right") || item.querySelector("[data-right]"));
  const name = uniqueId("predict");
  const inputs = items.map((item, i) => {
    const input = html("input", { type: "radio", name, value: String(i) });
    const content = html("span", {});
    content.append(...[...item.childNodes].map((node) => node.cloneNode(true)));
    return { input, label: html("label", { className: "sketch-switch" }, input, content) };
  });
  const commit = button("Compare with the measurement", () => answer(inputs.findIndex(({ input }) => input.checked)));
  list.hidden = true;
  const group = html("fieldset", { className: "predict-choices" }, html("legend", {}, "Your guess"));
  group.append(...inputs.map(({ label }) => label));
  return {
    element: html("div", { className: "predict-ask" }, group, commit),
    knows: (guess) => Number.isInteger(guess) && guess >= 0 && guess < items.length,
    missing: () => "Choose an answer first.",
    focus: () => inputs[0].input.focus(),
    restore: () => (list.hidden = false),
    lock(guess) {
      inputs.forEach(({ input }, i) => {
        input.checked = i === guess;
        input.disabled = guess !== null;
      });
      commit.disabled = guess !== null;
    },
    words(guess) {
      const said = `You said “${quotable(items[guess])}”.`;
      if (right < 0) return said;
      return guess === right ? `${said} That is what was measured.` : `${said} Measured: “${quotable(items[right])}”.`;
    },
  };
}
