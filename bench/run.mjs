// `npm run bench`: one table of ratios to a floor, all in one run, with their spread. Exit 1 where a limit is passed. `npm run bench -- start files` runs only those.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWithin } from "./measure.mjs";
import { loadParts } from "./parts.mjs";

const groups = {
  start: async function* (_parts, folder) {
    yield* (await import("./start.mjs")).benchStart(folder);
  },
  files: async function* (parts, folder) {
    yield* (await import("./files.mjs")).benchFiles(parts, folder);
  },
  formats: async function* (parts) {
    yield* (await import("./formats.mjs")).benchFormats(parts);
  },
  merge: async function* (parts, folder) {
    yield* (await import("./merge-text.mjs")).benchMergeText(parts, folder);
  },
  host: () => domainRows("host", "benchHost"),
  toolset: () => domainRows("toolset", "benchToolset"),
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(groups, name));
if (unknown) throw new Error(`there is no bench ${unknown}; there are: ${Object.keys(groups).join(", ")}`);
const folder = mkdtempSync(join(tmpdir(), "stet-bench-"));
try {
  const parts = await loadParts();
  const rows = [];
  for (const [name, measure] of Object.entries(groups)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for await (const row of measure(parts, folder)) {
      rows.push(row);
      console.log(line(row));
    }
  }
  process.exitCode = rows.every(isWithin) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A domain brings its own numbers, where it has any: values with limits, and what could not be measured. */
async function* domainRows(name, entry) {
  const file = new URL(`${name}.mjs`, import.meta.url);
  if (!existsSync(file)) return;
  const { rows, left } = await (await import(file.href))[entry]();
  for (const each of left) console.log(`${name}: left out: ${each}`);
  yield* rows;
}

function line(row) {
  const limit = row.limit === undefined ? "" : `limit ${row.limit}`;
  const mark = isWithin(row) ? "  " : "! ";
  if (row.ratio === undefined) return `${mark}${row.name.padEnd(62)} ${`${row.value.toFixed(1)} ${row.unit}`.padStart(10)}  ${limit}`;
  const [low, high] = row.spread.map((ratio) => ratio.toFixed(2));
  const processor = row.cpuRatio === undefined ? "" : `; processor ${row.cpuRatio.toFixed(2)} ×`;
  const times = `${row.ms.toFixed(0)} ms against ${row.floorMs.toFixed(0)} ms${processor}`;
  return `${mark}${`${row.name} / ${row.against}`.padEnd(62)} ${`${row.ratio.toFixed(2)} ×`.padStart(10)}  ${`${low}–${high}`.padEnd(12)} ${limit.padEnd(11)} ${times}`;
}
