// Circuits side by side: what is drawn of each, and what an intervention makes of it.

/** The tokens that each circuit is drawn on: shorter than the measured sequences, and read in the same way. */
export const TOKENS = ["C", "A", "★", "E", "G", "D", "★"];
export const CUE = 2;
export const ANSWER = 3;
export const LAST = 6;
export const DONOR = 5; // where the transplanted sequence had its answer
const BROKEN = 0.5; // below it an accuracy counts as broken, as where circuits are named

/** Interventions by the name that their measurement has, with the words of their buttons. */
export const INTERVENTIONS = {
  whole: "leave it whole",
  answer_to_cue: "block 1: E may not look at ★",
  cue_to_answer: "block 1: ★ may not look at E",
  hidden_cue: "block 1: nobody looks at ★",
  transplant: "give the last ★ another’s block 1",
};

export const PANELS = [
  {
    name: "answer",
    title: "Answer circuit",
    says: "Block 1 tells each position what stood before it. Block 2 finds the position that heard “★”, and reads it.",
  },
  {
    name: "pointer",
    title: "Pointer",
    says: "In block 1 the last position looks elsewhere than at the cue, and the gap is part of how it knows the place. Block 2 reads one further on.",
  },
];

/** The id of the measurement behind a number of a panel. */
export const idOf = (what, panel) => `induction.proof.${what}.${panel}`;

/** The measurements that a panel shows after an intervention: label and id of each. */
export function shownAfter(intervention, panel) {
  if (intervention !== "transplant") return [["answered right", idOf(intervention, panel)]];
  return [
    ["its own answer", idOf("pointed_own", panel)],
    ["the symbol at the other’s place", idOf("pointed_place", panel)],
  ];
}

/** What is said in the tile of the answer, and where block 2 reads: E and its place, another, or neither. */
export function outcome(intervention, values) {
  const [own, other = 0] = values;
  if (own > BROKEN) return { symbol: TOKENS[ANSWER], reads: ANSWER };
  if (other > BROKEN) return { symbol: TOKENS[DONOR], reads: DONOR };
  return { symbol: "?", reads: null };
}

/** The width of an arrow by its weight; an arrow of no weight is a hair. */
export const widthOf = (weight) => 0.5 + 6 * weight;
