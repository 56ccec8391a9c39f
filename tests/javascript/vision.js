// Reads a manifest and lists of pixels, writes what the sketch computes: node vision.js MANIFEST PIXELS OUT
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { covering, disagreement, forward, patchesOf, readModel } from "../../docs/assets/javascripts/explanation/maths.js";
import { largest } from "../../docs/assets/javascripts/shared/models.js";

const [manifestPath, pixelsPath, out] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
const bytes = readFileSync(join(dirname(manifestPath), manifest.weights));
const model = readModel(manifest, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const answers = JSON.parse(readFileSync(pixelsPath, "utf8")).map((pixels) => {
  const patches = patchesOf(pixels, manifest);
  const { logits, attention } = forward(model, patches);
  return { logits: [...logits], attention, covering: covering(model, patches, new Set(), largest([...logits])) };
});
writeFileSync(out, JSON.stringify({ apart: disagreement(model, manifest), answers }));
