import { field, isMap, type Value } from "./value.ts";

/** What stands at a place: a file with its mode, a link, or nothing. */
export type PlaceContent =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly kind: "link"; readonly target: string };

/** What stands at a place where something does. */
export type FileOrLink = Exclude<PlaceContent, { readonly kind: "absent" }>;

/** What is to stand at a place. */
export type NextContent = { readonly kind: "absent" } | NextFile | { readonly kind: "link"; readonly target: string };

export interface NextFile {
  readonly kind: "file";
  readonly bytes: Uint8Array;
  /** `created`: for a new file, less the umask; one that exists keeps its own. `exact`: this, whatever was there. */
  readonly mode: { readonly created: number } | { readonly exact: number };
}

export const absent: { readonly kind: "absent" } = { kind: "absent" };

/** A content that is to stand at a place just so, whatever the umask. */
export function exactly(content: PlaceContent): NextContent {
  return content.kind === "file" ? { ...content, mode: { exact: content.mode } } : content;
}

/** As `ls` and records write a mode. */
export function octalMode(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** What is to stand there as it will be found, the umask left out. */
export function asContent(content: NextContent): PlaceContent {
  if (content.kind !== "file") return content;
  return {
    kind: "file",
    bytes: content.bytes,
    mode: "exact" in content.mode ? content.mode.exact : content.mode.created,
  };
}

/** The text that a value is, or that of the file it stands for; undefined where there is none. */
export function textOf(value: Value | undefined): string | undefined {
  const text = typeof value === "string" ? value : field(value, "text");
  return typeof text === "string" ? text : undefined;
}

/** A value like this one with another text. */
export function withText(value: Value | undefined, text: string): Value {
  return isMap(value) && textOf(value) !== undefined ? { ...value, text } : text;
}
