// The five files of sixty entries that starting is measured with: as a pack, and as chezmoi keeps them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const files = ["a.json", "b.json", "c.json", "d.json", "e.json"];
const text = JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`setting${i}`, `value ${i}`])));

export function writePack(folder) {
  const rows = files.map((file) => `  - { target: ~/app/${file}, template: ${file} }`);
  writeAll(folder);
  writeFileSync(join(folder, "stet.yaml"), `name: bench\nversion: 1.0.0\nfiles:\n${rows.join("\n")}\n`);
}

export function writeChezmoiSource(folder) {
  writeAll(join(folder, "app"));
}

function writeAll(folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), text);
}
