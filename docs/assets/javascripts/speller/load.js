// Fetching the page's spellers: a manifest, its packed weights, and the words to try.

import { disagreement, readSpeller } from "./maths.js";

/** A speller that has shown that it computes what Keras did. */
export async function loadSpeller(address) {
  const manifest = await fetchOk(address).then((response) => response.json());
  const packed = await fetchOk(new URL(manifest.weights, address)).then((response) => response.arrayBuffer());
  const model = readSpeller(manifest, await unpacked(packed));
  const apart = disagreement(model);
  if (!(apart <= manifest.test.tolerance)) throw new Error(`${address}: logits are ${apart} apart from Keras' own`);
  return model;
}

/** What can be fetched as JSON. */
export const loadJson = (address) => fetchOk(address).then((response) => response.json());

async function fetchOk(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} could not be loaded: ${response.status}`);
  return response;
}

/** The bytes of a gzip file; a server may have unpacked it on the way. */
async function unpacked(buffer) {
  const [first, second] = new Uint8Array(buffer, 0, 2);
  if (first !== 0x1f || second !== 0x8b) return buffer;
  const stream = new Blob([buffer]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
