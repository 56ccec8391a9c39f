// Reads a manifest and sequences, writes the live model's logits: node answer.js MANIFEST SEQUENCES OUT
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { forward, readModel } from "../../docs/assets/javascripts/model/maths.js";

const [manifestPath, sequencesPath, out] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
const sequences = JSON.parse(readFileSync(sequencesPath, "utf8"));
const answers = (manifest.models ?? [manifest]).map((entry) => {
  const bytes = readFileSync(join(dirname(manifestPath), entry.weights));
  const model = readModel(entry, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return sequences.map((tokens) => {
    const { logits, attention } = forward(model, tokens);
    return { logits: [...logits], attention: attention.at(-1).map(([row]) => row) };
  });
});
writeFileSync(out, JSON.stringify(answers));
