import type { commands } from "../main.ts";

/** What `stet` alone says: the commands, and where to go on. */
export function overview(program: string, table: typeof commands): string {
  const width = Math.max(...Object.keys(table).map((name) => name.length));
  const rows = Object.entries(table).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `${program} keeps configuration current when it has more than one owner, and never loses what a person wrote.

usage: ${program} COMMAND [options]

${rows.join("\n")}

  ${program} COMMAND --help   its options, with an example
  ${program} demo             the story in one minute
`;
}

/** Options that every command has, for its help. */
export const commonHelp = `
common options:
  --json             one JSON document on standard output
  --home DIR         the home that ~ means
  --state-dir DIR    where stet remembers
  --set NAME=VALUE   a variable of the manifest
  --show-secrets     do not mask values that look secret
  --no-color, -q, -v
`;
