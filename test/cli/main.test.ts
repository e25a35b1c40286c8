import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { Shell } from "./shell.ts";

describe("help", () => {
  it.each(Object.keys(commands))("%s: usage first, an example, and the summary of the overview", async (name) => {
    const shell = new Shell();
    const help = await shell.ok(name, "--help");
    expect(help).toMatch(new RegExp(`^usage: stet ${name}\\b`));
    const { command } = await commands[name]!.load();
    expect(command.name).toBe(name);
    expect(help).toMatch(/\nexample: .*stet /);
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
