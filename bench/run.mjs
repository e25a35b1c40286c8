// `npm run bench`: one table of what stet does against the floor under it and against the tools one would use instead,
// all in one run, with the spread over the turns. Exit 1 where a limit is passed. The whole run also writes
// bench/results.json and the README's chart.
//
//   npm run bench                       all of it, on a machine that does nothing else
//   npm run bench -- start merge        only these groups
//   npm run bench -- --quick host       fewer turns and smaller sizes, for a look in passing
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { chart } from "./chart.mjs";
import { limits } from "./limits.mjs";
import { isQuick, isWithin } from "./measure.mjs";
import { bundleParts, root } from "./parts.mjs";
import { missingLine, rowLine } from "./table.mjs";

/** Each brings rows, and says what it could not measure: `{ missing, add }`. */
const groups = {
  start: async ({ folder }) => (await import("./start.mjs")).benchStart(folder),
  chezmoi: async ({ folder }) => (await import("./chezmoi.mjs")).benchChezmoi(folder),
  folders: async ({ folder }) => (await import("./folders.mjs")).benchFolders(folder),
  files: async ({ folder, bundle }) => (await import("./files.mjs")).benchFiles(folder, bundle),
  jq: async ({ folder }) => (await import("./jq.mjs")).benchJq(folder),
  formats: async ({ parts }) => (await import("./formats.mjs")).benchFormats(parts),
  merge: async ({ parts, folder }) => (await import("./merge-text.mjs")).benchMergeText(parts, folder),
  host: async ({ parts, folder, bundle }) => (await import("./host.mjs")).benchHost(parts, folder, bundle),
  toolset: async ({ parts, folder, bundle }) => (await import("./toolset.mjs")).benchToolset(parts, folder, bundle),
};

const wanted = process.argv.slice(2).filter((argument) => argument !== "--quick");
const unknown = wanted.find((name) => !Object.hasOwn(groups, name));
if (unknown) {
  console.error(`bench: there is no group ${unknown}; there are: ${Object.keys(groups).join(", ")} (and --quick)`);
  process.exit(1);
}
const isWhole = wanted.length === 0 && !isQuick;
// The commands that are measured are those of the sources, not of the last build.
const built = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], { encoding: "utf8" });
if (built.status !== 0) {
  console.error(`bench: the sources do not build:\n${built.stdout}${built.stderr}`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "stet-bench-"));
const { file: bundle, parts, remove } = await bundleParts();
// Also when somebody breaks it off: a run leaves nothing behind.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.once("exit", () => {
  remove();
  rmSync(folder, { recursive: true, force: true });
});

const begun = performance.now();
const { rows, missing } = await measureAll({ parts, folder, bundle });
const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
const failed = rows.filter((row) => !isWithin(row));
if (isWhole) keep(rows, missing);
const verdict =
  failed.length === 0
    ? `${rows.length} rows in ${minutes} minutes, all within their limits`
    : `${rows.length} rows in ${minutes} minutes\n! past its limit: ${failed.map((row) => row.name).join("; ")}`;
console.log(`\n${verdict}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function measureAll(context) {
  const [rows, missing] = [[], []];
  for (const [group, measure] of Object.entries(groups)) {
    if (wanted.length > 0 && !wanted.includes(group)) continue;
    for await (const found of await measure(context)) {
      if (found.missing !== undefined) missing.push(found);
      else rows.push({ group, ...found });
      console.log(found.missing === undefined ? rowLine(found) : missingLine(found));
    }
  }
  return { rows, missing };
}

function keep(rows, missing) {
  const unused = missing.length > 0 ? [] : Object.keys(limits).filter((name) => !rows.some((row) => row.name === name));
  if (unused.length > 0) throw new Error(`no row measures what limits.mjs promises: ${unused.join("; ")}`);
  const [{ model }] = cpus();
  const results = {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      processor: model.trim(),
      cores: cpus().length,
      memory_gb: Math.round(totalmem() / 2 ** 30),
      platform: process.platform,
      node: process.version,
    },
    rows: rows.map((row) => ({ ...rounded(row), ok: isWithin(row) })),
    missing,
  };
  writeFileSync(join(root, "bench/results.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(join(root, "docs/bench.svg"), chart(results));
}

function rounded({ value, spread, ...row }) {
  const round = (number) => Number(number.toPrecision(4));
  return { ...row, value: round(value), spread: spread.map(round) };
}
