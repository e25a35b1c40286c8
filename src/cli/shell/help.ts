import type { CommandTable } from "./command.ts";

/** What `stet help` says: the commands by what people come for, and where to go on. */
export function overview(program: string, table: CommandTable): string {
  const width = Math.max(...Object.keys(table).map((name) => name.length));
  const rows = Object.entries(table).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `${program} keeps configuration current when it has more than one owner, and never loses what a person wrote.

usage: ${program} COMMAND [options]

${rows.join("\n")}

  ${program} COMMAND --help   its options, with an example
  ${program} demo             the story in one minute
`;
}
