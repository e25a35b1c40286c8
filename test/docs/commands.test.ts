import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { commandsPage } from "./commands-page.ts";

it("docs/commands.md says what the commands say of themselves", async () => {
  await expect(await commandsPage()).toMatchFileSnapshot("../../docs/commands.md");
});

const folder = path.resolve(import.meta.dirname, "../../src/cli");

/** The options that a command's sources (`plan.ts`, `host-*.ts`) hand to the parser. */
function optionsOf(name: string): string[] {
  const files = fs.readdirSync(folder).filter((file) => file === `${name}.ts` || file.startsWith(`${name}-`));
  const text = files.map((file) => fs.readFileSync(path.join(folder, file), "utf8")).join("\n");
  return [...new Set([...text.matchAll(/["']?([a-z][a-z-]*)["']?: \{ type: "(?:boolean|string)"/g)].map((match) => match[1]!))];
}

describe("every option is in its command's help", () => {
  it("the common ones", async () => {
    const { command } = await commands.plan!.load();
    for (const option of optionsOf("options").filter((name) => !["quiet", "verbose", "help"].includes(name)))
      expect(command.help).toContain(`--${option}`);
    expect(command.help).toMatch(/-q\b.*-v\b/);
  });

  for (const name of Object.keys(commands)) {
    it(name, async () => {
      const { command } = await commands[name]!.load();
      expect(optionsOf(name).filter((option) => !new RegExp(`--${option}\\b`).test(command.help))).toEqual([]);
    });
  }
});
