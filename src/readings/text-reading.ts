import { isAscii } from "node:buffer";
import { absent, type NextContent } from "../core/content.ts";
import { InputError } from "../core/diagnostic.ts";
import { firstReached } from "../core/search.ts";
import type { FileDecision, KnownPlace } from "../entries/file-entry.ts";
import type { Edited, Observed, Reading, SoughtKey } from "./reading.ts";

/** A reading of text: entries, a block, or lines. An undefined text is a file that is not there, or that goes. */
export interface TextReading extends Omit<Reading, "observe" | "edit" | "ownsLink"> {
  observe(text: string | undefined, sought: SoughtKey): Omit<Observed, "content">;
  edit(observed: Omit<Observed, "content">, decisions: readonly FileDecision[], known: KnownPlace): EditedText;
}

export interface EditedText extends Omit<Edited, "content"> {
  readonly text: string | undefined;
}

/** The mode of a new file that nobody has asked one for, before the user's umask. */
const newFileMode = 0o666;

/** A reading of text as a reading of content. Links are followed, and a file keeps its mode. */
export function readingOfText(path: string, text: TextReading): Reading {
  return {
    desired(template, variables, before) {
      const wanted = text.desired(template, variables, before);
      const mode = template.kind === "text" ? template.mode : undefined;
      return mode === undefined
        ? wanted
        : { ...wanted, entries: wanted.entries.map((entry) => ({ ...entry, newFileMode: mode })) };
    },
    recorded: (key, record) => text.recorded(key, record),
    finds: (record) => text.finds(record),
    identity: (key) => text.identity(key),
    normalise: (type, value) => text.normalise(type, value),
    hashed: (type, value) => text.hashed(type, value),
    position: (type) => text.position(type),
    ownsLink: () => false,
    observe(content, sought) {
      const found = content.kind === "file" ? decodeText(content.bytes, path) : undefined;
      return { content, ...text.observe(found, sought) };
    },
    edit(observed, decisions, known) {
      const { text: next, ...edited } = text.edit(observed, decisions, known);
      return { ...edited, content: next === observed.text ? undefined : contentOf(next, decisions) };
    },
  };
}

function contentOf(text: string | undefined, decisions: readonly FileDecision[]): NextContent {
  if (text === undefined) return absent;
  const asked = decisions.find(({ desired }) => desired?.newFileMode !== undefined)?.desired?.newFileMode;
  return { kind: "file", bytes: Buffer.from(text), mode: { created: asked ?? newFileMode } };
}

/** The text of a file with its byte-order mark. What is not UTF-8 would come back changed, so it is refused. */
export function decodeText(bytes: Uint8Array, file: string): string {
  // Most files are ASCII, and then nothing has to be decoded.
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const { line, column } = firstBadByte(bytes);
    throw new InputError({
      code: "not-utf8",
      message: "this is not UTF-8 text; convert it, or take it out of the manifest",
      file,
      line,
      column,
    });
  }
}

/** By halving: all before the first bad byte decodes. Streaming, so a character may be cut in two. */
function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  const decodes = (length: number) => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  const good = firstReached(bytes.length, (length) => !decodes(length)) - 1;
  const lines = new TextDecoder("utf-8").decode(bytes.subarray(0, good)).split("\n");
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}
