import type { FormatName } from "../readings/reading-data.ts";

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
