// Trained models: fetched, and put to the test before anything of them is shown.

import { disagreement, readModel } from "./maths.js";

const ROOT = new URL("../../../", import.meta.url);

/** A model with its weights, once it has shown that it computes what Keras did. */
export async function loadModel(path) {
  const address = new URL(path, ROOT);
  const manifest = await fetchOk(address).then((response) => response.json());
  const weights = await fetchOk(new URL(manifest.weights, address)).then((response) => response.arrayBuffer());
  const model = readModel(manifest, weights);
  const apart = disagreement(model, manifest.test);
  if (!(apart <= manifest.test.tolerance)) throw new Error(`${address}: logits are ${apart} apart from Keras' own`);
  return { ...model, title: ["", "One block", "Two blocks"][model.blocks] ?? `${model.blocks} blocks` };
}

/** Fetches a file below the site's root. */
export async function fetchOk(address) {
  const response = await fetch(new URL(address, ROOT));
  if (!response.ok) throw new Error(`${address} could not be loaded: ${response.status}`);
  return response;
}
