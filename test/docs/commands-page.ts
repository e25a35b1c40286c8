import { commands } from "../../src/cli/main.ts";

/** `docs/commands.md`: what each command's `--help` says, in one place. */
export async function commandsPage(): Promise<string> {
  const sections = await Promise.all(
    Object.values(commands).map(async ({ load }) => {
      const { command } = await load();
      return `## stet ${command.name}\n\n\`\`\`text\n${command.help.trimEnd()}\n\`\`\`\n`;
    }),
  );
  return `# Commands and options

What \`stet COMMAND --help\` says, for all commands. Exit codes: 0 done; 1 an error, told in one line, nothing was changed; 2 with \`--exit-code\`: an apply would change
something; 3 with \`--strict\`: done, but conflicts or kept edits remain; 4 \`stet host\`: applied, but a unit did not come up.

Made of the program by a test; after a change of a help run \`npx vitest run test/docs -u\`.

${sections.join("\n")}`;
}
