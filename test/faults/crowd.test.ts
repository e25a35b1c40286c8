import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { withStateLock } from "../../src/store/transaction/lock.ts";
import { Place } from "./place.ts";
import { isLong, longestMs, openTheatre, type Theatre } from "./theatre.ts";

let theatre: Theatre;
beforeAll(() => {
  theatre = openTheatre();
});
afterAll(() => theatre.close());

const original = {
  "home/app/config.json": '{\n  "mine": ["first"],\n  "other": [1,\n 2]\n}\n',
  "home/app/config.yaml": "# mine\nown: true\n",
  "home/app/.env": "# mine\nOWN=1\n",
};
const rounds = isLong ? 30 : 1;

/** A process of the crowd: its output, once it is through; one that edits goes on until it is told to `stop`. */
function participant(...args: readonly string[]): { readonly output: Promise<string>; stop(): void } {
  const script = path.resolve("test/faults/crowd-process.mjs");
  const child = spawn(process.execPath, [script, path.resolve(theatre.program, "../.."), ...args]);
  onTestFinished(() => void child.kill());
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const output = ended.then(([stdout, stderr, [code]]) => {
    if (code === 0) return stdout;
    throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
  });
  return { output, stop: () => child.stdin.end() };
}

/** Reads all files again and again until told to stop: each must be whole at any time. */
async function readAlong(place: Place, isOver: () => boolean): Promise<{ reads: number; torn: string[] }> {
  const torn: string[] = [];
  let reads = 0;
  for (; !isOver(); await sleep(1)) {
    for (const file of Object.keys(original)) {
      const found = place.read(file);
      reads++;
      if (!isWhole(file, found)) torn.push(`${file}: ${found}`);
    }
  }
  return { reads, torn };
}

function isWhole(file: string, found = ""): boolean {
  try {
    if (file.endsWith(".json")) return JSON.parse(found).other.length === 2;
    return file.endsWith(".yaml") ? parse(found).own === true : /^# mine\nOWN=1\n([A-Z]+_LEVEL=\d+\n)*$/.test(found);
  } catch {
    return false;
  }
}

test(
  "16 processes with two owners and many versions, somebody who edits under the lock and somebody without: nothing is torn, stuck or lost",
  async () => {
    const place = new Place(theatre.folder());
    place.clear();
    for (const [file, content] of Object.entries(original)) place.write(file, content);
    const owners = Array.from({ length: 16 }, (_, number) => (number % 2 === 0 ? "alpha" : "beta"));
    const editors = [
      participant("edit-locked", place.at("home/app/config.json")),
      participant("edit-loose", place.at("home/app/config.yaml")),
    ];
    const versions = owners.map(
      (owner, number) => participant("apply", place.home, owner, String(1 + number * rounds), String(rounds)).output,
    );
    let over = false;
    const reading = readAlong(place, () => over);
    await Promise.all(versions);
    for (const editor of editors) editor.stop();
    const [locked, loose] = (await Promise.all(editors.map(({ output }) => output))).map(Number) as [number, number];
    over = true;
    const { reads, torn } = await reading;
    expect(torn).toEqual([]);
    if (isLong)
      console.log(`16 processes applied ${16 * rounds} versions during ${locked + loose} edits and ${reads} reads`);
    await expectNothingLost(place, numbered("locked", locked), numbered("loose", loose));
    await expectBytesBack(place, numbered("locked", locked));
  },
  longestMs,
);

function numbered(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, number) => `${word}-${number}`);
}

async function expectNothingLost(place: Place, locked: readonly string[], loose: readonly string[]): Promise<void> {
  const stateDir = path.join(place.home, ".local/state/stet");
  await withStateLock(diskGate(), stateDir, 0, () => undefined);
  expect(place.leftovers()).toEqual([]);
  expect(fs.readdirSync(place.at("home/app")).sort()).toEqual([".env", "config.json", "config.yaml"]);
  const config = JSON.parse(place.read("home/app/config.json")!);
  expect(config.mine).toEqual([...locked.toReversed(), "first"]);
  for (const owner of ["alpha", "beta"]) {
    const { version } = JSON.parse(fs.readFileSync(path.join(stateDir, owner, "registry.json"), "utf8"));
    expect([config[owner].level, place.read("home/app/.env")]).toEqual([
      Number.parseInt(version, 10),
      expect.stringContaining(`${owner.toUpperCase()}_LEVEL=${config[owner].level}\n`),
    ]);
  }
  const texts = [place.read("home/app/config.yaml")!, ...place.kept()];
  expect(loose.filter((word) => !texts.some((each) => each.includes(`# ${word}.`)))).toEqual([]);
}

/** Both owners gone, what people wrote is all there is. */
async function expectBytesBack(place: Place, locked: readonly string[]): Promise<void> {
  for (const owner of ["alpha", "beta"])
    await place.ok(["uninstall", owner, "--state-dir", path.join(place.home, ".local/state/stet")]);
  const mine = [...locked.toReversed(), "first"].map((word) => JSON.stringify(word)).join(", ");
  expect([place.read("home/app/config.json"), place.read("home/app/.env")]).toEqual([
    original["home/app/config.json"].replace('"first"', mine),
    original["home/app/.env"],
  ]);
}
