import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { diskGate } from "../../src/store/disk-gate.ts";
import { withStateLock } from "../../src/store/lock.ts";
import { Place } from "./place.ts";
import { isLong, longestMs, stage } from "./whole.ts";

let theatre: ReturnType<typeof stage>;
beforeAll(() => {
  theatre = stage();
});
afterAll(() => theatre.remove());

const original = {
  "home/app/config.json": '{\n  "mine": ["first"],\n  "other": [1,\n 2]\n}\n',
  "home/app/config.yaml": "# mine\nown: true\n",
  "home/app/.env": "# mine\nOWN=1\n",
};
const rounds = isLong ? 30 : 1;
const edits = isLong ? 400 : 25;
const numbered = (word: string) => Array.from({ length: edits }, (_, number) => `${word}-${number}`);

/** A process of the crowd; what it says is what went wrong. */
async function participant(program: string, ...args: readonly string[]): Promise<string> {
  const script = path.resolve("test/faults/crowd-process.mjs");
  const child = spawn(process.execPath, [script, path.resolve(program, "../.."), ...args], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill());
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const [code] = await once(child, "exit");
  return code === 0 ? "" : `${args.join(" ")} ended with ${code}: ${errors}`;
}

/** Reads all files again and again until told to stop: each must be whole at any time. */
async function readAlong(place: Place, isOver: () => boolean): Promise<{ reads: number; torn: string[] }> {
  const torn: string[] = [];
  let reads = 0;
  for (; !isOver(); await nextTurn()) {
    for (const file of Object.keys(original)) {
      const text = place.read(file);
      reads++;
      if (!isWhole(file, text)) torn.push(`${file}: ${text}`);
    }
  }
  return { reads, torn };
}

function isWhole(file: string, text: string | undefined): boolean {
  try {
    if (file.endsWith(".json")) return JSON.parse(text ?? "").other.length === 2;
    return file.endsWith(".yaml") ? parse(text ?? "").own === true : /^# mine\nOWN=1\n([A-Z]+_LEVEL=\d+\n)*$/.test(text ?? "");
  } catch {
    return false;
  }
}

test(
  "16 processes with two owners and many versions, somebody who edits under the lock and somebody without: nothing is torn, stuck or lost",
  async () => {
    const place = new Place(theatre.folder());
    place.clear();
    for (const [file, text] of Object.entries(original)) place.write(file, text);
    const owners = Array.from({ length: 16 }, (_, number) => (number % 2 === 0 ? "alpha" : "beta"));
    const crowd = [
      ...owners.map((owner, number) =>
        participant(theatre.program, "apply", place.home, owner, String(1 + number * rounds), String(rounds)),
      ),
      participant(theatre.program, "edit-locked", place.at("home/app/config.json"), String(edits)),
      participant(theatre.program, "edit-loose", place.at("home/app/config.yaml"), String(edits)),
    ];
    let over = false;
    const reading = readAlong(place, () => over);
    const said = await Promise.all(crowd);
    over = true;
    const { reads, torn } = await reading;
    expect([said.filter((each) => each !== ""), torn]).toEqual([[], []]);
    if (isLong) console.log(`16 processes applied ${16 * rounds} versions during ${2 * edits} edits and ${reads} reads`);
    await expectNothingLost(place);
    await expectBytesBack(place);
  },
  longestMs,
);

async function expectNothingLost(place: Place): Promise<void> {
  const stateDir = path.join(place.home, ".local/state/stet");
  await withStateLock(diskGate(), stateDir, 0, () => undefined);
  expect(place.leftovers()).toEqual([]);
  expect(fs.readdirSync(place.at("home/app")).sort()).toEqual([".env", "config.json", "config.yaml"]);
  const config = JSON.parse(place.read("home/app/config.json")!);
  expect(config.mine).toEqual([...numbered("locked").reverse(), "first"]);
  for (const owner of ["alpha", "beta"]) {
    const { version } = JSON.parse(fs.readFileSync(path.join(stateDir, owner, "registry.json"), "utf8"));
    expect([config[owner].level, place.read("home/app/.env")]).toEqual([
      Number.parseInt(version, 10),
      expect.stringContaining(`${owner.toUpperCase()}_LEVEL=${config[owner].level}\n`),
    ]);
  }
  const texts = [place.read("home/app/config.yaml")!, ...place.kept()];
  expect(numbered("loose").filter((word) => !texts.some((text) => text.includes(`# ${word}.`)))).toEqual([]);
}

/** Both owners gone, what people wrote is all there is. */
async function expectBytesBack(place: Place): Promise<void> {
  for (const owner of ["alpha", "beta"]) await place.ok(["uninstall", owner, "--state-dir", path.join(place.home, ".local/state/stet")]);
  const mine = [...numbered("locked").reverse(), "first"].map((word) => JSON.stringify(word)).join(", ");
  expect([place.read("home/app/config.json"), place.read("home/app/.env")]).toEqual([
    original["home/app/config.json"].replace('"first"', mine),
    original["home/app/.env"],
  ]);
}
