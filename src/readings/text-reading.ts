import { absent, type NextContent, type PlaceContent } from "../core/content.ts";
import type { FileDecision, KnownPlace } from "../entries/file-entry.ts";
import type { Edited, Observed, Reading, SoughtKey } from "./reading.ts";
import { decodeText } from "./text.ts";

/** A reading of text: entries, a block, or lines. The text undefined: there is no file, or it goes. */
export interface TextReading extends Omit<Reading, "observe" | "edit" | "ownsLink"> {
  observe(text: string | undefined, sought: SoughtKey): Omit<Observed, "content">;
  edit(observed: Omit<Observed, "content">, decisions: readonly FileDecision[], known: KnownPlace): EditedText;
}

export interface EditedText extends Omit<Edited, "content"> {
  readonly text: string | undefined;
}

/** Permissions of a file that we create and nobody has a word on; the user's umask takes its part away. */
const newFileMode = 0o666;

/** The reading of a file's bytes that a reading of text makes. Links are followed, and a file keeps the mode it has. */
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
    identity: (key) => text.identity(key),
    normalise: (type, value) => text.normalise(type, value),
    hashed: (type, value) => text.hashed(type, value),
    position: (type) => text.position(type),
    ownsLink: () => false,
    observe: (content, sought) => ({ content, ...text.observe(textOf(content, path), sought) }),
    edit(observed, decisions, known) {
      const { text: next, ...edited } = text.edit(observed, decisions, known);
      return { ...edited, content: next === observed.text ? undefined : contentOf(next, decisions) };
    },
  };
}

function textOf(content: PlaceContent, path: string): string | undefined {
  return content.kind === "file" ? decodeText(content.bytes, path) : undefined;
}

function contentOf(text: string | undefined, decisions: readonly FileDecision[]): NextContent {
  if (text === undefined) return absent;
  const asked = decisions.find(({ desired }) => desired?.newFileMode !== undefined)?.desired?.newFileMode;
  return { kind: "file", bytes: Buffer.from(text), mode: { created: asked ?? newFileMode } };
}
