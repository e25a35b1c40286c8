// One side of a row of edits in a large file, in a process of its own: neither collects what the other, or another row,
// has left behind.
//   node bench/edits.mjs floor|work BUNDLE HOME EDITS     each message is a value to set, each answer says that it is
//   set
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeSafely } from "./write-safely.mjs";

const [side, bundle, home, edits] = process.argv.slice(2);
const count = Number(edits);
const file = join(home, "state.json");
const settings = (value) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`setting${i}`, value]));
const set = side === "work" ? await upgrades() : writeAgain;
process.on("message", async (value) => {
  await set(value);
  process.send(value);
});
process.send("ready");

/** What a program does that knows of no other owner. */
function writeAgain(value) {
  const data = JSON.parse(readFileSync(file, "utf8"));
  Object.assign(data.managed, settings(value));
  writeSafely(file, JSON.stringify(data, undefined, 2));
}

/** A state file of ten megabytes, of which a pack manages some settings: they get new values. */
async function upgrades() {
  const parts = await import(pathToFileURL(bundle).href);
  const machine = {
    home,
    stateDir: join(home, ".state"),
    env: {},
    platform: "linux",
    program: "stet",
    gate: parts.diskGate(),
    now: () => new Date(0),
  };
  const apply = (value) => {
    const files = [{ target: "~/state.json", template: { managed: settings(value) } }];
    return parts.applyPack(parts.readPack(machine.gate, { name: "bench", version: "1", files }), machine);
  };
  writeFileSync(file, largeState());
  await apply(0);
  return async (value) => {
    const { document } = await apply(value);
    if (document.changed !== count) throw new Error(`${document.changed} entries changed, not ${count}`);
  };
}

function largeState() {
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
  return JSON.stringify({ projects: Object.fromEntries(projects), managed: {} }, undefined, 2);
}
