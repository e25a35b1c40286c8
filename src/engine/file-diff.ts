import { isUtf8 } from "node:buffer";
import type { NextContent, PlaceContent } from "../core/content.ts";
import type { PlanFile } from "../core/plan-document.ts";
import { unifiedDiff } from "../text/diff-lines.ts";

type Content = PlaceContent | NextContent;

/** What becomes of a file, for the report. */
export function planFile(path: string, before: Content, after: Content): PlanFile {
  let diff: string | undefined;
  return {
    path,
    action: actionOf(before, after),
    // Only when somebody looks: a diff of a huge file costs more than changing it.
    get diff() {
      diff ??= isSameContent(before, after) ? "" : diffOf(path, before, after);
      return diff;
    },
  };
}

function actionOf(before: Content, after: Content): PlanFile["action"] {
  if (isSameContent(before, after)) return "none";
  return before.kind === "absent" ? "create" : after.kind === "absent" ? "delete" : "modify";
}

/** Whether nothing would be written. */
export function isSameContent(before: Content, after: Content): boolean {
  if (before === after) return true;
  if (before.kind === "file" && after.kind === "file")
    return sameBytes(before.bytes, after.bytes) && !changesMode(before, after);
  return before.kind === "link" && after.kind === "link" ? before.target === after.target : before.kind === after.kind;
}

/**
 * The ends first: most changes of a huge file are near one of them, and going through all of it takes as long as
 * writing it.
 */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return (
    a.length === b.length &&
    Buffer.compare(a.subarray(-nearTheEnd), b.subarray(-nearTheEnd)) === 0 &&
    Buffer.compare(a, b) === 0
  );
}

const nearTheEnd = 1 << 16;

function changesMode(before: Content & { kind: "file" }, after: Content & { kind: "file" }): boolean {
  return typeof after.mode === "object" && "exact" in after.mode && after.mode.exact !== modeOf(before);
}

function modeOf({ mode }: Content & { kind: "file" }): number {
  if (typeof mode === "number") return mode;
  return "exact" in mode ? mode.exact : mode.created;
}

function diffOf(path: string, before: Content, after: Content): string {
  const [from, to] = [before.kind === "absent" ? "/dev/null" : path, after.kind === "absent" ? "/dev/null" : path];
  const isSameText = before.kind === "file" && after.kind === "file" && sameBytes(before.bytes, after.bytes);
  const modes = before.kind === "file" && after.kind === "file" && changesMode(before, after);
  const mode = modes ? `old mode ${modeOf(before).toString(8)}\nnew mode ${modeOf(after).toString(8)}\n` : "";
  return isSameText ? mode : mode + contentDiff(textOf(before), textOf(after), { from, to });
}

function contentDiff(
  old: string | undefined,
  next: string | undefined,
  { from, to }: { from: string; to: string },
): string {
  return old === undefined || next === undefined
    ? `Binary files ${from} and ${to} differ\n`
    : unifiedDiff(old, next, { from, to });
}

/** Undefined where it is no text. */
function textOf(content: Content): string | undefined {
  if (content.kind === "absent") return "";
  if (content.kind === "link") return content.target;
  return isUtf8(content.bytes) && !content.bytes.includes(0) ? Buffer.from(content.bytes).toString("utf8") : undefined;
}
