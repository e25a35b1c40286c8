import type { CommandTable } from "./command.ts";
import type { Io } from "./io.ts";

/** Put in by `scripts/bundle.mjs`. */
declare const STET_VERSION: string | undefined;

/** The version, and as JSON also what it runs on. A framework's program says its own, and stet's in the JSON. */
export function versionText({ manifest, platform }: Io, asJson: boolean): string {
  const stet = typeof STET_VERSION === "undefined" ? "0.0.0" : STET_VERSION;
  const { name, version } = manifest ?? { name: "stet", version: stet };
  if (!asJson) return `${version}\n`;
  const { node } = process.versions;
  return `${JSON.stringify({ format_version: 1, name, version, stet, node, platform, arch: process.arch }, undefined, 2)}\n`;
}

/** What `stet help` says: the commands by what people come for, and where to go on. */
export function overview(program: string, table: CommandTable): string {
  const width = Math.max(...Object.keys(table).map((name) => name.length));
  const rows = Object.entries(table).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `${program} keeps configuration current when it has more than one owner, and never loses what a person wrote.

usage: ${program} COMMAND [options]

${rows.join("\n")}

  ${program} COMMAND --help   its options, with an example
  ${program} demo             the story in one minute
  ${program} --version        with --json, also what it runs on
`;
}
