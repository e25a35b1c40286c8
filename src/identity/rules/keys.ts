declare const entryKey: unique symbol;

/**
 * The name of an entry, as reports show it and records keep it: `type:part:part`. Made by `keyText` and `settingKey`
 * only. For showing and storing; entries are compared by `match` (see `identify.ts`), which is the same text with every
 * path resolved.
 */
export type EntryKey = string & { readonly [entryKey]: true };

/** What no rule covers is of this type; no rule may take the name. */
export const settingType = "setting";

export type ParsedKey =
  | { readonly kind: "key"; readonly type: string; readonly parts: readonly string[] }
  | { readonly kind: "malformed"; readonly message: string };

/** `:` and `\` inside a part are escaped by `\`, so that parts never run into each other. */
export function keyText(type: string, parts: readonly string[]): EntryKey {
  let text = type;
  for (const part of parts) text += `:${escapePart(part)}`;
  return text as EntryKey;
}

export function parseKey(text: string): ParsedKey {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === ":") {
      parts.push(part);
      part = "";
    } else if (char === "\\") {
      if (at + 1 === text.length)
        return malformed(text, "it ends with a single \\; write a backslash inside a key as \\\\");
      part += text.charAt(++at);
    } else part += char;
  }
  parts.push(part);
  const [type = "", ...rest] = parts;
  if (type === "" || rest.length === 0) return malformed(text, "a key reads type:part, for example setting:env.PATH");
  return { kind: "key", type, parts: rest };
}

export function settingKey(segments: readonly string[]): EntryKey {
  return keyText(settingType, [dottedPath(segments)]);
}

const isOdd = /[."]/;

/**
 * `a.b."c.d"`: the names of maps from the root; a name with a dot or a quote in it, or an empty one, stands in quotes.
 */
export function dottedPath(segments: readonly string[]): string {
  return segments.reduce(dottedStep, "");
}

/** The path of what has this name in the map at another; that of the root is empty. */
export function dottedStep(path: string, name: string): string {
  const segment = name === "" || isOdd.test(name) ? quoteSegment(name) : name;
  return path === "" ? segment : `${path}.${segment}`;
}

export type ParsedPath =
  | { readonly kind: "path"; readonly segments: readonly Segment[] }
  | { readonly kind: "malformed"; readonly message: string };

/** A name of a dotted path, and whether it stood in quotes (a quoted one means nothing but itself). */
export interface Segment {
  readonly text: string;
  readonly quoted: boolean;
}

/** Reads what `dottedPath` writes. Outside quotes a backslash is a character like any other. */
export function parseDottedPath(text: string): ParsedPath {
  const segments: Segment[] = [];
  for (let at = 0; ; ) {
    const read = text.charAt(at) === '"' ? readQuoted(text, at) : readPlain(text, at);
    if (typeof read === "string") return malformed(text, read);
    segments.push(read.segment);
    if (read.end === text.length) return { kind: "path", segments };
    if (text.charAt(read.end) !== ".") return malformed(text, "after a closing quote only a dot may follow");
    at = read.end + 1;
  }
}

function readPlain(text: string, start: number): { segment: Segment; end: number } | string {
  const dot = text.indexOf(".", start);
  const end = dot === -1 ? text.length : dot;
  const segment = text.slice(start, end);
  if (segment === "") return 'a name is empty; an empty name is written ""';
  if (segment.includes('"')) return 'there is a quote inside a name; write the whole name in quotes, "like \\" this"';
  return { segment: { text: segment, quoted: false }, end };
}

/** The quoted name that starts at `start`, and where it ends; or what is wrong with it. */
export function readQuoted(text: string, start: number): { segment: Segment; end: number } | string {
  let segment = "";
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { segment: { text: segment, quoted: true }, end: at + 1 };
    segment += char === "\\" ? text.charAt(++at) : char;
  }
  return "a quote is not closed";
}

function quoteSegment(segment: string): string {
  return `"${segment.replace(/["\\]/g, "\\$&")}"`;
}

function escapePart(part: string): string {
  return part.includes(":") || part.includes("\\") ? part.replace(/[:\\]/g, "\\$&") : part;
}

function malformed(text: string, why: string): { readonly kind: "malformed"; readonly message: string } {
  return { kind: "malformed", message: `${JSON.stringify(text)}: ${why}` };
}
