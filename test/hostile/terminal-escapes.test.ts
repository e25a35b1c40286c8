import { describe, expect, it } from "vitest";
import { Terminal } from "../cli/terminal.ts";

/**
 * Clears the screen, sets the title, links elsewhere, turns the reading direction round, and goes back over the line.
 */
const evil = "\u001b[2J\u001b]0;owned\u0007\u001b]8;;http://x\u0007\u009b1A\u202ereversed\b\b\r";
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

async function installed(): Promise<Terminal> {
  const terminal = new Terminal();
  const file = `home/app/x${evil.replaceAll("/", "")}.json`;
  terminal.write(
    "pack/stet.yaml",
    `name: zylos\nversion: ${JSON.stringify(`1${evil}`)}\nfiles:\n  - { target: ${JSON.stringify(`~/${file.slice(5)}`)}, template: t.json }\n`,
  );
  terminal.write("pack/t.json", { [`k${evil}`]: `v${evil}`, same: evil, list: [evil] });
  terminal.write(file, { same: `mine${evil}`, list: [`mine${evil}`] });
  return terminal;
}

describe("what a terminal would obey is shown, never obeyed", () => {
  it("in keys, values, file names and versions, by every command", async () => {
    const terminal = await installed();
    const commands = [
      ["plan", "pack", "--diff", "-v"],
      ["apply", "pack", "--diff", "-v"],
      ["status", "zylos", "-v"],
      ["history", "zylos"],
      ["explain", `setting:k${evil}`],
      ["explain", `setting:gone${evil}`],
      ["blame", `home/app/x${evil.replaceAll("/", "")}.json`],
      ["doctor"],
      ["check", "pack"],
      ["adopt", `setting:gone${evil}`],
      ["resolve", `setting:same`, "--mine"],
      ["status", `no${evil}`],
      [`no${evil}`],
      ["plan", `--no${evil}`],
      ["rollback", "zylos"],
      ["uninstall", "zylos"],
    ];
    let shown = 0;
    for (const argv of commands) {
      const { out, err } = await terminal.run(...argv, "--no-color");
      expect({ argv: argv[0], text: obeyed.exec(out + err)?.[0] }).toEqual({ argv: argv[0], text: undefined });
      if ((out + err).includes("\\x1b[2J")) shown++;
    }
    expect(shown).toBeGreaterThan(8);
  });

  it("and in JSON it is data, escaped as JSON does", async () => {
    const terminal = await installed();
    const { out } = await terminal.run("plan", "pack", "--json");
    expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    const keys = JSON.parse(out).entries.map(({ key }: { key: string }) => key);
    expect(keys).toContain(`setting:k${evil.replaceAll(":", "\\:")}`);
  });
});
