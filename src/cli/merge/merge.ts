import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { ConflictingTexts, MergeResult } from "../../merge/merge-texts.ts";
import { maskValue } from "../../report/mask/mask.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import type { CommonValues } from "../shell/options.ts";
import { readAs, readBytes } from "./texts.ts";

const choices = ["mine", "theirs", "markers", "json"] as const;
type Choice = (typeof choices)[number];

export const command = defineCommand({
  name: "merge",
  usage: "BASE MINE THEIRS | --install | --uninstall",
  argument: "file",
  most: 3,
  about: `Merges what two sides made of one file, entry by entry, and prints the result: JSON, YAML, TOML and .env
files by their names and values, everything else line by line as git does. What MINE says stands where
THEIRS changed nothing, with its comments and its order. Keeps no records.`,
  options: {
    output: { type: "string", value: "FILE", help: "write the result there (MINE itself, for a merge driver)" },
    path: { type: "string", value: "NAME", help: "the file that the texts stand for: says format and profile" },
    rules: { type: "string", value: "FILE", help: "what tells the items of lists apart: rules as in stet.yaml" },
    conflict: { type: "string", value: "HOW", help: "mine, theirs, markers (default) or json" },
    "marker-size": { type: "string", value: "N", help: "how many signs a conflict marker has (default 7)" },
    install: { type: "boolean", help: "make this the merge driver of the repository here" },
    uninstall: { type: "boolean", help: "take the driver out again, byte for byte" },
    formats: {
      type: "string",
      value: "LIST",
      help: "with --install: for these formats (default json,jsonc,yaml,toml,dotenv)",
    },
  },
  notes: `exit code 1: there are conflicts; they are between git's markers, or as --conflict says (with mine and
theirs they are settled: 0).`,
  example: "stet merge base.json mine.json theirs.json --output mine.json",
  async run({ values, positionals }, io) {
    if (values.install || values.uninstall) return (await import("./install.ts")).installDriver(values, io);
    const [base, mine, theirs] = positionals.map((file) => resolve(io.cwd, file));
    if (base === undefined || mine === undefined || theirs === undefined)
      throw new InputError({ code: "usage", message: `name three files: ${io.program} merge BASE MINE THEIRS` });
    const choice = choiceOf(values.json ? "json" : values.conflict);
    const bytes = [base, mine, theirs].map(readBytes);
    const encoding = bytes.every(isUtf8) ? "utf8" : "latin1";
    const texts = bytes.map((each) => each.toString(encoding)) as [string, string, string];
    const { mergeTexts } = await import("../../merge/merge-texts.ts");
    const path = encoding === "latin1" ? "text" : values.path;
    const as = await readAs({ path, file: positionals[1]!, rules: values.rules }, texts, values, io);
    const markers = { mine: positionals[1]!, theirs: positionals[2]!, size: markerSize(values["marker-size"]) };
    const result = mergeTexts(...texts, { ...as, markers });
    return write(result, choice, { encoding, output: values.output && resolve(io.cwd, values.output) }, values, io);
  },
});

function choiceOf(text: string | undefined): Choice {
  const found = choices.find((choice) => choice === (text ?? "markers"));
  if (found) return found;
  throw new InputError({ code: "usage", message: `--conflict ${text}: say mine, theirs, markers or json` });
}

function markerSize(text: string | undefined): number {
  const size = Number(text ?? 7);
  if (Number.isInteger(size) && size > 0 && size < 1000) return size;
  throw new InputError({ code: "usage", message: `--marker-size ${text}: say a number` });
}

interface Target {
  readonly encoding: "utf8" | "latin1";
  readonly output: string | undefined;
}

function write(
  result: MergeResult,
  choice: Choice,
  { encoding, output }: Target,
  values: CommonValues,
  io: Io,
): number {
  const conflict = result.kind === "conflict" ? result : undefined;
  if (choice === "json") io.out(`${JSON.stringify(documentOf(result, values), undefined, 2)}\n`);
  const text = conflict === undefined ? result.text : textFor(conflict, choice);
  if (text !== undefined && output !== undefined) writeFileSync(output, Buffer.from(text, encoding));
  else if (text !== undefined && choice !== "json" && encoding === "utf8") io.out(text);
  else if (text !== undefined && choice !== "json")
    throw new InputError({
      code: "not-utf8",
      message: "these files are not UTF-8; say where the result goes with --output FILE",
    });
  return conflict === undefined || choice === "mine" || choice === "theirs" ? 0 : 1;
}

/** Undefined: nothing is written, as with a document of conflicts to be settled elsewhere. */
function textFor(conflict: ConflictingTexts, choice: Choice): string | undefined {
  if (choice === "json") return undefined;
  if (choice === "markers") return conflict.text;
  const text = conflict[choice];
  if (text !== undefined) return text;
  throw new InputError({
    code: "unsettled-merge",
    message: `the two sides can't be joined with ${choice} in every conflict; merge with markers and settle it by hand`,
  });
}

function documentOf(result: MergeResult, values: CommonValues): object {
  const shown = (value: Parameters<typeof maskValue>[0] | undefined, name: string) =>
    value === undefined || values["show-secrets"] ? value : maskValue(value, name);
  const conflicts = result.kind === "conflict" ? result.conflicts : [];
  return {
    format_version: 1,
    merged: result.kind === "merged",
    conflicts: conflicts.map(({ path, base, mine, theirs }) => {
      const name = path.at(-1) ?? "";
      return { path, base: shown(base, name), mine: shown(mine, name), theirs: shown(theirs, name) };
    }),
  };
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}
