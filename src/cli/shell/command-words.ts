import type { Command } from "./io.ts";

/** What of a command can be completed. Taken from its help, so that what is documented and what is completed are one. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWord[];
  readonly subcommands: readonly string[];
  /** What its arguments are. */
  readonly argument: "file" | "owner" | "nothing";
}

export interface OptionWord {
  readonly flag: string;
  readonly value: "nothing" | "folder" | "file" | "other";
}

export function wordsOf({ name, summary, help }: Command): CommandWords {
  const [usage = ""] = help.split("\n", 1);
  const listed = /^usage: \S+ \S+ ([a-z]+(?: \| [a-z]+)+)/.exec(usage)?.[1];
  const argument = /FILE|DIR|\.yaml/.test(usage) ? "file" : /NAME/.test(usage) ? "owner" : "nothing";
  return { name, summary, options: optionsIn(help), subcommands: listed?.split(" | ") ?? [], argument };
}

/** Every `--option` that a line of the help begins with, `--no-color, -q` included. */
function optionsIn(help: string): OptionWord[] {
  const found = new Map<string, OptionWord>();
  for (const line of help.split("\n")) {
    if (!/^ {2,}-/.test(line)) continue;
    const [left = ""] = line.trim().split(/ {2,}/);
    for (const match of left.matchAll(/(--[a-z][a-z-]*|-[a-zA-Z])(?: ([A-Z][A-Z=|]*))?/g)) {
      const [, flag = "", value] = match;
      if (!found.has(flag)) found.set(flag, { flag, value: valueKind(value) });
    }
  }
  return [...found.values()];
}

function valueKind(value: string | undefined): OptionWord["value"] {
  if (value === undefined) return "nothing";
  if (value.startsWith("DIR")) return "folder";
  return value.startsWith("FILE") ? "file" : "other";
}
