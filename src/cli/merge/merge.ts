import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { ConflictingTexts, MergeResult } from "../../merge/merge-texts.ts";
import { maskValue } from "../../report/mask/mask.ts";
import { writeAtomically } from "../../store/transaction/atomic.ts";
import { conflictStyles } from "../../text/merge-file.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { type CommonValues, machineOf } from "../shell/options.ts";
import { isUtf8, readAs, readFiles } from "./texts.ts";

/** `merge` is git's word for the usual markers. */
const choices = ["mine", "theirs", "markers", "json", ...conflictStyles] as const;
type Choice = (typeof choices)[number];

export const command = defineCommand({
  name: "merge",
  usage: "BASE MINE THEIRS | --install | --uninstall",
  argument: "file",
  most: 3,
  about: `Merges two changes of one file, entry by entry, and prints the result. JSON, YAML, TOML, INI and .env files
are merged by name and value, everything else line by line as git does. Where THEIRS changed nothing, MINE
keeps its text, comments and order. Keeps no records.`,
  options: {
    output: { type: "string", value: "FILE", help: "write the result to FILE (MINE itself, for a merge driver)" },
    path: { type: "string", value: "NAME", help: "the file these are versions of: decides format and profile" },
    rules: { type: "string", value: "FILE", help: "how to tell items of lists apart: rules as in stet.yaml" },
    conflict: {
      type: "string",
      value: "HOW",
      help: "mine, theirs, json, markers (default), or diff3 or zdiff3: markers with the base, as git writes them",
    },
    "marker-size": { type: "string", value: "N", help: "the length of a conflict marker (default: 7)" },
    label: {
      type: "string",
      short: "L",
      multiple: true,
      value: "NAME",
      help: "the names after the markers, as in git merge-file: for MINE, then BASE, then THEIRS",
    },
    install: { type: "boolean", help: "make stet the merge driver of this Git repository" },
    uninstall: { type: "boolean", help: "remove the driver again, byte for byte" },
    formats: {
      type: "string",
      value: "LIST",
      help: "with --install: only these formats (default: json,jsonc,yaml,toml,dotenv,ini)",
    },
  },
  notes: `exit code 1: there are conflicts, shown between git's markers or as --conflict says (mine and theirs settle
them: 0). 255: an error, as in git merge-file; no file is changed. One of the files may be -, which reads
standard input.`,
  errorCode: (args) => (args.includes("--install") || args.includes("--uninstall") ? 1 : 255),
  example: "stet merge base.json mine.json theirs.json --output mine.json",
  async run({ values, positionals }, io) {
    if (values.install || values.uninstall) return (await import("./install.ts")).installDriver(values, io);
    const [base, mine, theirs] = positionals;
    if (mine === undefined || theirs === undefined)
      throw new InputError({ code: "usage", message: `name three files: ${io.program} merge BASE MINE THEIRS` });
    const choice = choiceOf(values.json ? "json" : values.conflict);
    const size = markerSize(values["marker-size"]);
    const bytes = await readFiles(positionals, io);
    const binary = bytes.findIndex(isBinary);
    if (binary !== -1)
      throw new InputError({
        code: "binary-file",
        message: "binary files can't be merged",
        file: values.path ?? positionals[binary]!,
      });
    const encoding = bytes.every(isUtf8) ? "utf8" : "latin1";
    const texts = bytes.map((each) => each.toString(encoding)) as [string, string, string];
    const { mergeTexts } = await import("../../merge/merge-texts.ts");
    const path = encoding === "latin1" ? "text" : values.path;
    const as = await readAs({ path, file: mine, rules: values.rules }, texts, values, io);
    const [own, old, other] = values.label ?? [];
    const markers = {
      mine: labelOf(own, mine),
      base: labelOf(old, base!),
      theirs: labelOf(other, theirs),
      size,
      style: conflictStyles.find((style) => style === choice),
    };
    const result = mergeTexts(...texts, { ...as, markers });
    const output = values.output === undefined || values.output === "-" ? undefined : resolve(io.cwd, values.output);
    return write(result, choice, { encoding, output }, values, io);
  },
});

function choiceOf(text: string | undefined): Choice {
  const found = choices.find((choice) => choice === (text ?? "markers"));
  if (found) return found;
  throw new InputError({
    code: "usage",
    message: `--conflict ${text}: use mine, theirs, json, markers, diff3 or zdiff3`,
  });
}

function markerSize(text: string | undefined): number {
  const size = Number(text ?? 7);
  if (Number.isInteger(size) && size > 0 && size < 1000) return size;
  throw new InputError({ code: "usage", message: `--marker-size ${text}: use a number` });
}

/** A version of git that does not know the place-holders for names leaves them as they are. */
function labelOf(text: string | undefined, file: string): string {
  const names: Readonly<Record<string, string>> = { "%X": "ours", "%S": "base", "%Y": "theirs" };
  return text === undefined ? file : (names[text] ?? text);
}

/** As git tells them. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0);
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
  if (text !== undefined && output !== undefined) writeOutput(output, Buffer.from(text, encoding), values, io);
  else if (text !== undefined && choice !== "json" && encoding === "utf8") io.out(text);
  else if (text !== undefined && choice !== "json" && io.outBytes) io.outBytes(Buffer.from(text, encoding));
  else if (text !== undefined && choice !== "json")
    throw new InputError({
      code: "not-utf8",
      message: "these files are not UTF-8; name a file for the result with --output FILE",
    });
  return conflict === undefined || choice === "mine" || choice === "theirs" ? 0 : 1;
}

/** What is no regular file, such as a pipe, can only be written to. */
function writeOutput(output: string, bytes: Uint8Array, values: CommonValues, io: Io): void {
  const { gate } = machineOf(values, io);
  const there = gate.stat(gate.realPath(output));
  if (there?.kind === "other") writeFileSync(output, bytes);
  else writeAtomically(gate, output, bytes, 0o666);
}

/** Undefined: nothing is written, as with a document of conflicts to be settled elsewhere. */
function textFor(conflict: ConflictingTexts, choice: Choice): string | undefined {
  if (choice === "json") return undefined;
  if (choice !== "mine" && choice !== "theirs") return conflict.text;
  const text = conflict[choice];
  if (text !== undefined) return text;
  throw new InputError({
    code: "unsettled-merge",
    message: `taking ${choice} does not settle every conflict here; merge with markers and settle them by hand`,
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
