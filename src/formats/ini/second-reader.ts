import { trailing } from "../../text/lines.ts";
import type { Dialect } from "./dialect.ts";

/** The text as plain data, read in another way than by the scanner: edits are verified with it. Throws at faults. */
export function readIniIndependently(text: string, dialect: Dialect): Record<string, unknown> {
  const { folding } = dialect;
  const root = Object.create(null) as Record<string, unknown>;
  let into = root;
  /** By what programs take for the same name: the name as it is spelt first. */
  const sections = new Map<string, string>();
  const names = new Map<object, Map<string, string>>();
  let last: { readonly holder: Record<string, unknown>; readonly name: string; readonly indent: number } | undefined;
  let blanks = "";
  // The next one is the last: taking the first of many moves all the others.
  const lines = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .reverse();
  while (lines.length > 0) {
    let line = lines.pop()!;
    const trimmed = bare(line);
    const indent = /^[ \t]*/.exec(line)![0].length;
    if (trimmed === "") blanks += "\n";
    if (trimmed === "" || dialect.comments.includes(trimmed[0]!)) continue;
    if (dialect.indentContinues && last && indent > last.indent) {
      last.holder[last.name] = `${last.holder[last.name] as string}${blanks}\n${trimmed}`;
      blanks = "";
      continue;
    }
    blanks = "";
    const header = trimmed.startsWith("[") ? dialect.header.exec(trimmed)?.groups : undefined;
    if (header) {
      const name = spelling(sections, bare(header.name!), folding.section);
      root[name] ??= Object.create(null);
      const found = root[name];
      if (typeof found !== "object") throw new Error(`${name} is a name and a section`);
      into = found as Record<string, unknown>;
      last = undefined;
      if (dialect.quotes && header.behind !== undefined) lines.push(header.behind);
      continue;
    }
    while (dialect.quotes && goesOn(line) && lines.length > 0) line = `${line.slice(0, -1)}\n${lines.pop()!}`;
    const [, name = "", value] =
      (dialect.delimiters === "=" ? /^([^=]*)(?:=(.*))?$/s : /^([^=:]*)(?:[=:](.*))?$/s).exec(bare(line)) ?? [];
    const known = names.get(into) ?? new Map<string, string>();
    names.set(into, known);
    const key = spelling(known, bare(name), folding.entry);
    if (key === "" || typeof into[key] === "object") throw new Error("a value without a name of its own");
    into[key] = value === undefined ? "true" : dialect.quotes ? gitValue(value) : bare(value);
    last = { holder: into, name: key, indent };
  }
  return root;
}

function spelling(known: Map<string, string>, name: string, fold: (name: string) => string): string {
  const first = known.get(fold(name)) ?? name;
  known.set(fold(name), first);
  return first;
}

/** Whether the line ends in an odd number of backslashes outside a comment, and so goes on in the next. */
function goesOn(line: string): boolean {
  const outside = line.replace(/\\./g, "  ").replace(/"[^"]*"/g, (quoted) => " ".repeat(quoted.length));
  const slashes = trailing(line, "\\");
  return slashes % 2 === 1 && !/[#;]/.test(outside);
}

const pieces =
  /\\(?<escaped>.)|"(?<quoted>(?:[^"\\]|\\.)*)"|(?<comment>[#;].*)|(?<blank>[ \t]+)|(?<join>\n)|(?<plain>[^\\"#; \t\n]+)/gs;

function gitValue(written: string): string {
  let value = "";
  let blanks = "";
  for (const { groups = {} } of written.matchAll(pieces)) {
    if (groups.comment !== undefined) break;
    if (groups.blank !== undefined) {
      blanks += groups.blank;
      continue;
    }
    // Blanks before a line that goes on are a part of the value, whatever comes then.
    const quoted = groups.join === undefined ? groups.quoted?.replaceAll("\n", "") : "";
    const text = groups.plain ?? quoted ?? `\\${groups.escaped}`;
    value += (value === "" ? "" : blanks) + (groups.plain === undefined ? unescaped(text) : text);
    blanks = "";
  }
  return value;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, char: string) => ({ n: "\n", t: "\t", b: "\b" })[char] ?? char);
}

function bare(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, "");
}
