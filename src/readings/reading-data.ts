import { basename, isAbsolute } from "node:path";
import * as v from "valibot";
import { InputError } from "../core/diagnostic.ts";
import type { Policy } from "../core/policy.ts";
import type { PlaceRecord } from "../core/records.ts";
import type { DocumentSelector } from "../formats/format.ts";
import { iniDialect } from "../formats/ini/dialect.ts";
import type { Rule } from "../identity/rules/rule.ts";

export const formatNames = ["json", "jsonc", "yaml", "toml", "dotenv", "ini", "text"] as const;
export type FormatName = (typeof formatNames)[number];
export const strategies = ["entries", "block", "merge", "whole"] as const;
export type Strategy = (typeof strategies)[number];

/** How a file is read, as data: kept in the registry, so that most commands need no manifest. */
export interface ReadingData {
  readonly format: FormatName;
  readonly strategy: Strategy;
  readonly rules: readonly Rule[];
  /** The manifest's and the profile's policies for this file; the user's own are read each time. */
  readonly policies: readonly Policy[];
  /** Of a file in a folder that is a target: its path below it. The whole file is one entry then. */
  readonly name?: string | undefined;
  /** For a whole file in Git, which keeps only the execute bit of a mode. */
  readonly modes?: "executable" | undefined;
  /** Of a file with several YAML documents: which of them. With a list, keys begin with the document's label. */
  readonly in?: DocumentSelector | readonly DocumentSelector[] | undefined;
}

export function isSelectors(selected: ReadingData["in"]): selected is readonly DocumentSelector[] {
  return Array.isArray(selected);
}

const text = v.pipe(v.string(), v.minLength(1, "must not be empty"));
const part = v.union([text, v.array(text)]);

export const ruleSchema = v.strictObject({
  type: v.pipe(v.string(), v.regex(/^[A-Za-z][A-Za-z0-9_-]*$/, "a type is one word")),
  at: text,
  key: v.array(part),
  pair: v.optional(v.array(part)),
  position: v.optional(v.literal("end")),
  single: v.optional(v.literal(true)),
});

export const ruleListSchema = v.array(ruleSchema);

export const selectorSchema = v.record(text, v.union([v.string(), v.number(), v.boolean()]));

/**
 * How a file is read, as the registry keeps it. The fields stand in the order in which evaluating a pack names them, so
 * that whoever works from records writes the same text.
 */
const readingSchema = v.looseObject({
  format: v.picklist(formatNames),
  strategy: v.picklist(strategies),
  rules: v.array(ruleSchema),
  policies: v.array(
    v.looseObject({
      match: v.string(),
      whenDeleted: v.optional(v.picklist(["restore", "respect"])),
      whenEdited: v.optional(v.picklist(["merge", "keep", "overwrite"])),
      whenPresent: v.optional(v.picklist(["keep", "adopt"])),
      ignore: v.optional(v.array(v.string())),
      createOnly: v.optional(v.boolean()),
      onUninstall: v.optional(v.picklist(["keep", "remove"])),
    }),
  ),
  name: v.optional(v.string()),
  modes: v.optional(v.literal("executable")),
  in: v.optional(v.union([v.array(selectorSchema), selectorSchema])),
});

/**
 * The part of a record that says how to read its file. A registry somebody damaged is refused, never guessed at.
 * `registry`: its path.
 */
export function recordedReading(section: string, record: PlaceRecord, registry: () => string): ReadingData {
  const parsed = v.safeParse(readingSchema, record.reading);
  const anchored = isAbsolute(section) || /^~(?:$|[/\\])/.test(section);
  if (parsed.success && anchored) return parsed.output;
  const what = parsed.success ? "is not an absolute path" : "is damaged";
  const message = `the record of ${section} ${what}; restore the registry from a backup, or move it away to start over, which makes every entry yours`;
  throw new InputError({ code: "invalid-registry", message, file: registry() });
}

const byExtension: ReadonlyMap<string, FormatName> = new Map([
  ["json", "json"],
  ["jsonc", "jsonc"],
  ["json5", "jsonc"],
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["toml", "toml"],
  ["env", "dotenv"],
]);

export function formatFor(path: string): FormatName {
  const name = basename(path);
  if (name === ".env" || name.startsWith(".env.")) return "dotenv";
  if (iniDialect(path)) return "ini";
  const dot = name.lastIndexOf(".");
  return (dot > 0 ? byExtension.get(name.slice(dot + 1).toLowerCase()) : undefined) ?? "text";
}

/** The format of texts nobody has named, by how they begin and what their lines look like; `text` where in doubt. */
export function guessFormat(texts: readonly string[]): FormatName {
  const text = texts.find((each) => each.trim() !== "") ?? "";
  if (/^\uFEFF?\s*(?:\/[/*]|[{[]\s*(?:["}\]{[/]|-?\d|true|false|null))/.test(text)) return "json";
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\s*#/.test(line));
  if (lines.length === 0) return "text";
  if (lines.every((line) => /^(?:export\s+)?[A-Z_][A-Z0-9_]*=/.test(line))) return "dotenv";
  if (/^\s*(?:\[{1,2}[^\]]+\]{1,2}\s*(?:#.*)?$|["\w.-]+\s*=\s*\S)/.test(lines[0]!)) return "toml";
  return /^(?:---\s*$|- |["'\w./-]+\s*:(?:\s|$))/.test(lines[0]!) ? "yaml" : "text";
}
