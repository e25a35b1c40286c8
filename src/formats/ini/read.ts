import { Fault } from "../fault.ts";
import type { LineContent, LineEntry, LineScanner } from "../lined/read.ts";
import { lineEnd, nextLine, skipBlanks } from "../lines.ts";
import type { Dialect } from "./dialect.ts";

export interface IniEntry extends LineEntry {
  /** Between name and value; empty where the name stands alone. */
  readonly delimiter: string;
  /** Whether comments stand between the lines of the value. */
  readonly hasInnerComment: boolean;
}

export function iniScanner(dialect: Dialect): LineScanner<IniEntry> {
  return (text, start) => {
    const end = lineEnd(text, start);
    const joined = dialect.quotes ? joinedEnd(text, start, end, dialect) : end;
    const content = contentOf(text, start, joined, dialect);
    if (content.kind === "section") return { content, end, rest: restBehind(text, start, end, dialect) };
    if (content.kind !== "entry" || !dialect.indentContinues) return { content, end: joined };
    const last = indentedEnd(text, start, end, dialect);
    return { content: last === end ? content : entryOf(text, skipBlanks(text, start), last, dialect), end: last };
  };
}

function contentOf(text: string, start: number, end: number, dialect: Dialect): LineContent<IniEntry> {
  const at = skipBlanks(text, start);
  if (at === end) return { kind: "blank" };
  if (dialect.comments.includes(text[at]!)) return { kind: "comment" };
  return text[at] === "[" ? sectionOf(text, at, end, dialect) : entryOf(text, at, end, dialect);
}

function sectionOf(
  text: string,
  at: number,
  end: number,
  { header, comments, quotes }: Dialect,
): LineContent<IniEntry> {
  const line = trimmedEnd(text.slice(at, end));
  const { name, behind = "" } = header.exec(line)?.groups ?? {};
  if (name === undefined) {
    const isClosed = line.includes("]");
    throw new Fault(
      `a section's name is not ${isClosed ? "written in a way we can read" : "closed"}; write [name]`,
      at,
    );
  }
  const rest = trimmed(behind);
  if (rest !== "" && !comments.includes(rest[0]!) && !quotes)
    throw new Fault("text after a section's name; put it on a line of its own", at + line.length - rest.length);
  return { kind: "section", name: trimmed(name) };
}

/** git reads on behind a header: a name, or one more header. */
function restBehind(
  text: string,
  start: number,
  end: number,
  { header, comments, quotes }: Dialect,
): number | undefined {
  const at = skipBlanks(text, start);
  const behind = header.exec(text.slice(at, end))?.groups?.behind ?? "";
  const rest = skipBlanks(text, end - behind.length);
  return quotes && rest < end && !comments.includes(text[rest]!) ? rest : undefined;
}

function entryOf(text: string, at: number, end: number, dialect: Dialect): LineContent<IniEntry> {
  const line = text.slice(at, end);
  const sign = line.search(dialect.delimiters === "=" ? /=/ : /[=:]/);
  const name = trimmedEnd(sign === -1 ? line : line.slice(0, sign));
  if (name === "") throw new Fault("a value without a name; write name = value", at);
  if (dialect.quotes && !/^[A-Za-z][A-Za-z0-9-]*$/.test(name))
    throw new Fault(`${JSON.stringify(name)} can't be a name; git knows letters, digits and dashes`, at);
  const bare = at + name.length;
  // Some programs take a name alone for a switch that is on.
  if (sign === -1 && dialect.indentContinues) throw new Fault(`${name} has no value; write ${name} = value`, at);
  if (sign === -1) {
    const entry = { name, value: "true", range: { start: at, end: bare }, valueRange: { start: bare, end: bare } };
    return { kind: "entry", ...entry, delimiter: "", commentStart: undefined, hasInnerComment: false };
  }
  const valueStart = skipBlanks(text, at + sign + 1);
  const { value, length, comment, hasInnerComment = false } = readValue(text.slice(valueStart, end), dialect);
  if (value === undefined)
    throw new Fault(`the value of ${name} has a quote or a backslash that git can't read`, valueStart);
  const from = length === 0 ? at + sign + 1 : valueStart;
  const valueRange = { start: from, end: length === 0 ? from : valueStart + length };
  const commentStart = comment === undefined ? undefined : valueStart + comment;
  return {
    kind: "entry",
    name,
    value,
    range: { start: at, end: valueRange.end },
    valueRange,
    delimiter: text.slice(bare, from),
    commentStart,
    hasInnerComment,
  };
}

interface ReadValue {
  /** Undefined: a quote never ends. */
  readonly value: string | undefined;
  readonly length: number;
  readonly comment: number | undefined;
  readonly hasInnerComment?: boolean;
}

function readValue(written: string, { quotes, comments }: Dialect): ReadValue {
  if (quotes) return readQuoted(written);
  const kept = trimmedEnd(written);
  const [first = "", ...others] = kept.split(/\r?\n/).map(trimmed);
  const lines = others.filter((line) => line === "" || !comments.includes(line[0]!));
  const hasInnerComment = lines.length < others.length;
  return { value: [first, ...lines].join("\n"), length: kept.length, comment: undefined, hasInnerComment };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\\": "\\", '"': '"' };

/** A value as git reads it. */
function readQuoted(written: string): ReadValue {
  let [value, kept, length, quoted] = ["", 0, 0, false];
  for (let at = 0; at < written.length; at++) {
    const char = written[at]!;
    if (char === "\\") {
      const next = written[at + 1] ?? "";
      const lineBreak = /^\r?\n/.exec(written.slice(at + 1))?.[0];
      if (lineBreak === undefined && escapes[next] === undefined)
        return { value: undefined, length, comment: undefined };
      if (lineBreak === undefined) value += escapes[next];
      at += lineBreak === undefined ? 1 : lineBreak.length;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === "#" || char === ";")) return { value: value.slice(0, kept), length, comment: at };
    // Blanks before anything else are none of the value, also where it begins in the next line.
    else if (quoted || value !== "" || (char !== " " && char !== "\t")) value += char;
    if (quoted || (char !== " " && char !== "\t")) [kept, length] = [value.length, Math.min(at + 1, written.length)];
  }
  return { value: quoted ? undefined : value.slice(0, kept), length, comment: undefined };
}

/** Where a value of git's ends that backslashes join to the next lines; a comment ends with its own. */
function joinedEnd(text: string, start: number, end: number, { comments }: Dialect): number {
  const first = text[skipBlanks(text, start)] ?? "";
  const sign = text.slice(start, end).indexOf("=");
  if (sign === -1 || first === "[" || comments.includes(first)) return end;
  let isQuoted = false;
  for (let at = start + sign + 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\n") return text[at - 1] === "\r" ? at - 1 : at;
    if (char === "\\") at += text.startsWith("\r\n", at + 1) ? 2 : 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === "#" || char === ";")) return lineEnd(text, at);
  }
  return text.length;
}

/** Where a value of Python's ends: lines that stand further in belong to it. */
function indentedEnd(text: string, start: number, end: number, { comments }: Dialect): number {
  let last = end;
  const indent = skipBlanks(text, start) - start;
  for (let at = nextLine(text, last); at < text.length; at = nextLine(text, at)) {
    const stop = lineEnd(text, at);
    const first = skipBlanks(text, at);
    // Blank lines and comments are between its lines where one more of them follows.
    if (first === stop || comments.includes(text[first]!)) continue;
    if (first - at <= indent) break;
    last = stop;
  }
  return last;
}

/** Without blanks at the ends. Not by `trim`: what else Unicode calls a blank is a letter like any other here. */
function trimmed(text: string): string {
  return trimmedEnd(text).replace(/^[ \t]+/, "");
}

function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return text.slice(0, end);
}
