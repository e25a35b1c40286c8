// One row of edits in a large file, in a process of its own: what other rows have left behind would be collected on its account.
//   node bench/edits.mjs BUNDLE FOLDER EDITS [--quick]
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { compare } from "./measure.mjs";

const [bundle, folder, edits] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await editsRow(await import(pathToFileURL(bundle).href), folder, Number(edits))));

function machineIn(parts, home) {
  return {
    home,
    stateDir: join(home, ".state"),
    env: {},
    platform: "linux",
    program: "stet",
    gate: parts.diskGate(),
    now: () => new Date(0),
  };
}

/** A state file of ten megabytes, of which a pack manages some settings: they get new values. */
async function editsRow(parts, folder, edits) {
  const home = mkdtempSync(join(folder, "big-"));
  const file = join(home, "state.json");
  const projects = Array.from({ length: 20_000 }, (_, i) => [
    `/home/somebody/work/project-${i}`,
    {
      allowedTools: ["Bash(ls:*)", "Read"],
      history: [{ display: `a question of some length, number ${i}`, pasted: {} }],
      cost: i / 7,
      trusted: i % 2 === 0,
      note: "x".repeat(300),
    },
  ]);
  const settings = (value) => Object.fromEntries(Array.from({ length: edits }, (_, i) => [`setting${i}`, value]));
  writeFileSync(file, JSON.stringify({ projects: Object.fromEntries(projects), managed: {} }, undefined, 2));
  const machine = machineIn(parts, home);
  const pack = (value) =>
    parts.readPack(machine.gate, {
      name: "bench",
      version: "1",
      files: [{ target: "~/state.json", template: { managed: settings(value) } }],
    });
  await parts.applyPack(pack(0), machine);
  let turn = 0;
  return compare({
    name: `${edits.toLocaleString("en")} ${edits === 1 ? "edit" : "edits"} in a 10 MB JSON file`,
    against: "parse + stringify + atomic write",
    // Until the engine has compiled both sides: what a command takes that starts from nothing is the row against jq.
    warmups: 3,
    // Garbage is collected in one turn or another: with few of them, chance decides.
    turns: 15,
    prepare: () => ++turn,
    floor(value) {
      const data = JSON.parse(readFileSync(file, "utf8"));
      Object.assign(data.managed, settings(value - 1));
      writeSafely(file, JSON.stringify(data, undefined, 2));
    },
    async work(value) {
      const { document } = await parts.applyPack(pack(value), machine);
      if (document.changed !== edits) throw new Error(`${document.changed} entries changed, not ${edits}`);
    },
  });
}

/** What a careful program does anyway: a temporary file, on the disk, renamed, and the name on the disk. */
function writeSafely(file, text) {
  const temp = `${file}.tmp`;
  const out = openSync(temp, "w");
  writeSync(out, text);
  fsyncSync(out);
  closeSync(out);
  renameSync(temp, file);
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}
