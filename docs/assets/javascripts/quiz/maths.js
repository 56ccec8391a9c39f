// The quiz: what has been answered, and how that reads.

/** Counts over questions: `answers` holds the chosen place or null, `rights` the right place of each. */
export function score(answers, rights) {
  const answered = answers.filter((answer) => answer !== null).length;
  const right = answers.filter((answer, i) => answer !== null && answer === rights[i]).length;
  return { answered, right, of: rights.length };
}

/** The score in words. */
export function scoreInWords({ answered, right, of }) {
  if (answered === 0) return `${of} questions; none answered yet.`;
  return `${right} of ${answered} answered rightly${answered < of ? `; ${of - answered} to go` : ""}.`;
}
