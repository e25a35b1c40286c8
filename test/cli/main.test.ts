import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { commands } from "../../src/cli/main.ts";
import { showProgress } from "../../src/cli/progress.ts";
import { Shell } from "./shell.ts";

describe("help", () => {
  it.each(Object.keys(commands))("%s: usage first, an example, and the summary of the overview", async (name) => {
    const shell = new Shell();
    const help = await shell.ok(name, "--help");
    expect(help).toMatch(new RegExp(`^usage: stet ${name}\\b`));
    const { command } = await commands[name]!.load();
    expect(command.name).toBe(name);
    if (name !== "host" && name !== "toolset") expect(help).toMatch(/\nexample: .*stet /);
  });

  it("speaks in the words of the program it is part of", async () => {
    const shell = new Shell();
    shell.program = "zylos config";
    for (const name of Object.keys(commands))
      expect(await shell.ok(name, "--help")).not.toMatch(/\bstet (?:plan|apply|status|history|adopt)\b/);
    expect(await shell.ok("help")).toContain("usage: zylos config COMMAND");
    expect((await shell.run("nothing")).err).toBe("zylos config: there is no command nothing; see: zylos config help\n");
    expect((await shell.run("status", "--wrong")).err).toContain("see: zylos config status --help");
  });
});

describe("a sign of life", () => {
  function listening(errorTerminal: boolean): { io: Io; printed: string[] } {
    const printed: string[] = [];
    const io = { out: (text: string) => printed.push(`out ${text}`), err: (text: string) => printed.push(`err ${text}`), errorTerminal };
    return { io: io as unknown as Io, printed };
  }

  it("shows after half a second, makes room for output, and goes when the command ends", async () => {
    const { io, printed } = listening(true);
    const progress = showProgress("stet apply", io);
    await sleep(350);
    expect(printed).toEqual([]);
    await sleep(500);
    expect(printed.length).toBeGreaterThan(0);
    expect(printed[0]).toMatch(/^err \r\u001b\[K. stet apply … 1 s$/);
    progress.io.out("result\n");
    expect(printed.slice(-2)).toEqual(["err \r\u001b[K", "out result\n"]);
    progress.stop();
    const count = printed.length;
    await sleep(300);
    expect(printed).toHaveLength(count);
  });

  it("never shows where nobody looks", async () => {
    const { io, printed } = listening(false);
    const progress = showProgress("stet apply", io);
    await sleep(700);
    progress.stop();
    expect(printed).toEqual([]);
  });
});
