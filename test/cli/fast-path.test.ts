import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { copyProgram } from "../program.ts";
import { Terminal, writePack } from "./terminal.ts";

/** The program as it ships, in a folder of its own: whether the long way was taken shows when it is no longer there. */
let program: string;
beforeAll(() => {
  program = fs.mkdtempSync(path.join(os.tmpdir(), "stet-program-"));
  copyProgram(program);
});
afterAll(() => fs.rmSync(program, { recursive: true }));

const bin = () => path.join(program, "bin/stet.cjs");

function environment(terminal: Terminal) {
  return { cwd: terminal.folder, env: { PATH: process.env.PATH, HOME: terminal.home } };
}

function stet(terminal: Terminal, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin(), ...args], {
    ...environment(terminal),
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Runs with nothing but the fast path left of the program. */
function withoutLongWay<T>(run: () => T): T {
  const [long, hidden] = ["dist/files.cjs", "dist/hidden"].map((file) => path.join(program, file)) as [string, string];
  fs.renameSync(long, hidden);
  try {
    return run();
  } finally {
    fs.renameSync(hidden, long);
  }
}

describe("the program", () => {
  let terminal: Terminal;
  beforeEach(() => {
    terminal = new Terminal();
    writePack(terminal, "1.0.0", Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`name${i}`, `value ${i}`])));
    expect(stet(terminal, "apply", "pack").status).toBe(0);
  });

  it("answers alike on both ways, and loads the long one only where something has changed", () => {
    const before = terminal.snapshot();
    for (const argv of [
      ["plan", "pack"],
      ["plan", "pack", "--json", "--exit-code"],
      ["apply", "pack"],
    ]) {
      const long = stet(terminal, ...argv, "--no-prune");
      expect(withoutLongWay(() => stet(terminal, ...argv))).toEqual(long);
      expect(long).toMatchObject({ status: 0, stderr: "" });
    }
    expect(terminal.snapshot()).toEqual(before);
    writePack(terminal, "1.0.1", { name0: "value 0" });
    expect(withoutLongWay(() => stet(terminal, "plan", "pack"))).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("files.cjs"),
    });
    expect(stet(terminal, "plan", "pack", "--exit-code").status).toBe(2);
  });

  it("has no parser and no engine on the fast path: a word of the program's own and what reads files", () => {
    expect(fs.statSync(path.join(program, "dist/fast-path.cjs")).size).toBeLessThan(50_000);
  });

  it("waits for a pipe that is full", async () => {
    const pipe = terminal.at("pipe");
    execFileSync("mkfifo", [pipe]);
    const held = fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
    const child = spawn(process.execPath, [bin(), "plan", "pack", "--json"], {
      ...environment(terminal),
      stdio: ["ignore", held, "inherit"],
    });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    let text = "";
    while (!text.endsWith("\n}\n"))
      text += readSome(held) ?? (await new Promise<string>((resolve) => setTimeout(() => resolve(""), 5)));
    expect(await ended).toBe(0);
    fs.closeSync(held);
    expect(text.length).toBeGreaterThan(1 << 16);
    expect(text).toBe(stet(terminal, "plan", "pack", "--json", "--no-prune").stdout);
  });

  it("is content when its reader has seen enough", () => {
    const line = `("${process.execPath}" "${bin()}" plan pack --json; echo "exit $?" >&2) | head -c 1`;
    expect(spawnSync("sh", ["-c", line], { ...environment(terminal), encoding: "utf8" }).stderr).toBe("exit 0\n");
  });

  it.runIf(process.platform === "linux")("says in one line that what it prints can't be written, on both ways", () => {
    const full = fs.openSync("/dev/full", "w");
    for (const argv of [
      ["plan", "pack"],
      ["plan", "pack", "--no-prune"],
    ]) {
      const stdio = ["ignore", full, "pipe"] as const;
      const { status, stderr } = spawnSync(process.execPath, [bin(), ...argv], {
        ...environment(terminal),
        stdio: [...stdio],
        encoding: "utf8",
      });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(/^stet: can't write to standard output: ENOSPC[^\n]*\n$/),
      });
    }
    fs.closeSync(full);
  });
});

describe("compiled code beside the program", () => {
  const compiled = () => fs.readdirSync(path.join(program, "dist")).filter((name) => name.endsWith(".compiled"));
  const forget = () => compiled().forEach((name) => void fs.rmSync(path.join(program, "dist", name)));
  let terminal: Terminal;
  beforeEach(() => {
    terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    forget();
  });

  it("is kept by a run that writes, and by no other", () => {
    expect(stet(terminal, "plan", "pack").status).toBe(0);
    expect(stet(terminal, "status").status).toBe(0);
    expect(compiled()).toEqual([]);
    expect(stet(terminal, "apply", "pack").status).toBe(0);
    expect(compiled()).toHaveLength(1);
    expect(stet(terminal, "status").stdout).toContain("1.0.0");
  });

  it("is kept for hosts as well, in a bundle of their own", () => {
    const files = {
      "hosts/box/host.yaml": "host: box\nservices: [web]\n",
      "services/web/quadlet/web.container": "[Container]\nImage=example.org/web:1\n",
    };
    for (const [name, text] of Object.entries(files)) terminal.write(`repo/${name}`, text);
    fs.mkdirSync(terminal.at("root"));
    const of = ["--repo", "repo", "--host", "box"];
    const applying = [...of, "--root", terminal.at("root"), "--no-activate"];
    const evaluated = stet(terminal, "host", "evaluate", ...of);
    expect(evaluated).toMatchObject({ status: 0, stderr: "" });
    expect(compiled()).toEqual([]);
    expect(stet(terminal, "host", "apply", ...applying)).toMatchObject({ status: 0 });
    expect(compiled()).toEqual([expect.stringMatching(/^host-/)]);
    expect(stet(terminal, "host", "evaluate", ...of)).toEqual(evaluated);
  });

  it("is made anew where it is damaged, cut off, empty or a link, and never given to V8 then", () => {
    stet(terminal, "apply", "pack");
    const place = path.join(program, "dist", compiled()[0]!);
    const good = fs.readFileSync(place);
    const damaged = Buffer.from(good).fill(0x55, good.length >> 1, (good.length >> 1) + 64);
    for (const bytes of [damaged, good.subarray(0, good.length >> 1), Buffer.alloc(0)]) {
      fs.writeFileSync(place, bytes);
      expect(stet(terminal, "status")).toMatchObject({ status: 0, stderr: "" });
      expect(bytes.equals(fs.readFileSync(place))).toBe(true);
      expect(stet(terminal, "apply", "pack", "--no-prune")).toMatchObject({ status: 0, stderr: "" });
      expect(fs.readFileSync(place).length).toBeGreaterThan(good.length >> 1);
    }
    const elsewhere = terminal.at("elsewhere");
    fs.writeFileSync(elsewhere, good);
    fs.rmSync(place);
    fs.symlinkSync(elsewhere, place);
    expect(stet(terminal, "apply", "pack", "--no-prune")).toMatchObject({ status: 0, stderr: "" });
    expect(fs.lstatSync(place).isSymbolicLink()).toBe(false);
    expect(good.equals(fs.readFileSync(elsewhere))).toBe(true);
  });

  it("is done without where the program's folder can't be written", () => {
    fs.chmodSync(path.join(program, "dist"), 0o555);
    try {
      expect(stet(terminal, "apply", "pack")).toMatchObject({ status: 0, stderr: "" });
    } finally {
      fs.chmodSync(path.join(program, "dist"), 0o755);
    }
    expect(fs.readdirSync(path.join(program, "dist")).filter((name) => /\.compiled\.\d+$/.test(name))).toEqual([]);
  });
});

/** What a pipe holds by now; undefined where that is nothing. */
function readSome(pipe: number): string | undefined {
  const bytes = Buffer.alloc(1 << 16);
  try {
    return bytes.toString("utf8", 0, fs.readSync(pipe, bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}
