import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { builtProgram } from "../program.ts";
import { Shell } from "./shell.ts";

const program = builtProgram();

interface Watching {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  /** Until the output so far holds this. */
  said(text: string): Promise<void>;
  output(): string;
}

function watch(shell: Shell, ...args: string[]): Watching {
  const child = spawn(process.execPath, [program, "watch", ...args], {
    cwd: shell.home,
    env: { HOME: shell.home, PATH: "/usr/bin:/bin" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  let check = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output += data;
      check();
    });
  }
  return {
    child,
    exit: new Promise((resolve) => child.on("exit", resolve)),
    output: () => output,
    said: (text) =>
      new Promise((resolve) => {
        check = () => {
          if (output.includes(text)) resolve();
        };
        check();
      }),
  };
}

it("SIGTERM ends it with 0 after what was in hand; no lock, journal or temporary file is left", async () => {
  const shell = new Shell();
  const pack = shell.pack("1.0.0", { "~/app/config.json": { theme: "dark", list: Array(2000).fill("entry") } });
  const watching = watch(shell, pack, "--debounce", "30ms");
  await watching.said("watching ~/app/config.json");
  // In the middle of its work, wherever that is.
  shell.write("app/config.json", { mine: 1 });
  await new Promise((resolve) => setTimeout(resolve, 60));
  watching.child.kill("SIGTERM");
  expect(await watching.exit).toBe(0);
  expect(watching.output()).toMatch(/stopped\n$/);
  expect(JSON.parse(shell.read("app/config.json"))).toMatchObject({ mine: 1 });
  expect(fs.readdirSync(shell.at("app"))).toEqual(["config.json"]);
  expect(fs.existsSync(shell.at(".local/state/stet/journal.json"))).toBe(false);
  await shell.ok("apply", pack);
  expect((await shell.run("status", "--exit-code")).code).toBe(0);
});

it("a new release of the pack on disk is applied; --json is one line an event", async () => {
  const shell = new Shell();
  shell.pack("1.0.0", { "~/app/config.json": { theme: "dark" } });
  fs.renameSync(shell.at("zylos-1.0.0"), shell.at("pack"));
  const watching = watch(shell, "pack", "--debounce", "50ms", "--json");
  await watching.said('"kind":"watching"');
  shell.edit("pack/templates/0", "dark", "light");
  shell.edit("pack/stet.yaml", "1.0.0", "1.1.0");
  await watching.said('"version":"1.1.0"');
  expect(JSON.parse(shell.read("app/config.json"))).toEqual({ theme: "light" });
  watching.child.kill("SIGINT");
  expect(await watching.exit).toBe(0);
  const kinds = watching
    .output()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).kind);
  expect([kinds[0], kinds.at(-1)]).toEqual(["applied", "stopped"]);
});

it("a mistake at the start is one line and exit 1", async () => {
  const shell = new Shell();
  expect(await shell.run("watch", "nowhere")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^stet: [^\n]*there is no manifest here[^\n]*\n$/),
  });
  shell.pack("1.0.0", { "~/a.json": {} });
  expect((await shell.run("watch", "zylos-1.0.0", "--interval", "soon")).err).toContain("'soon' is not a duration");
});

// Newer Nodes take more by themselves.
if (process.platform === "linux" && process.version.startsWith("v20."))
  it("at rest it holds at most 60 MB", async () => {
    const shell = new Shell();
    const files = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`~/app/${n}.json`, { theme: "dark", n }]));
    const pack = shell.pack("1.0.0", files);
    // The program as it ships: bundled for other tests it would load all of itself at once.
    const child = spawn(process.execPath, [path.resolve("bin/stet.cjs"), "watch", pack], {
      cwd: shell.home,
      env: { HOME: shell.home },
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const kilobytes = () => Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
    await vi.waitUntil(() => shell.exists("app/5.json"), { timeout: 140_000, interval: 100 });
    // What the first pass took goes when Node finds nothing to do, some seconds later.
    await vi.waitUntil(() => kilobytes() <= 60 * 1024, { timeout: 140_000, interval: 500 });
  });
