import { InputError } from "../core/diagnostic.ts";
import type { Format } from "../formats/format.ts";
import { iniDialect } from "../formats/ini/dialect.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { compileRules } from "../identity/rules/compile-rules.ts";
import type { Reading } from "./reading.ts";
import { type FormatName, isSelectors, type ReadingData } from "./reading-data.ts";
import { readingOfText } from "./text-reading.ts";

export interface ReadingContext {
  readonly owner: string;
  readonly path: string;
  readonly context: PathContext;
}

/** Asynchronous, to load only the parsers this file needs. */
export async function openReading(data: ReadingData, { owner, path, context }: ReadingContext): Promise<Reading> {
  if (data.strategy === "block") return readingOfText(path, (await import("./block.ts")).blockReading(path, owner));
  if (data.strategy === "whole" || data.name !== undefined) {
    const { wholeFileReading } = await import("./whole-file.ts");
    const modes = context.platform === "win32" ? "none" : (data.modes ?? "all");
    return wholeFileReading({ path, name: data.name, byLine: data.strategy !== "whole", modes });
  }
  if (data.strategy === "merge")
    return readingOfText(path, (await import("./single-entry.ts")).mergedTextReading(path));
  if (data.format === "text")
    throw new InputError({
      code: "no-entries",
      message: `${path} is plain text, which has no entries; use strategy block or merge`,
    });
  const { EntriesReading } = await import("./entries.ts");
  const compiled = compileRules(data.rules);
  if (compiled.kind === "malformed") throw new InputError({ code: "invalid-rule", message: compiled.message });
  const format = await loadFormat(data.format, path);
  const selected = data.in && (await selectedFormat(data.in, data.format, path));
  return readingOfText(
    path,
    new EntriesReading({ file: path, format: selected ?? format, templates: format, rules: compiled.rules, context }),
  );
}

async function selectedFormat(
  selected: NonNullable<ReadingData["in"]>,
  format: FormatName,
  path: string,
): Promise<Format> {
  if (format === "yaml") {
    const { yamlDocument, yamlDocuments } = await import("../formats/yaml/documents.ts");
    return isSelectors(selected) ? yamlDocuments(selected) : yamlDocument(selected);
  }
  const message = `${path}: in is for YAML files with several documents, and this is not YAML`;
  throw new InputError({ code: "invalid-manifest", message });
}

/** `path`: whose file it is, where a format has dialects. */
export async function loadFormat(name: Exclude<FormatName, "text">, path = ""): Promise<Format> {
  switch (name) {
    case "json":
    case "jsonc":
      return (await import("../formats/json/json.ts")).json;
    case "yaml":
      return (await import("../formats/yaml/yaml.ts")).yaml;
    case "toml":
      return (await import("../formats/toml/toml.ts")).toml;
    case "dotenv":
      return (await import("../formats/dotenv/dotenv.ts")).dotenv;
    case "ini": {
      const { ini, iniFormat } = await import("../formats/ini/ini.ts");
      const dialect = iniDialect(path);
      return dialect ? iniFormat(dialect) : ini;
    }
  }
}
