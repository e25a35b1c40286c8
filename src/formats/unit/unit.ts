/**
 * Unit files, read as the program that acts on them does. systemd and podman's Quadlet generator disagree about
 * continuation lines, blank lines in them, byte order marks and what is an error, so there are two scanners. Units are
 * whole files to stet: nothing here writes.
 */
export type UnitDialect = "systemd" | "quadlet";

export interface ScannedUnit {
  /** In the order of the text; a section that is opened twice stands here twice. */
  readonly sections: readonly SectionHeader[];
  readonly assignments: readonly Assignment[];
  readonly problems: readonly UnitProblem[];
}

export interface SectionHeader {
  readonly name: string;
  readonly line: number;
}

export interface Assignment {
  readonly section: string;
  readonly key: string;
  /** Continuation lines joined as the dialect joins them, no space around it. */
  readonly value: string;
  /** Where the key stands, from 1. */
  readonly line: number;
  readonly column: number;
}

export interface UnitProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A line after continuations are joined, with the place of its first part. */
interface LogicalLine {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

const byteOrderMark = "\u{feff}";

export function scanUnit(text: string, dialect: UnitDialect): ScannedUnit {
  const sections: SectionHeader[] = [];
  const assignments: Assignment[] = [];
  const problems: UnitProblem[] = [];
  let section: string | undefined;
  for (const logical of dialect === "systemd" ? systemdLines(text) : quadletLines(text)) {
    const { line, column } = logical;
    const read = dialect === "systemd" ? readSystemdLine(logical.text) : readQuadletLine(logical.text);
    if (read.kind === "problem") problems.push({ message: read.message, line, column });
    else if (read.kind === "section") {
      section = read.name;
      sections.push({ name: read.name, line });
    } else if (section === undefined)
      problems.push({ message: `${read.key}= comes before any [section]`, line, column });
    else assignments.push({ section, key: read.key, value: read.value, line, column });
  }
  return { sections, assignments, problems };
}

type ReadLine =
  | { readonly kind: "section"; readonly name: string }
  | { readonly kind: "assignment"; readonly key: string; readonly value: string }
  | { readonly kind: "problem"; readonly message: string };

/**
 * systemd: a backslash becomes a space, a blank line ends the value, a second line keeps its indent, and `\\` at the
 * end is no continuation. The first byte order mark is skipped, whichever line it begins, but hides a comment.
 */
function* systemdLines(text: string): Iterable<LogicalLine> {
  let pending: { readonly parts: string[]; readonly line: number; readonly column: number } | undefined;
  let marked = false;
  let number = 0;
  for (const written of text.split(/(?:\r\n|\n\r|\n|\r)\0?|\0/)) {
    number++;
    if (isComment(trimStart(written, isPlainSpace))) continue;
    const skipsMark: boolean = !marked && written.startsWith(byteOrderMark);
    marked ||= skipsMark;
    const physical = skipsMark ? written.slice(1) : written;
    const unindented = trimStart(physical, isPlainSpace);
    pending ??= { parts: [], line: number, column: physical.length - unindented.length + 1 };
    if (endsInOpenBackslash(physical)) pending.parts.push(`${physical.slice(0, -1)} `);
    else {
      pending.parts.push(physical);
      yield* joined(pending);
      pending = undefined;
    }
  }
  if (pending) yield* joined(pending);
}

/** The parts as one line, unless it is blank. */
function* joined({
  parts,
  line,
  column,
}: {
  parts: readonly string[];
  line: number;
  column: number;
}): Iterable<LogicalLine> {
  const text = trim(parts.join(""), isPlainSpace);
  if (text !== "") yield { text, line, column };
}

/** Quadlet trims lines, joins at a backslash without a space, and skips blank lines inside a value. */
function* quadletLines(text: string): Iterable<LogicalLine> {
  const physical = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  let pending: LogicalLine | undefined;
  for (const [index, raw] of physical.entries()) {
    const line = trim(raw, isUnicodeSpace);
    if (line === "" || isComment(line)) continue;
    const start = pending ?? { text: "", line: index + 1, column: raw.indexOf(line) + 1 };
    const continued = line.endsWith("\\");
    const joined = { ...start, text: start.text + (continued ? line.slice(0, -1) : line) };
    // What has been gathered so far counts as a continuation only where it is not empty: a lone backslash joins
    // nothing.
    if (continued && index < physical.length - 1) pending = joined.text === "" ? undefined : joined;
    else {
      pending = undefined;
      if (joined.text !== "") yield joined;
    }
  }
  // The generator silently drops a value whose continuation never comes.
  if (pending) yield { ...pending, text: danglingContinuation };
}

const danglingContinuation = "\\";

function readSystemdLine(line: string): ReadLine {
  if (line.startsWith("[")) {
    if (!line.endsWith("]"))
      return { kind: "problem", message: "this is not a section header: systemd refuses the whole file" };
    const name = line.slice(1, -1);
    if (/[\x01-\x1f\x7f"'\\]/.test(name))
      return {
        kind: "problem",
        message:
          "the name of a section can't contain quotes, backslashes or control characters: systemd refuses the whole file",
      };
    return { kind: "section", name };
  }
  const equals = line.indexOf("=");
  if (equals === -1) return { kind: "problem", message: 'this line has no "=": systemd ignores the line' };
  if (equals === 0) return { kind: "problem", message: 'this line has no key before "=": systemd ignores the line' };
  return {
    kind: "assignment",
    key: trim(line.slice(0, equals), isPlainSpace),
    value: trim(line.slice(equals + 1), isPlainSpace),
  };
}

/** Messages never quote the line: it may be a password whose name was forgotten. */
function readQuadletLine(line: string): ReadLine {
  if (line === danglingContinuation)
    return { kind: "problem", message: "the value ends in a backslash with nothing after it: podman drops it" };
  const close = line.indexOf("]");
  if (line.startsWith("[") && close !== -1 && trim(line.slice(close + 1), isPlainSpace) === "") {
    const name = line.slice(1, close);
    return name === "" || name.includes("[") || /\p{Cc}/u.test(name)
      ? { kind: "problem", message: "this is not a section name: podman refuses the whole file" }
      : { kind: "section", name };
  }
  const equals = line.indexOf("=");
  if (equals < 1)
    return {
      kind: "problem",
      message: "this is neither a section, a key=value nor a comment: podman refuses the whole file",
    };
  return {
    kind: "assignment",
    key: trim(line.slice(0, equals), isUnicodeSpace),
    value: trim(line.slice(equals + 1), isUnicodeSpace),
  };
}

function isComment(line: string): boolean {
  return line.startsWith("#") || line.startsWith(";");
}

/** An odd number of backslashes at the end: the last one escapes the line's end and nothing else. */
function endsInOpenBackslash(line: string): boolean {
  let count = 0;
  while (count < line.length && line[line.length - 1 - count] === "\\") count++;
  return count % 2 === 1;
}

function isPlainSpace(character: string): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}

/** What Go's unicode.IsSpace calls space. The byte order mark is none of it, though JavaScript's trim() thinks so. */
function isUnicodeSpace(character: string): boolean {
  return character !== byteOrderMark && (character.trim() === "" || character === "\u{85}");
}

type IsSpace = (character: string) => boolean;

function trimStart(text: string, isSpace: IsSpace): string {
  let start = 0;
  while (start < text.length && isSpace(text[start]!)) start++;
  return text.slice(start);
}

function trim(text: string, isSpace: IsSpace): string {
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1]!)) end--;
  return trimStart(text.slice(0, end), isSpace);
}
