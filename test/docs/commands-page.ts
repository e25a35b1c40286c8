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
  const { help } = (await commands.plan!.load()).command;
  return `# Commands and options

What \`stet COMMAND --help\` says, for all commands. A test makes this page from the program; after changing a help text, run \`npx vitest run test/docs -u\`.

| exit code | means |
|---|---|
| 0 | done; with \`--exit-code\`: nothing to do |
| 1 | an error, told in one line; nothing was changed |
| 2 | with \`--exit-code\`: an apply would change something |
| 3 | with \`--strict\`: done, but conflicts or kept edits remain |
| 4 | \`stet host\`: applied, but a unit did not come up |

Every command takes these options:

${block(common.exec(help)![0].split("\n").slice(2).join("\n"))}
${sections.join("\n")}`;
}

/** What every help says alike is on the page once. */
const common = /\ncommon options:\n(?: .*\n)+/;

function section({ name, help }: Command): string {
  return `## stet ${name}\n\n${block(help.replace(common, ""))}`;
}

function block(text: string): string {
  return `\`\`\`text\n${fitted(text, usualColumns).trimEnd()}\n\`\`\`\n`;
}
