// needs: strace
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { readPack } from "../../src/files/load-manifest.ts";
import { changesAnything, planPack } from "../../src/files/plan.ts";
import { quickFolder, tempsBelow } from "../store/scratch.ts";
import { World } from "./world.ts";

/**
 * The command line is killed at every system call of a two-file apply that changes something (and some that only read), one process for
 * each. Whatever is left, each file is wholly old or wholly new, and the next run ends where an undisturbed one does.
 */
const run = promisify(execFile);
const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;

const settings = ".claude/settings.json";
const agents = "AGENTS.md";
const release = (version: string, timeout: number, text: string) => ({
  name: "zylos",
  version,
  files: [
    {
      target: `~/${settings}`,
      template: { env: { ZYLOS: version }, hooks: { Stop: [{ hooks: [{ type: "command", command: "node ~/x.js", timeout }] }] } },
    },
    { target: `~/${agents}`, template: text },
    { target: `~/new-${version}/deep/x.json`, template: { version } },
  ],
});
const before = release("1.0", 1, "one\ntwo\nthree\nfour\n");
const after = release("2.0", 2, "one\ntwo, better\nthree\nfour\n");

/** A home with 1.0 installed and edited, and 2.0 as a pack beside it. */
async function layOut(): Promise<World> {
  const world = new World({ home: quickFolder() });
  world.write(settings, '{\n  // mine\n  "model": "opus", "list": [1,\n 2]\n}\n');
  await world.apply(before);
  world.edit(agents, "four", "four, mine");
  const files = after.files.map(({ target, template }, i) => {
    world.write(`pack/${i}`, template);
    return `  - { target: "${target}", template: "${i}" }\n`;
  });
  world.write("pack/stet.yaml", `name: zylos\nversion: "2.0"\nfiles:\n${files.join("")}`);
  return world;
}

const managed = [settings, agents, "new-1.0/deep/x.json", "new-2.0/deep/x.json"];
const textsOf = (world: World) => managed.map((file) => (world.exists(file) ? world.read(file) : undefined));

interface Point {
  readonly call: string;
  readonly nth: number;
  readonly changes: boolean;
}

const onlyReads =
  /^(?:openat|statx|newfstatat|readlink|readlinkat|read|pread64|close|access|mmap|flistxattr|getdents64|fcntl|lseek|fstat|ioctl|getcwd|dup\d?|epoll_\w+|eventfd2|pipe2|statfs)$/;

/** The calls between the marks. Node's own work (waking threads, writing to the terminal) is on no file. */
function pointsOf(trace: string): Point[] {
  const counts = new Map<string, number>();
  const points: Point[] = [];
  let inside = false;
  for (const line of trace.split("\n")) {
    const call = /^(\w+)\(/.exec(line)?.[1];
    if (call === undefined) continue;
    counts.set(call, (counts.get(call) ?? 0) + 1);
    if (line.includes("/stet-end")) inside = false;
    const changes = !onlyReads.test(call) || line.includes("O_CREAT");
    const toNoFile =
      call === "write" && (line.startsWith("write(1,") || line.startsWith("write(2,") || line.includes('"\\1\\0\\0\\0\\0\\0\\0\\0"'));
    if (inside && !toNoFile) points.push({ call, nth: counts.get(call)!, changes });
    if (line.includes("/stet-begin")) inside = true;
  }
  return points;
}

describe.runIf(canTrace)("an apply of two files that is killed", () => {
  let driver = "";
  let oldTexts: (string | undefined)[] = [];
  let newTexts: (string | undefined)[] = [];
  let points: Point[] = [];

  async function traced(world: World, injection: readonly string[]): Promise<string> {
    const log = world.at("trace.log");
    const command = [process.execPath, driver, "apply", world.at("pack"), "--home", world.home, "--state-dir", world.machine.stateDir];
    await run("strace", ["-o", log, "-e", "trace=%file,%desc", ...injection, ...command]).catch(() => {});
    return fs.readFileSync(log, "utf8");
  }

  beforeAll(async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-kill-"));
    fs.symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
    driver = path.join(folder, "driver.mjs");
    buildSync({
      entryPoints: [path.resolve("test/files/kill-driver.ts")],
      outfile: driver,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      external: ["fs-native-extensions"],
      banner: { js: 'import{createRequire as r}from"node:module";const require=r(import.meta.url);' },
    });
    const world = await layOut();
    oldTexts = textsOf(world);
    points = pointsOf(await traced(world, []));
    newTexts = textsOf(world);
    return () => fs.rmSync(folder, { recursive: true, force: true });
  });

  test("leaves every file old or new, and the next run ends where an undisturbed one does", async () => {
    expect(newTexts[1]).toBe("one\ntwo, better\nthree\nfour, mine\n");
    expect(newTexts[2]).toBeUndefined();
    const reading = points.filter((point) => !point.changes).filter((_, index) => index % 60 === 0);
    const chosen = [...points.filter((point) => point.changes), ...reading];
    for (const call of ["openat", "write", "fsync", "rename", "unlink", "mkdir", "rmdir"])
      expect(chosen.map((point) => point.call)).toContain(call);
    expect(chosen.length).toBeGreaterThan(60);
    const rest = chosen.entries();
    const ends = new Set<string>();
    const worker = async () => {
      for (const [index, point] of rest) ends.add(await killAt(point, index % 2 === 1));
    };
    await Promise.all([worker(), worker(), worker()]);
    expect(ends).toEqual(new Set(["old", "new", "between"]));
  }, 600_000);

  async function killAt(point: Point, edited: boolean): Promise<string> {
    const where = `${point.call} ${point.nth}`;
    const world = await layOut();
    const trace = await traced(world, ["-e", `inject=${point.call}:signal=SIGKILL:when=${point.nth}`]);
    expect([where, trace.includes("killed by SIGKILL")]).toEqual([where, true]);
    const found = textsOf(world);
    for (const [i, text] of found.entries()) expect([oldTexts[i], newTexts[i]], where).toContain(text);
    const end = [oldTexts, newTexts].map((texts) => JSON.stringify(texts) === JSON.stringify(found));
    if (edited) {
      world.edit(settings, "// mine", "// mine, and later");
      world.edit(agents, "four, mine\n", "four, mine\nnewly mine\n");
    }
    await world.apply(after);
    const late = (text: string | undefined) =>
      edited ? text?.replace("// mine", "// mine, and later").replace("four, mine\n", "four, mine\nnewly mine\n") : text;
    expect([where, textsOf(world), tempsBelow(world.home)]).toEqual([where, newTexts.map(late), []]);
    expect([where, changesAnything(await planPack(readPack(world.machine.gate, after), world.machine))]).toEqual([where, false]);
    fs.rmSync(world.home, { recursive: true });
    return end[0] ? "old" : end[1] ? "new" : "between";
  }
});
