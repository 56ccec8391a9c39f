// Reads a manifest and words, writes what the page's speller says: node spell.js MANIFEST WORDS OUT
// WORDS is [[letters as tokens, what the decoder is given], …].
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { readSpeller, speaker } from "../../docs/assets/javascripts/speller/maths.js";

const [manifestPath, wordsPath, out] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
const bytes = gunzipSync(readFileSync(join(dirname(manifestPath), manifest.weights)));
const model = readSpeller(manifest, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const answers = JSON.parse(readFileSync(wordsPath, "utf8")).map(([letters, given]) => {
  const { steps } = speaker(model)(model, letters, given);
  return {
    said: speaker(model)(model, letters).tokens,
    logits: steps.map(({ logits }) => [...logits]),
    cross: steps.at(-1).cross ?? null,
  };
});
writeFileSync(out, JSON.stringify(answers));
