// Reads a manifest and sequences, writes the live model's logits: node answer.js MANIFEST SEQUENCES OUT
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { forward, readModel } from "../../docs/assets/javascripts/model/maths.js";

const [manifestPath, sequencesPath, out] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
const sequences = JSON.parse(readFileSync(sequencesPath, "utf8"));
const bytes = readFileSync(join(dirname(manifestPath), manifest.weights));
const model = readModel(manifest, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const answers = sequences.map((tokens) => {
  const { logits, attention } = forward(model, tokens);
  return { logits: [...logits], attention: attention.at(-1).map(([row]) => row) };
});
writeFileSync(out, JSON.stringify(answers));
