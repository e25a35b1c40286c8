import fs from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { type WatchEvent, watchPack } from "../../src/files/watch/watch.ts";
import { DiskPack } from "./pack-on-disk.ts";
import { pack, World } from "./world.ts";

const file = "app/config.json";

interface Watching {
  readonly events: WatchEvent[];
  /** Until the watcher has said something of this kind `count` times. */
  heard(kind: WatchEvent["kind"], count?: number): Promise<void>;
  stop(): Promise<void>;
}

function watching(
  world: World,
  manifest: () => object | string,
  options: { reportOnly?: boolean; intervalMs?: number; quietMs?: number } = {},
): Watching {
  const events: WatchEvent[] = [];
  const stop = new AbortController();
  let changed = () => {};
  const done = watchPack({ load: () => readPack(world.machine.gate, manifest()), sources: [] }, world.machine, {
    intervalMs: 60_000,
    quietMs: 40,
    reportOnly: false,
    ...options,
    signal: stop.signal,
    tell: (event) => {
      events.push(event);
      changed();
    },
  });
  const end = async () => {
    stop.abort();
    await done;
  };
  onTestFinished(end);
  return {
    events,
    stop: end,
    heard: (kind, count = 1) =>
      new Promise((resolve) => {
        changed = () => {
          if (events.filter((event) => event.kind === kind).length >= count) resolve();
        };
        changed();
      }),
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const kinds = ({ events }: Watching) => events.map(({ kind }) => kind);

it("installs at the start, puts back what is deleted, and does not react to its own writes", async () => {
  const world = new World();
  const watch = watching(world, () => pack("1.0.0", { a: 1, b: 2 }));
  await watch.heard("watching");
  expect(world.json(file)).toEqual({ a: 1, b: 2 });
  world.write(file, { b: 2, mine: 1 });
  await watch.heard("applied", 2);
  await pause(300);
  expect(world.json(file)).toEqual({ b: 2, mine: 1, a: 1 });
  expect(kinds(watch)).toEqual(["applied", "watching", "applied"]);
});

it("leaves an entry out once it is deleted a second time, says so once, and goes on with the others", async () => {
  const world = new World();
  const watch = watching(world, () => pack("1.0.0", { a: 1, b: 2 }));
  await watch.heard("watching");
  world.write(file, { b: 2 });
  await watch.heard("applied", 2);
  world.write(file, { b: 2 });
  await watch.heard("left-out");
  expect(watch.events.filter(({ kind }) => kind === "left-out")).toEqual([{ kind: "left-out", keys: ["setting:a"] }]);
  world.write(file, { mine: 1 });
  await watch.heard("applied", 3);
  expect(world.json(file)).toEqual({ mine: 1, b: 2 });
  await pause(200);
  expect(kinds(watch).filter((kind) => kind === "left-out")).toHaveLength(1);
});

it("tries again with a new version", async () => {
  const world = new World();
  let version = "1.0.0";
  const watch = watching(world, () => pack(version, { a: 1, b: 2 }), { intervalMs: 150 });
  await watch.heard("watching");
  world.write(file, { b: 2 });
  await watch.heard("applied", 2);
  world.write(file, { b: 2 });
  await watch.heard("left-out");
  version = "1.1.0";
  await watch.heard("applied", 3);
  expect(world.json(file)).toMatchObject({ a: 1 });
});

it("waits until a file that is written in pieces is quiet", async () => {
  const world = new World();
  const watch = watching(world, () => pack("1.0.0", { a: 1 }), { quietMs: 3000 });
  await watch.heard("watching");
  for (const text of ["{", '{ "mine"', '{ "mine": 1', '{ "mine": 1 }']) {
    fs.writeFileSync(world.at(file), text);
    await pause(10);
  }
  await watch.heard("applied", 2);
  expect(kinds(watch)).not.toContain("failed");
  expect(world.json(file)).toEqual({ mine: 1, a: 1 });
});

it("says once that a file can't be read, leaves it alone, and goes on when it can", async () => {
  const world = new World();
  const watch = watching(world, () => pack("1.0.0", { a: 1 }));
  await watch.heard("watching");
  world.write(file, "{ broken");
  await watch.heard("failed");
  expect(world.read(file)).toBe("{ broken");
  world.write(file, { mine: 1 });
  await watch.heard("applied", 2);
  expect(world.json(file)).toEqual({ mine: 1, a: 1 });
  expect(kinds(watch).filter((kind) => kind === "failed")).toHaveLength(1);
});

it("begins also with a file that can't be read", async () => {
  const world = new World();
  world.write(file, "{ broken");
  const watch = watching(world, () => pack("1.0.0", { a: 1 }));
  await watch.heard("failed");
  world.write(file, {});
  await watch.heard("applied");
  expect(world.json(file)).toEqual({ a: 1 });
});

it("only reports drift when told so, once for each state", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { a: 1, b: 2 }));
  const watch = watching(world, () => pack("1.0.0", { a: 1, b: 2 }), { reportOnly: true, intervalMs: 100 });
  await watch.heard("in-sync");
  const before = world.snapshot(".local");
  world.write(file, { a: 1 });
  await watch.heard("drifted");
  await pause(350);
  expect(world.json(file)).toEqual({ a: 1 });
  expect(world.snapshot(".local")).toEqual(before);
  expect(kinds(watch).filter((kind) => kind === "drifted")).toHaveLength(1);
});

it("watches the real file behind a link, and leaves nothing beside it", async () => {
  const world = new World();
  world.write("dotfiles/config.json", "{}\n");
  world.write("app/.keep", "");
  fs.symlinkSync(world.at("dotfiles/config.json"), world.at(file));
  const watch = watching(world, () => pack("1.0.0", { a: 1 }));
  await watch.heard("watching");
  world.write("dotfiles/config.json", '{ "mine": 1 }\n');
  await watch.heard("applied", 2);
  expect(world.json("dotfiles/config.json")).toEqual({ mine: 1, a: 1 });
  expect(fs.readdirSync(world.at("dotfiles"))).toEqual(["config.json"]);
  expect(fs.lstatSync(world.at(file)).isSymbolicLink()).toBe(true);
});

it("looks for itself where the system can't watch", async () => {
  const world = new World();
  const target = "~/later/deep/config.json";
  const manifest = { name: "zylos", version: "1", files: [{ target, template: { a: 1 }, "only-if": "parent-exists" }] };
  const watch = watching(world, () => manifest, { intervalMs: 200 });
  await watch.heard("in-sync");
  fs.mkdirSync(world.at("later/deep"), { recursive: true });
  await watch.heard("applied");
  expect(world.json("later/deep/config.json")).toEqual({ a: 1 });
});

it("stops when told, and says so last", async () => {
  const world = new World();
  const watch = watching(world, () => pack("1.0.0", { a: 1 }));
  await watch.heard("watching");
  await watch.stop();
  expect(kinds(watch).at(-1)).toBe("stopped");
});

it("ships a file that comes into a folder of templates", async () => {
  const world = new World();
  const folder = { version: "1", files: [{ target: "~/agents/", template: "agents/" }] };
  const shipped = new DiskPack(world).ship(folder, { "agents/a.md": "a\n" });
  const watch = watching(world, () => shipped.folder);
  // Before the folder is watched: what comes in between counts as well.
  await watch.heard("applied");
  fs.writeFileSync(`${shipped.folder}/agents/b.md`, "b\n");
  await watch.heard("applied", 2);
  expect(world.read("agents/b.md")).toBe("b\n");
});
