// Takes what npm adds to package-lock.json and nothing reads: the addresses where authors ask for money.
// Run it after every `npm install` (see CONTRIBUTING.md): the committed lock names no address.
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
for (const entry of Object.values(lock.packages)) {
  delete entry.funding;
  delete entry.resolved;
  delete entry.deprecated;
}
writeFileSync(path, JSON.stringify(lock, null, 2) + "\n");
