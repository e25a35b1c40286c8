import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { Terminal } from "../cli/terminal.ts";
import { builtProgram } from "../program.ts";

/**
 * Another process that swaps what stet is about to write, as fast as it can, while real runs of stet come and go.
 * Whoever wins, what lies behind the link is never written, and what was the user's is all there.
 */
const program = builtProgram();

const swapper = `
const fs = require("node:fs");
const [place, aside, target] = process.argv.slice(1);
for (let i = 0; ; i++) {
  try { fs.renameSync(place, aside); fs.symlinkSync(target, place); } catch {}
  for (let j = 0; j < (i % 50) * 200; j++);
  try { fs.unlinkSync(place); } catch {}
  try { fs.renameSync(aside, place); } catch {}
  for (let j = 0; j < (i % 70) * 200; j++);
}`;

function swapping(place: string, target: string): ChildProcess {
  const child = spawn(process.execPath, ["-e", swapper, place, `${place}.aside`, target], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

function stet(terminal: Terminal, ...argv: string[]): Promise<{ code: number | null; err: string }> {
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: terminal.folder,
    env: { HOME: terminal.home, PATH: "/usr/bin:/bin" },
  });
  let err = "";
  child.stderr.on("data", (data) => {
    err += data;
  });
  return new Promise((done) => child.on("close", (code) => done({ code, err })));
}

it("a real process that swaps a file for a link between look and write: nothing behind the link is written by mistake", async () => {
  const terminal = new Terminal();
  terminal.write("home/outside/config.json", '{ "victim": 1 }\n');
  terminal.write("home/app/config.json", '{ "mine": 1 }\n');
  const child = swapping(terminal.at("home/app/config.json"), "../outside/config.json");
  const runs: { code: number | null; err: string }[] = [];
  for (let version = 1; version <= 6; version++) {
    terminal.write(
      "pack/stet.yaml",
      `name: zylos\nversion: "${version}"\nfiles: [{ target: ~/app/config.json, template: c.json }]\n`,
    );
    terminal.write("pack/c.json", { managed: version });
    runs.push(await stet(terminal, "apply", "pack"));
  }
  child.kill("SIGKILL");
  await new Promise((done) => child.on("close", done));
  for (const { code, err } of runs.filter((run) => run.code !== 0))
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^stet: [^\n]+\n$/) });
  const places = ["home/app/config.json", "home/app/config.json.aside"].filter((file) => terminal.exists(file));
  const texts = places.map((file) => JSON.parse(terminal.read(file)));
  const behind = JSON.parse(terminal.read("home/outside/config.json"));
  // Where the link stood when a run looked, the file behind it was its target; the two are never taken for each other.
  expect(texts.some((text) => text.mine === 1)).toBe(true);
  expect(behind.victim).toBe(1);
  expect(behind.mine).toBeUndefined();
  expect(fs.readdirSync(terminal.at("home/app")).filter((name) => name.startsWith(".stet-"))).toEqual([]);
});
