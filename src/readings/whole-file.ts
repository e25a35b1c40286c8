import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { absent, type FileOrLink, type NextContent, octalMode, type PlaceContent } from "../core/content.ts";
import { InputError } from "../core/diagnostic.ts";
import { writes } from "../core/plan.ts";
import { field, mapOf, type Value } from "../core/value.ts";
import type { FileActual, FileDecision, FileDesired } from "../entries/file-entry.ts";
import { nodeOf } from "../formats/format.ts";
import type { Edited, Observed, Reading } from "./reading.ts";
import { asWritten, inOurSpelling, inSpellingOf, SingleEntry } from "./single-entry.ts";
import { substituteText, type Template, type Variables } from "./template.ts";

/** A file (or link) that is one entry: its content, and its mode. */
export interface WholeFile {
  readonly path: string;
  /** The path below its folder's target; undefined for a file of its own. */
  readonly name: string | undefined;
  /** Whether both sides' changes are merged by line, with variables substituted. Otherwise the content is one thing. */
  readonly byLine: boolean;
  /** Which part of a mode counts: none where files have no such modes (Windows). */
  readonly modes: Modes;
}

type Modes = "all" | "executable" | "none";

/** Longer contents are held by their hash alone: nobody merges them by line, and records stay small. */
const longestText = 256 * 1024;

/** A whole file. Its value is `{ text, mode }`, `{ sha256, mode }` where it is no text, or `{ link }`. */
export function wholeFileReading({ path, name = basename(path), byLine, modes }: WholeFile): Reading {
  const normalise = (value: Value): Value => normalised(value, byLine, modes);
  const one = new SingleEntry("file", name, byLine ? "file" : "whole-file", normalise);
  return {
    ...asWritten,
    normalise: (_type, value) => normalise(value),
    hashed: (_type, value) => normalise(value),
    recorded: (_key, record) => one.recorded(record),
    ownsLink: ({ desired, recorded: known }) =>
      [...desired, ...known].some(({ value }) => field(value, "link") !== undefined),
    desired(template, variables) {
      const { value, bytes } = wantedFile(template, byLine ? variables : new Map());
      return { entries: [{ ...one.desired(value), written: inBase64(value, bytes), bytes }], diagnostics: [] };
    },
    observe(content, { desired }) {
      const value = valueAt(content);
      const text = field(value, "text") as string | undefined;
      const there = { comments: [], path: [], steps: [], node: nodeOf(text ?? "") };
      const bytes = content.kind === "file" ? content.bytes : undefined;
      const actual: FileActual[] =
        value === undefined ? [] : [{ ...one.entry(value), ...there, text: inBase64(value, bytes) }];
      const blocked = new Map(desired.filter(isWithoutBytes).map(({ match }) => [match, bytesMissing]));
      return { content, text, actual, blocked };
    },
    edit(observed, [decision]): Edited {
      const nothing = { content: undefined, containers: {}, traces: new Map() };
      if (decision === undefined || !writes(decision.outcome, decision.actual)) return nothing;
      return { ...nothing, content: nextContent(observed, decision, path, byLine) };
    },
  };
}

/** Bytes that are no text, as records keep them beside the hash: not where there are many. */
function inBase64(value: Value, bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length > longestText || field(value, "sha256") === undefined) return undefined;
  return Buffer.from(bytes).toString("base64");
}

/** Wanted by a record that holds only the hash. */
function isWithoutBytes({ value, bytes, written }: FileDesired): boolean {
  return bytes === undefined && written === undefined && field(value, "sha256") !== undefined;
}

const bytesMissing = "its bytes are not on record; apply its pack again";

/** Without line ends of a text that is merged by line, and without the part of the mode that does not count. */
function normalised(value: Value, byLine: boolean, modes: Modes): Value {
  const [text, mode] = [field(value, "text"), normalMode(field(value, "mode"), modes)];
  if (!byLine && modes === "all") return value;
  const spelt = typeof text === "string" && byLine ? inOurSpelling(text) : text;
  return mapOf([
    ...(spelt === undefined ? [] : [["text", spelt] as const]),
    ...["sha256", "link"].flatMap((name) =>
      field(value, name) === undefined ? [] : [[name, field(value, name)!] as const],
    ),
    ...(mode === undefined ? [] : [["mode", mode] as const]),
  ]);
}

function normalMode(mode: Value | undefined, modes: Modes): Value | undefined {
  if (mode === undefined || modes === "none") return undefined;
  return modes === "all" ? mode : (Number.parseInt(String(mode), 8) & 0o100) === 0 ? "0644" : "0755";
}

/** What a template wants to stand there. `bytes`: to write where the value holds only their hash. */
function wantedFile(template: Template, variables: Variables): { value: Value; bytes: Uint8Array | undefined } {
  if (template.kind === "link") return { value: { link: template.target }, bytes: undefined };
  if (template.kind === "data") {
    const message = "this is a whole file, so its template must be a text or bytes";
    throw new InputError({ code: "malformed-template", message, file: template.name });
  }
  const bytes = template.kind === "bytes" ? template.bytes : Buffer.from(substituteText(template.text, variables));
  return { value: fileValue(bytes, template.mode ?? 0o644), bytes };
}

function valueAt(content: PlaceContent): Value | undefined {
  if (content.kind === "absent") return undefined;
  return content.kind === "link" ? hashedValue(content, "") : fileValue(content.bytes, content.mode);
}

function fileValue(bytes: Uint8Array, mode: number): Value {
  if (bytes.length <= longestText && isUtf8(bytes))
    return { text: Buffer.from(bytes).toString("utf8"), mode: octalMode(mode) };
  return hashedValue({ kind: "file", mode }, createHash("sha256").update(bytes).digest("hex"));
}

/** A file by the hash of its bytes, or a link: all that a domain has to know which never merges contents. */
export function hashedValue(content: Content, sha256: string): Value {
  return content.kind === "link" ? { link: content.target } : { sha256, mode: octalMode(content.mode) };
}

type Content = Extract<FileOrLink, { kind: "link" }> | Pick<Extract<FileOrLink, { kind: "file" }>, "kind" | "mode">;

function nextContent({ content }: Observed, decision: FileDecision, path: string, byLine: boolean): NextContent {
  const { result } = decision.outcome;
  if (result === undefined) return absent;
  const link = field(result, "link");
  if (typeof link === "string") return { kind: "link", target: link };
  const mode = { exact: Number.parseInt(String(field(result, "mode") ?? "0644"), 8) };
  const text = field(result, "text");
  if (typeof text === "string") {
    const before =
      byLine && content.kind === "file" && isUtf8(content.bytes)
        ? Buffer.from(content.bytes).toString("utf8")
        : undefined;
    return { kind: "file", bytes: Buffer.from(before === undefined ? text : inSpellingOf(before, text)), mode };
  }
  return { kind: "file", bytes: bytesOf(result, bytesInHand(content, decision), path), mode };
}

/** All contents that a value may be the hash of: the template's, what is there, and what records keep. */
function bytesInHand(content: PlaceContent, { desired, recorded, actual }: FileDecision): Uint8Array[] {
  const kept = [desired?.written, recorded?.found?.text, recorded?.written, actual?.text].filter(
    (text) => text !== undefined,
  );
  return [
    ...(desired?.bytes ? [desired.bytes] : []),
    ...(content.kind === "file" ? [content.bytes] : []),
    ...kept.map((text) => Buffer.from(text, "base64")),
  ];
}

function bytesOf(value: Value, inHand: readonly Uint8Array[], path: string): Uint8Array {
  const hash = field(value, "sha256");
  const found = inHand.find((bytes) => field(fileValue(bytes, 0), "sha256") === hash);
  if (found !== undefined) return found;
  throw new InputError({ code: "edit-refused", message: `${bytesMissing}; nothing was written`, file: path });
}
