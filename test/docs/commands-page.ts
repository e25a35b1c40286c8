import { commands } from "../../src/cli/main.ts";
import type { Command } from "../../src/cli/shell/command.ts";
import { fitted, usualColumns } from "../../src/report/fit.ts";

/** `docs/commands.md`: what each command's `--help` says, in one place. */
export async function commandsPage(): Promise<string> {
  const sections = await Promise.all(
    Object.values(commands).map(async ({ load }) => {
      const { command } = await load();
      const below = await Promise.all(
        Object.values(command.commands ?? {}).map(async (each) => (await each.load()).command),
      );
      return [command, ...below.filter(({ name }) => name !== command.name)].map(section).join("\n");
    }),
  );
  return `# Commands and options

What \`stet COMMAND --help\` says, for all commands. Exit codes: 0 done; 1 an error, told in one line, and nothing was changed; 2 with \`--exit-code\`: an apply would change
something; 3 with \`--strict\`: done, but conflicts or kept edits remain; 4 \`stet host\`: applied, but a unit did not come up.

A test makes this page from the program. After changing a help text run \`npx vitest run test/docs -u\`.

${sections.join("\n")}`;
}

function section({ name, help }: Command): string {
  return `## stet ${name}\n\n\`\`\`text\n${fitted(help, usualColumns).trimEnd()}\n\`\`\`\n`;
}
