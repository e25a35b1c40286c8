import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { Box } from "../box.ts";

const names = ["a", "b", "c"];

function packOf(box: Box, version: string, theme: string): string {
  return box.pack(version, Object.fromEntries(names.map((name) => [`~/app/${name}.json`, { theme }])));
}

function themes(box: Box): string[] {
  return names.map((name) => JSON.parse(box.read(box.mine(`app/${name}.json`))).theme);
}

/** Ends the process at once, as the task manager does, when it is about to rename for the nth time. */
function endingAtRename(box: Box, n: number): string {
  box.write(
    "crash.cjs",
    `const fs = require("node:fs");
const rename = fs.renameSync;
let count = 0;
fs.renameSync = (from, to) => {
  if (++count === ${n}) process.kill(process.pid, "SIGKILL");
  rename(from, to);
};`,
  );
  return box.at("crash.cjs");
}

describe("a crash between two renames", () => {
  for (const n of [1, 3, 4])
    it(`before rename ${n}: every file is wholly old or new, and the next run ends it`, async () => {
      const box = new Box();
      for (const name of names) box.write(box.mine(`app/${name}.json`), { mine: name });
      await box.ok("apply", packOf(box, "1.0.0", "dark"));
      const two = packOf(box, "2.0.0", "light");
      const crashed = box.start(["apply", two], { preload: endingAtRename(box, n) });
      expect([await crashed.ended, crashed.output]).toEqual([1, ""]);
      for (const theme of themes(box)) expect(["dark", "light"]).toContain(theme);
      await box.ok("apply", two);
      expect(themes(box)).toEqual(["light", "light", "light"]);
      expect(JSON.parse(box.read(box.mine("app/b.json")))).toEqual({ mine: "b", theme: "light" });
      expect(fs.readdirSync(box.at(box.mine("app"))).sort()).toEqual(names.map((name) => `${name}.json`));
      expect((await box.json("plan", two)).changed).toBe(0);
    });
});

it("two processes that write the same file at once: what both write is there", async () => {
  const box = new Box();
  box.write(box.mine("app/config.json"), { mine: 1 });
  const packs = ["alpha", "beta"].map((name) =>
    box.pack("1.0.0", { "~/app/config.json": { [name]: 1 }, [`~/app/${name}.json`]: { own: true } }, { name }),
  );
  const runs = packs.map((pack) => box.start(["apply", pack]));
  expect(await Promise.all(runs.map((run) => run.ended))).toEqual([0, 0]);
  expect(JSON.parse(box.read(box.mine("app/config.json")))).toEqual({ mine: 1, alpha: 1, beta: 1 });
});

it("watch puts back what is deleted, leaves what is edited, and ends when it is told to", async () => {
  const box = new Box();
  const pack = box.pack("1.0.0", { "~/app/config.json": { theme: "dark", size: 1 } });
  const watching = box.start(["watch", pack, "--debounce", "50ms"]);
  await watching.said("watching ~/app/config.json");
  const file = box.at(box.mine("app/config.json"));
  const now = () => JSON.parse(fs.readFileSync(file, "utf8"));
  expect(now()).toEqual({ theme: "dark", size: 1 });
  fs.writeFileSync(file, JSON.stringify({ theme: "blue" }));
  await watching.until("what was deleted", () => "size" in now());
  expect(now()).toEqual({ theme: "blue", size: 1 });
  watching.child.kill();
  await watching.ended;
  await box.ok("uninstall", "zylos");
  expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({ theme: "blue" });
});

it("the demo, and the version, from a process of their own", async () => {
  const box = new Box();
  const [demo, version] = [box.start(["demo"]), box.start(["--version"])];
  expect([await demo.ended, await version.ended]).toEqual([0, 0]);
  expect(version.output.trim()).toBe(JSON.parse(fs.readFileSync("package.json", "utf8")).version);
  expect(demo.output).toContain("~/");
});
