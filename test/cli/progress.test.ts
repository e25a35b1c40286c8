import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { builtProgram } from "../program.ts";
import { PseudoTerminal } from "./pseudo-terminal.ts";
import { Shell } from "./shell.ts";
import { slowDisk } from "./slow-disk.ts";

const sign = /\r\u001b\[K[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] stet apply … \d+ s/;
const program = builtProgram();

/** Leaves word when a thread is begun. */
function threadNotice(shell: Shell): { readonly options: string; given(): boolean } {
  shell.write(
    "thread-notice.cjs",
    `const threads = require("node:worker_threads");
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(...args) {
    super(...args);
    require("node:fs").writeFileSync(${JSON.stringify(shell.at("thread"))}, "");
  }
};
require("node:module").syncBuiltinESMExports();
`,
  );
  return { options: `--require ${shell.at("thread-notice.cjs")}`, given: () => fs.existsSync(shell.at("thread")) };
}

function onTerminal(shell: Shell, args: readonly string[], env: NodeJS.ProcessEnv): PseudoTerminal {
  return new PseudoTerminal([process.execPath, program, ...args], { ...shell.env, NO_COLOR: "1", ...env });
}

describe("a sign of life", () => {
  it("is drawn while the thread that works can't, and gone before the result is printed", async () => {
    const shell = new Shell();
    const disk = slowDisk(shell.home);
    const pack = shell.pack("1.0.0", { "~/app.json": { theme: "dark" } });
    const terminal = onTerminal(shell, ["apply", shell.at(pack)], { NODE_OPTIONS: disk.options });
    await terminal.until(sign);
    disk.answer();
    expect(await terminal.ended()).toBe(0);
    expect(terminal.drawn).toMatch(/ s\r\u001b\[Kzylos 1\.0\.0\r\n/);
    expect(terminal.screen()).toBe("zylos 1.0.0\n\n~/app.json  (new file)\n  + setting:theme  added\n\n1 added.\n");
  });

  it("is gone before an error is printed, too", async () => {
    const shell = new Shell();
    const disk = slowDisk(shell.home);
    const pack = shell.pack("1.0.0", { "~/app.json": { theme: "dark" } });
    const terminal = onTerminal(shell, ["apply", shell.at(pack)], { NODE_OPTIONS: disk.options });
    await terminal.until(sign);
    // What stands in the way by now is seen when the disk has answered.
    fs.mkdirSync(shell.at("app.json"));
    disk.answer();
    expect(await terminal.ended()).toBe(1);
    expect(terminal.screen()).toMatch(/^stet: [^\r]*app\.json[^\r]*\n$/);
  });

  it("has its thread before a large file is planned", async () => {
    const shell = new Shell();
    const notice = threadNotice(shell);
    const pack = shell.pack("1.0.0", { "~/app.json": { theme: "dark" } });
    shell.write("app.json", { notes: "x".repeat(100_000) });
    expect(await onTerminal(shell, ["plan", shell.at(pack)], { NODE_OPTIONS: notice.options }).ended()).toBe(0);
    expect(notice.given()).toBe(true);
  });

  it.each([
    ["whoever wants quiet", ["-q"], {}],
    ["a terminal that can't clear a line", [], { TERM: "dumb" }],
  ])("has no thread for %s", async (_, options, env) => {
    const shell = new Shell();
    const notice = threadNotice(shell);
    const pack = shell.pack("1.0.0", { "~/app.json": { theme: "dark" } });
    const terminal = onTerminal(shell, ["apply", shell.at(pack), ...options], { NODE_OPTIONS: notice.options, ...env });
    expect(await terminal.ended()).toBe(0);
    expect(notice.given()).toBe(false);
  });
});
