// The quiz: choices that give feedback, remembered in this browser.
//
// Markup:  <div class="quiz" id="quiz-scale">
//            <p>Why divide by √d_k?</p>
//            <details class="choice" data-right><summary>To keep the softmax soft</summary><p>Yes: …</p></details>
//            <details class="choice"><summary>To save memory</summary><p>No: …</p></details>
//          </div>
//          <p class="quiz-score"></p>   (optional, anywhere on the page: the score of all its questions)
//
// Without scripts every choice opens its feedback. With them the first choice counts as the answer and is
// marked in words; the others stay readable, for their feedback teaches too.

import { button, html, quotable } from "../shared/dom.js";
import { keyOf, recall, remember } from "../shared/store.js";
import { score, scoreInWords } from "./maths.js";

export function mount(root) {
  const choices = choicesOf(root);
  const right = rightOf(choices);
  if (choices.length < 2 || right < 0) throw new Error(".quiz needs two choices or more, one of them data-right");
  const titles = choices.map((choice) => quotable(choice.querySelector("summary")));
  const marks = choices.map((choice) => {
    const mark = html("span", { className: "quiz-mark" });
    choice.querySelector("summary").append(mark);
    return mark;
  });
  const key = keyOf(root, "quiz");
  const verdict = html("p", { className: "quiz-verdict", role: "status", "aria-live": "polite" });
  const again = button("Answer again", () => {
    remember(key, null);
    for (const choice of choices) choice.open = false;
    settle(null);
    choices[0].querySelector("summary").focus();
  });
  const bottom = html("div", { className: "quiz-foot" }, verdict, again);
  let answer = null;

  function settle(to) {
    answer = to;
    choices.forEach((choice, i) => {
      choice.classList.toggle("is-right", to !== null && i === right);
      choice.classList.toggle("is-wrong", to === i && i !== right);
      marks[i].textContent = to === null ? "" : i === right ? " – right" : to === i ? " – your answer" : "";
    });
    const yours = to === null ? "" : titles[to];
    verdict.textContent = to === null ? "" : to === right ? `Right: “${yours}”.` : `Not right: “${yours}”.`;
    again.hidden = to === null;
    showScore();
  }

  const opened = choices.map((choice, i) => () => {
    if (!choice.open || answer !== null) return;
    remember(key, i);
    settle(i);
  });
  choices.forEach((choice, i) => choice.addEventListener("toggle", opened[i]));
  root.append(bottom);
  const earlier = recall(key);
  const known = Number.isInteger(earlier) && earlier >= 0 && earlier < choices.length ? earlier : null;
  if (known !== null) choices[known].open = true;
  settle(known);
  return () => {
    bottom.remove();
    for (const mark of marks) mark.remove();
    choices.forEach((choice, i) => choice.removeEventListener("toggle", opened[i]));
  };
}

const choicesOf = (root) => [...root.querySelectorAll("details.choice")];

const rightOf = (choices) => choices.findIndex((choice) => choice.hasAttribute("data-right"));

/** The score of all questions of the page, from what is remembered. */
function showScore() {
  const place = document.querySelector(".quiz-score");
  if (!place) return;
  const questions = [...document.querySelectorAll(".quiz")];
  const answers = questions.map((question) => recall(keyOf(question, "quiz")));
  place.textContent = scoreInWords(score(answers, questions.map((question) => rightOf(choicesOf(question)))));
}
