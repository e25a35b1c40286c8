import { unifiedDiff } from "../text/diff-lines.ts";
import type { Content } from "./evaluate/evaluation.ts";
import { contentMode } from "./evaluate/evaluation-document.ts";

/** A side of a comparison: nothing, a link, or bytes with a mode. */
export type Side =
  | { readonly kind: "absent" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly mode: string };

export function sideOf(content: Content | undefined): Side {
  if (content === undefined) return { kind: "absent" };
  return content.kind === "symlink"
    ? { kind: "link", target: content.target }
    : { kind: "file", bytes: content.bytes, mode: contentMode(content) };
}

export function diffSides(path: string, before: Side, after: Side): string {
  const from = before.kind === "absent" ? "/dev/null" : `a${path}`;
  const to = after.kind === "absent" ? "/dev/null" : `b${path}`;
  const mode =
    before.kind === "file" && after.kind === "file" && before.mode !== after.mode ? `mode ${before.mode} -> ${after.mode} ${path}\n` : "";
  if (isBinary(before) || isBinary(after)) return `${mode}Binary files ${from} and ${to} differ\n`;
  return mode + unifiedDiff(textOf(before), textOf(after), { from, to });
}

function isBinary(side: Side): boolean {
  return side.kind === "file" && side.bytes.includes(0);
}

function textOf(side: Side): string {
  if (side.kind === "absent") return "";
  return side.kind === "link" ? `symbolic link to ${side.target}\n` : Buffer.from(side.bytes).toString("utf8");
}
