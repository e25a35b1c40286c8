import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { withStateLock } from "../../src/store/transaction/lock.ts";
import { Terminal } from "../cli/terminal.ts";
import { builtProgram } from "../program.ts";

const program = builtProgram();

/** So many files that writing them takes a while. */
const files = Array.from({ length: 120 }, (_, number) => `f${number}.json`);

function installed(): Terminal {
  const terminal = new Terminal();
  for (const file of files) terminal.write(`home/app/${file}`, { mine: 1 });
  const list = files.map((file) => `  - { target: ~/app/${file}, template: t.json }\n`);
  terminal.write("pack/stet.yaml", `name: zylos\nversion: "1"\nfiles:\n${list.join("")}`);
  terminal.write("pack/t.json", { ours: 1 });
  return terminal;
}

/** Runs apply and sends it a signal: `when` it has come so far, and some time later. */
async function interrupted(terminal: Terminal, signal: NodeJS.Signals, ms: number, when: (pid: number) => boolean) {
  const env = { HOME: terminal.home, PATH: "/usr/bin:/bin" };
  const child = spawn(process.execPath, [program, "apply", "pack"], { cwd: terminal.folder, env });
  const output = Promise.all([text(child.stderr), once(child, "close")]);
  while (!when(child.pid!) && child.exitCode === null) await sleep(1);
  await sleep(ms);
  child.kill(signal);
  const [err, [code, killedBy]] = await output;
  return { err, code: code as number | null, killedBy: killedBy as string | null };
}

function endOf(terminal: Terminal): "old" | "new" | "mixed" {
  const ours = files.filter((file) => JSON.parse(terminal.read(`home/app/${file}`)).ours === 1).length;
  return ours === 0 ? "old" : ours === files.length ? "new" : "mixed";
}

/** A file may be closed, and the process gone, while one looks. */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const descriptors = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return descriptors.flatMap((name) => {
    try {
      return [fs.readlinkSync(`${folder}/${name}`)];
    } catch {
      return [];
    }
  });
}

function leftovers(terminal: Terminal): string[] {
  const all = fs.readdirSync(terminal.home, { recursive: true, encoding: "utf8" });
  return all.filter((file) => /\.tmp$|journal/.test(file));
}

it.each([
  { signal: "SIGINT" as const, number: 2 },
  { signal: "SIGTERM" as const, number: 15 },
])("$signal while apply writes: all of it or nothing, and a line says which", async ({ signal, number }) => {
  const ends = new Set<string>();
  for (const ms of [0, 5, 20, 60, 150]) {
    const terminal = installed();
    const isWriting = () => fs.readdirSync(terminal.at("home/app")).some((name) => name.endsWith(".tmp"));
    const { err, code, killedBy } = await interrupted(terminal, signal, ms, isWriting);
    const end = endOf(terminal);
    ends.add(end);
    expect({ ms, end, left: leftovers(terminal) }).toEqual({ ms, end: "new", left: [] });
    // The last one may come when all is over.
    if (code === 0) continue;
    expect({ err, code, killedBy }).toEqual({
      err: `stet: interrupted by ${signal}: everything that had begun is complete\n`,
      code: 128 + number,
      killedBy: null,
    });
  }
  expect([...ends]).toEqual(["new"]);
});

it.runIf(process.platform === "linux")(
  "a signal while apply waits for another run: nothing was changed, and a line says so",
  async () => {
    const terminal = installed();
    const state = terminal.at("home/.local/state/stet");
    await withStateLock(diskGate(), state, 1000, async () => {
      // Who waits for a lock has it open.
      const isWaiting = (pid: number) => openFiles(pid).includes(`${state}/lock`);
      const { err, code } = await interrupted(terminal, "SIGINT", 0, isWaiting);
      expect({ err, code }).toEqual({ err: "stet: interrupted by SIGINT: nothing was changed\n", code: 130 });
    });
    expect([endOf(terminal), leftovers(terminal)]).toEqual(["old", []]);
  },
);
