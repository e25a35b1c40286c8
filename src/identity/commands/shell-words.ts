import type { Platform } from "../paths/path-context.ts";

/**
 * A piece of a word: characters that mean themselves, a variable, or syntax we only carry along (a glob, a
 * substitution). A `~` that would mean the home, did it not stand in quotes, is a piece of its own.
 */
export type Atom =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tilde" }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "raw"; readonly text: string };

/** No atoms: an empty argument. */
export type Word = readonly Atom[];

export type Token =
  | { readonly kind: "word"; readonly word: Word }
  /** Between commands: `&&`, `|`, `;`, a parenthesis. */
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "redirection"; readonly operator: string; readonly target: Word };

/** Longest first. What stands here twice, in `redirections` too, takes the next word with it. */
const operators = [
  "&>>",
  "<<<",
  "&&",
  "||",
  ";;",
  "|&",
  "&>",
  ">>",
  ">|",
  ">&",
  "<&",
  "<>",
  "<<",
  "|",
  "&",
  ";",
  "(",
  ")",
  ">",
  "<",
];
const redirections = new Set(["&>>", "&>", "<<<", ">>", ">|", ">&", "<&", "<>", ">", "<"]);

/**
 * A command line as a shell would take it apart, or undefined where that is not certain: an open quote, a
 * here-document, `$'…'`. On Windows a backslash separates names and only escapes a quote, as programs there read their
 * command lines.
 */
export function splitCommand(text: string, platform: Platform): readonly Token[] | undefined {
  if (latest?.text !== text || latest.platform !== platform) latest = { text, platform, tokens: split(text, platform) };
  return latest.tokens;
}

/** A command is asked for in several forms, one after the other. */
let latest: { text: string; platform: Platform; tokens: readonly Token[] | undefined } | undefined;

function split(text: string, platform: Platform): readonly Token[] | undefined {
  if (onlyPlain.test(text)) return plainTokens(text);
  if (text.includes("\0")) return undefined;
  const reader: Reader = { text, at: 0, escapes: platform !== "win32", last: "" };
  const tokens: Token[] = [];
  for (skipBlanks(reader); reader.at < text.length; skipBlanks(reader)) {
    const token = readToken(reader);
    if (token === undefined) return undefined;
    // Lines end like commands do; empty lines end nothing.
    if (token.kind === "operator" && token.text === "\n") {
      const last = tokens.at(-1);
      if (last !== undefined && last.kind !== "operator") tokens.push({ kind: "operator", text: ";" });
    } else tokens.push(token);
  }
  return tokens;
}

/** Words without quotes, variables or operators, as most commands are. */
const onlyPlain = /^[\w@%+=:,./~^ -]*$/;

function plainTokens(text: string): readonly Token[] {
  const words = text.split(" ").filter((word) => word !== "");
  return words.map((word) => ({ kind: "word", word: [{ kind: "text", text: word }] }));
}

interface Reader {
  readonly text: string;
  at: number;
  /** Whether a backslash takes the meaning from the next character. */
  readonly escapes: boolean;
  /** The last character that went into a word. Asked of the word itself, a long one would be copied each time. */
  last: string;
}

function skipBlanks(reader: Reader): void {
  for (; reader.at < reader.text.length; reader.at++) {
    const char = reader.text.charAt(reader.at);
    if (reader.escapes && char === "\\" && reader.text.charAt(reader.at + 1) === "\n") reader.at++;
    else if (char !== " " && char !== "\t" && !(char === "\r" && reader.text.charAt(reader.at + 1) === "\n")) return;
  }
}

function readToken(reader: Reader): Token | undefined {
  if (reader.text.charAt(reader.at) === "\n") {
    reader.at++;
    return { kind: "operator", text: "\n" };
  }
  const operator = operatorAt(reader);
  if (operator !== undefined) return readOperator(reader, operator, "");
  const word = readWord(reader);
  if (word === undefined) return undefined;
  // `2>file`: a number right before the sign says which stream.
  const [only] = word;
  const sign = operatorAt(reader);
  if (
    word.length === 1 &&
    only?.kind === "text" &&
    /^\d+$/.test(only.text) &&
    sign !== undefined &&
    /^[<>]/.test(sign)
  ) {
    return readOperator(reader, sign, only.text);
  }
  return { kind: "word", word };
}

function operatorAt({ text, at }: Reader): string | undefined {
  if (!"&|;<>()".includes(text.charAt(at))) return undefined;
  return operators.find((operator) => text.startsWith(operator, at));
}

function readOperator(reader: Reader, operator: string, stream: string): Token | undefined {
  const { text } = reader;
  reader.at += operator.length;
  if (operator === "<<") return undefined;
  if (!redirections.has(operator)) return { kind: "operator", text: operator };
  skipBlanks(reader);
  if (reader.at === text.length || text.charAt(reader.at) === "\n" || operatorAt(reader) !== undefined)
    return undefined;
  const target = readWord(reader);
  return target && { kind: "redirection", operator: stream + operator, target };
}

/** Characters that mean themselves everywhere: most of every command. */
const plainRun = /[\w@%+=:,./~^-]+/y;

function readWord(reader: Reader): Word | undefined {
  const word: Atom[] = [];
  const start = reader.at;
  let forWindows: boolean | undefined;
  for (; reader.at < reader.text.length; ) {
    plainRun.lastIndex = reader.at;
    const run = plainRun.exec(reader.text)?.[0];
    if (run !== undefined) {
      pushText(reader, word, run);
      reader.at += run.length;
      continue;
    }
    const char = reader.text.charAt(reader.at);
    if (char === " " || char === "\t" || char === "\n" || operatorAt(reader) !== undefined) break;
    if (char === "\r" && reader.text.charAt(reader.at + 1) === "\n") break;
    // What a backslash means is decided by what stands before the first: asked at each, a run of them would be read
    // over and over.
    if (char === "\\") forWindows ??= startsOnWindows(word);
    const escapable = reader.escapes && !forWindows ? undefined : "\"'";
    if (!(char === "\\" ? readBackslash(reader, word, escapable) : readPiece(reader, char, word, start)))
      return undefined;
  }
  return word;
}

/** One piece outside quotes that is no backslash. False where it never ends. */
function readPiece(reader: Reader, char: string, word: Atom[], start: number): boolean {
  if (char === "'") return readSingleQuoted(reader, word);
  if (char === '"') return readDoubleQuoted(reader, word);
  if (char === "$" || char === "`") return readDollar(reader, word, "");
  const active = /[*?[\]{}!]/.test(char) || (char === "#" && reader.at === start);
  if (active) word.push({ kind: "raw", text: char });
  else pushText(reader, word, char);
  reader.at++;
  return true;
}

/** `%USERPROFILE%\x` and `C:\x` were written for Windows, wherever they are read: their backslashes escape nothing. */
function startsOnWindows([first]: Word): boolean {
  return first?.kind === "text" && /^(?:%\w+%|[A-Za-z]:(?:\\|$))/.test(first.text);
}

function readSingleQuoted(reader: Reader, word: Atom[]): boolean {
  const end = reader.text.indexOf("'", reader.at + 1);
  if (end === -1) return false;
  pushQuoted(reader, word, reader.text.slice(reader.at + 1, end));
  reader.at = end + 1;
  return true;
}

/** Characters that mean themselves between double quotes. */
const quotedRun = /[^"$`\\]+/y;

function readDoubleQuoted(reader: Reader, word: Atom[]): boolean {
  for (reader.at++; reader.at < reader.text.length; ) {
    const char = reader.text.charAt(reader.at);
    if (char === '"') {
      reader.at++;
      return true;
    }
    if (char === "$" || char === "`") {
      if (!readDollar(reader, word, '"')) return false;
    } else if (char === "\\") {
      if (!readBackslash(reader, word, reader.escapes ? '"$`\\\n' : '"')) return false;
    } else {
      const run = matchAt(quotedRun, reader.text, reader.at)![0];
      pushQuoted(reader, word, run);
      reader.at += run.length;
    }
  }
  return false;
}

/**
 * A backslash before one of `escapable` (undefined: before anything) is gone; before anything else it is a backslash.
 */
function readBackslash(reader: Reader, word: Atom[], escapable: string | undefined): boolean {
  const next = reader.text.charAt(reader.at + 1);
  if (next === "" && escapable === undefined) return false;
  const escaped = next !== "" && (escapable === undefined || escapable.includes(next));
  if (!escaped) pushText(reader, word, "\\");
  else if (next !== "\n") pushQuoted(reader, word, next);
  reader.at += escaped ? 2 : 1;
  return true;
}

/** A variable, or a substitution that is carried along with the quotes around it: there they do matter. */
function readDollar(reader: Reader, word: Atom[], quote: string): boolean {
  const { text, at } = reader;
  const inPowerShell = reader.escapes ? null : matchAt(profileAt, text, at);
  const variable = inPowerShell ?? matchAt(variableAt, text, at);
  if (variable !== null) {
    word.push({ kind: "variable", name: inPowerShell ? "HOME" : (variable[1] ?? variable[2] ?? "") });
    reader.at += variable[0].length;
    return true;
  }
  const end = substitutionEnd(text, at);
  if (end === undefined || (quote === "" && /^\$['"]/.test(text.slice(at, at + 2)))) return false;
  if (end === at + 1) pushText(reader, word, "$");
  else word.push({ kind: "raw", text: quote + text.slice(at, end) + quote });
  reader.at = end;
  return true;
}

/** How PowerShell spells the home. */
const profileAt = /\$(?:env:USERPROFILE\b|\{env:USERPROFILE\})/iy;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const variableAt = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y;

/**
 * Where `$(…)`, `${…}`, a pair of backticks or `$?` ends; right behind the `$` if it is only a dollar; undefined if it
 * never ends.
 */
function substitutionEnd(text: string, at: number): number | undefined {
  const next = text.charAt(at + 1);
  if (text.charAt(at) === "`") {
    const end = text.indexOf("`", at + 1);
    return end === -1 ? undefined : end + 1;
  }
  if (next === "(") return closingEnd(text, at + 1, ")");
  if (next === "{") return closingEnd(text, at + 1, "}");
  return next !== "" && "0123456789?@*#$!-".includes(next) ? at + 2 : at + 1;
}

/** Looks through quotes and substitutions inside each other: `open` holds what must still close, innermost last. */
function closingEnd(text: string, at: number, close: ")" | "}"): number | undefined {
  const open: string[] = [close];
  for (let i = at + 1; i < text.length; i++) {
    const char = text.charAt(i);
    const innermost = open.at(-1);
    if (char === "\\") i++;
    else if (char === innermost) {
      open.pop();
      if (open.length === 0) return i + 1;
    } else if (char === '"') open.push('"');
    else if (char === "(" && (innermost === ")" || text.charAt(i - 1) === "$")) open.push(")");
    else if (char === "{" && text.charAt(i - 1) === "$") open.push("}");
    else if (char === "'" && innermost !== '"') {
      i = text.indexOf("'", i + 1);
      if (i === -1) return undefined;
    }
  }
  return undefined;
}

/** What stood in quotes, or behind a backslash: a `~` at the start of a path is a letter there. */
function pushQuoted(reader: Reader, word: Atom[], text: string): void {
  const last = word.at(-1);
  const isTilde = text.startsWith("~") && (last === undefined || (last.kind === "text" && reader.last === "="));
  if (isTilde) word.push({ kind: "tilde" });
  pushText(reader, word, isTilde ? text.slice(1) : text);
}

function pushText(reader: Reader, word: Atom[], text: string): void {
  if (text === "") return;
  const last = word.at(-1);
  reader.last = text.charAt(text.length - 1);
  if (last?.kind === "text") word[word.length - 1] = { kind: "text", text: last.text + text };
  else word.push({ kind: "text", text });
}
