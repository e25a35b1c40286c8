import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { userEdits } from "../../src/cli/demo/demo.ts";
import { Terminal } from "./terminal.ts";

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-demo-test-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("tells what was kept and why, and that a second run changes nothing", async () => {
  const { code, out, err } = await new Terminal().run("demo");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const { what, why } of userEdits)
    expect(out.replaceAll(/\s+/g, " ")).toMatch(new RegExp(`✓ ${what} ${why.replace(/[.*+?^$()|[\]\\]/g, "\\$&")}`));
  expect(out).toContain("Nothing to change.");
  expect(out).not.toContain(os.tmpdir());
});

it("plays every kind of change that an upgrade can bring", async () => {
  const { upgrade, again, edits } = await new Terminal().json("demo");
  expect(upgrade.summary).toEqual({ create: 1, update: 1, merge: 1, move: 1, remove: 1, keep: 2, unchanged: 1 });
  expect(upgrade.entries.map((entry: { reason?: string }) => entry.reason)).toEqual(
    expect.arrayContaining(["user-modified", "user-deleted"]),
  );
  expect(again.changed).toBe(0);
  expect(edits.map((edit: { stands: boolean }) => edit.stands)).toEqual([true, true, true, true, true]);
});

it("is in colour where that is wanted, and only there", async () => {
  expect((await new Terminal().run("demo")).out).not.toContain("\u001b[");
  expect((await new Terminal({ FORCE_COLOR: "1" }).run("demo")).out).toContain("\u001b[32m");
  expect((await new Terminal({ FORCE_COLOR: "1" }).run("demo", "--no-color")).out).not.toContain("\u001b[");
});

it("leaves the user's home and the temporary folder as they were", async () => {
  const terminal = new Terminal();
  const [temporary, before] = [temporaryFolder(), process.env.TMPDIR];
  process.env.TMPDIR = temporary;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  await terminal.run("demo");
  expect(fs.readdirSync(temporary)).toEqual([]);
  expect(fs.readdirSync(terminal.home)).toEqual([]);
});

it("leaves nothing behind when it is interrupted", async () => {
  const temporary = temporaryFolder();
  const bin = path.resolve(import.meta.dirname, "../../bin/stet.cjs");
  const child = spawn(process.execPath, [bin, "demo"], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  // The first words come when the home is made: from then on there is something to leave behind.
  await Promise.race([ended, new Promise((resolve) => child.stdout.once("data", resolve))]);
  child.kill("SIGINT");
  expect([0, 130]).toContain(await ended);
  expect(fs.readdirSync(temporary)).toEqual([]);
});
