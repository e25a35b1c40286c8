import { expect, it } from "vitest";
import { commands } from "../../src/cli/main.ts";
import type { Command } from "../../src/cli/shell/command.ts";
import { commandsPage } from "./commands-page.ts";

it("docs/commands.md says what the commands say of themselves", async () => {
  await expect(await commandsPage()).toMatchFileSnapshot("../../docs/commands.md");
});

async function everyCommand(): Promise<Command[]> {
  const top = await Promise.all(Object.values(commands).map(async ({ load }) => (await load()).command));
  const below = top.flatMap((command) => Object.values(command.commands ?? {}));
  return [...top, ...(await Promise.all(below.map(async ({ load }) => (await load()).command)))];
}

it("every option that the parser takes says what it does", async () => {
  for (const { name, options, help, commands: below } of await everyCommand()) {
    if (below !== undefined) continue;
    for (const [option, { help: text }] of Object.entries(options).filter(([each]) => each !== "help")) {
      expect(text, `${name} --${option}`).toBeTruthy();
      expect(help).toMatch(new RegExp(`--${option}\\b`));
    }
  }
});
