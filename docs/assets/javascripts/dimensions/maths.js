// Weights of one query over its keys, at a width, with and without the division.

import { softmax } from "../lookup/maths.js";

/** The weights of a row of dot products. */
export function weightsAt(products, width, divided) {
  return softmax(products.map((product) => (divided ? product / Math.sqrt(width) : product))).weights;
}

/** What the two panels say: of this draw, and on average. */
export function said(width, [without, divided], [mean, meanDivided], draws, fixed) {
  const most = (weights) => fixed(Math.max(...weights));
  return (
    `d_k = ${width}: the best of ${without.length} keys gets ${most(without)} without the division, ${most(divided)} with it, in this draw. ` +
    `On average over ${draws.toLocaleString("en")} draws: ${fixed(mean)} and ${fixed(meanDivided)}. An even share would be ${fixed(1 / without.length)}.`
  );
}
