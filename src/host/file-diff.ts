import { changesBytes, type PlanFile } from "../core/plan-document.ts";
import type { Reader } from "../store/gate/gate.ts";
import { unifiedDiff } from "../text/diff-lines.ts";
import type { Content } from "./evaluate/evaluation.ts";
import { contentMode } from "./evaluate/evaluation-document.ts";
import { type FileDecision, pathOf } from "./file-decision.ts";
import { observe } from "./observe.ts";
import { type HostTarget, placeUnder } from "./target.ts";

/** A side of a comparison: nothing, a link, or bytes with a mode. */
export type Side =
  | { readonly kind: "absent" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly mode: string };

/** What becomes of one file, for people. */
export function planFile(decision: FileDecision, content: Content | undefined, reader: Reader, target: HostTarget): PlanFile {
  const path = placeUnder(target.root, pathOf(decision));
  if (!changesBytes(decision)) return { path, action: "none", diff: "" };
  const { real, seen } = observe(reader, target.root, pathOf(decision));
  const before: Side =
    seen.kind === "link"
      ? seen
      : seen.kind === "file"
        ? { kind: "file", bytes: reader.read(real) ?? new Uint8Array(0), mode: (reader.stat(real)?.mode ?? 0).toString(8).padStart(4, "0") }
        : { kind: "absent" };
  const after = decision.outcome.result === undefined ? { kind: "absent" as const } : sideOf(content);
  return {
    path,
    action: before.kind === "absent" ? "create" : after.kind === "absent" ? "delete" : "modify",
    diff: diffSides(path, before, after),
  };
}

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
