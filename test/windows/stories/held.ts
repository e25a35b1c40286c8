import fs from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { Box } from "../box.ts";

/** Opens a file without sharing it, as many programs of Windows do: nobody else may read, write, rename or delete it. */
const withoutSharing = fs.constants.O_RDWR | 0x10000000;

describe("a file that another program holds open", () => {
  it("for good: one line says so, nothing is written, and the next run does it all", async () => {
    const box = new Box();
    const files = { "~/app/a.json": { theme: "dark" }, "~/app/b.json": { theme: "dark" } };
    box.write(box.mine("app/a.json"), { mine: 1 });
    box.write(box.mine("app/b.json"), { mine: 2 });
    const pack = box.pack("1.0.0", files);
    const fd = fs.openSync(box.at(box.mine("app/b.json")), withoutSharing);
    onTestFinished(() => {
      try {
        fs.closeSync(fd);
      } catch {
        // The story has closed it.
      }
    });
    const { code, err } = await box.run("apply", pack);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/b\.json.*another program holds it/) });
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(box.read(box.mine("app/a.json")))).toEqual({ mine: 1 });
    fs.closeSync(fd);
    await box.ok("apply", pack);
    expect(JSON.parse(box.read(box.mine("app/b.json")))).toEqual({ mine: 2, theme: "dark" });
  });

  it("for a moment: the run waits", async () => {
    const box = new Box();
    box.write(box.mine("app/a.json"), { mine: 1 });
    const held = await hold(box.at(box.mine("app/a.json")), 400);
    await box.ok("apply", box.pack("1.0.0", { "~/app/a.json": { theme: "dark" } }));
    await held.ended;
    expect(JSON.parse(box.read(box.mine("app/a.json")))).toEqual({ mine: 1, theme: "dark" });
  });

  it("while it is rolled back or uninstalled: nothing is changed, and the next run does it", async () => {
    const box = new Box();
    const file = box.mine("app/a.json");
    const packs = ["dark", "light"].map((theme, i) => box.pack(`${i + 1}.0.0`, { "~/app/a.json": { theme } }));
    for (const pack of packs) await box.ok("apply", pack);
    for (const command of ["rollback", "uninstall"]) {
      const before = box.read(file);
      const fd = fs.openSync(box.at(file), withoutSharing);
      const { code, err } = await box.run(command, "zylos");
      fs.closeSync(fd);
      expect({ command, code, err }).toEqual({
        command,
        code: 1,
        err: expect.stringMatching(/a\.json.*another program/),
      });
      expect(box.read(file)).toBe(before);
      await box.ok(command, "zylos");
    }
    expect(box.exists(box.mine("app"))).toBe(false);
  });

  it("while it is watched: watch says so, and tries again by itself", async () => {
    const box = new Box();
    const file = box.at(box.mine("app/a.json"));
    box.write(box.mine("app/a.json"), { mine: 1 });
    const fd = fs.openSync(file, withoutSharing);
    const watching = box.start([
      "watch",
      box.pack("1.0.0", { "~/app/a.json": { theme: "dark" } }),
      "--debounce",
      "50ms",
    ]);
    await watching.said("another program");
    fs.closeSync(fd);
    await watching.until("the entry", () => "theme" in JSON.parse(fs.readFileSync(file, "utf8")));
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({ mine: 1, theme: "dark" });
    watching.child.kill();
    await watching.ended;
  });

  it("to read it: of two files none is written, since this one could not be replaced", async () => {
    const box = new Box();
    for (const name of ["a", "b"]) box.write(box.mine(`app/${name}.json`), { mine: name });
    const pack = box.pack("1.0.0", { "~/app/a.json": { theme: "dark" }, "~/app/b.json": { theme: "dark" } });
    const reader = fs.openSync(box.at(box.mine("app/b.json")), fs.constants.O_RDONLY);
    const { code, err } = await box.run("apply", pack);
    fs.closeSync(reader);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/b\.json: another program has it open/) });
    for (const name of ["a", "b"]) expect(JSON.parse(box.read(box.mine(`app/${name}.json`)))).toEqual({ mine: name });
    await box.ok("apply", pack);
    expect(JSON.parse(box.read(box.mine("app/b.json")))).toEqual({ mine: "b", theme: "dark" });
  });
});

/** Another thread holds the file for so long; resolves when it has it, to a promise of the end. */
async function hold(file: string, ms: number): Promise<{ readonly ended: Promise<unknown> }> {
  const code = `const fs = require("node:fs"); const { parentPort, workerData } = require("node:worker_threads");
const fd = fs.openSync(workerData.file, workerData.flags);
parentPort.postMessage("held");
setTimeout(() => fs.closeSync(fd), workerData.ms);`;
  const worker = new Worker(code, { eval: true, workerData: { file, ms, flags: withoutSharing } });
  const ended = new Promise((resolve) => worker.on("exit", resolve));
  await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
  return { ended };
}

describe("a read-only file", () => {
  it("is refused with the command that makes it writable, and nothing is written", async () => {
    const box = new Box();
    box.write(box.mine("app/a.json"), { mine: 1 });
    box.write(box.mine("app/b.json"), { mine: 1 });
    fs.chmodSync(box.at(box.mine("app/b.json")), 0o444);
    const pack = box.pack("1.0.0", { "~/app/a.json": { theme: "dark" }, "~/app/b.json": { theme: "dark" } });
    const { code, err } = await box.run("apply", pack);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/b\.json: it is read-only.*attrib -R/) });
    expect(JSON.parse(box.read(box.mine("app/a.json")))).toEqual({ mine: 1 });
    fs.chmodSync(box.at(box.mine("app/b.json")), 0o666);
    await box.ok("apply", pack);
  });

  it("made read-only after the install: an upgrade and an uninstall refuse it too", async () => {
    const box = new Box();
    await box.ok("apply", box.pack("1.0.0", { "~/app/a.json": { theme: "dark" } }));
    fs.chmodSync(box.at(box.mine("app/a.json")), 0o444);
    expect((await box.run("apply", box.pack("2.0.0", { "~/app/a.json": { theme: "light" } }))).code).toBe(1);
    expect((await box.run("uninstall", "zylos")).code).toBe(1);
    expect(JSON.parse(box.read(box.mine("app/a.json")))).toEqual({ theme: "dark" });
    fs.chmodSync(box.at(box.mine("app/a.json")), 0o666);
    await box.ok("uninstall", "zylos");
    expect(box.exists(box.mine("app"))).toBe(false);
  });
});
