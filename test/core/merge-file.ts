import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { mergeFile as mergeFileOurselves } from "../../src/text/merge-file.ts";
import { mergeText, type TextConflict } from "../../src/text/merge-text.ts";
import type { TextVersions } from "./arbitrary-texts.ts";

const labels = { ours: "ours", base: "base", theirs: "theirs" };

function writeVersions(folder: string, { base, ours, theirs }: TextVersions): void {
  writeFileSync(join(folder, "base"), base);
  writeFileSync(join(folder, "ours"), ours);
  writeFileSync(join(folder, "theirs"), theirs);
}

/** The exit code is the number of conflicts; from 128 on it would be an error, such as git missing. */
function mergeFile(folder: string, ...options: string[]): { conflicts: number; text: string } {
  const args = [
    "merge-file",
    "-p",
    ...options,
    "-L",
    labels.ours,
    "-L",
    labels.base,
    "-L",
    labels.theirs,
    "ours",
    "base",
    "theirs",
  ];
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 1e8 });
  if (status === null || status > 127) throw new Error(`git merge-file failed: ${stderr}`);
  return { conflicts: status, text: stdout };
}

/**
 * Both in what conflicts and in every byte: of the merge, and of the copies with markers. `smallest`: also in which
 * lines of a conflict both sides have in common; where nearly all lines are alike there are many ways to tell, and git
 * takes another.
 */
export function expectAgreement(versions: TextVersions, { smallest = true } = {}): "merged" | "conflict" {
  const folder = mkdtempSync(join(tmpdir(), "stet-merge-"));
  try {
    return agreement(folder, versions, smallest);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function agreement(folder: string, versions: TextVersions, smallest: boolean): "merged" | "conflict" {
  writeVersions(folder, versions);
  const git = mergeFile(folder);
  const merge = mergeText(versions.base, versions.ours, versions.theirs);
  expect(merge.kind).toBe(git.conflicts === 0 ? "merged" : "conflict");
  const plain = mergeFileOurselves(versions.base, versions.ours, versions.theirs, {
    mine: labels.ours,
    theirs: labels.theirs,
  });
  expect(plain.conflicts > 0).toBe(git.conflicts > 0);
  if (smallest) expect(plain).toEqual({ text: git.text, conflicts: plain.conflicts });
  if (merge.kind === "merged") expect(merge.text).toBe(git.text);
  else expectSameMarkers(folder, versions, merge);
  return merge.kind;
}

/**
 * With `--diff3` git keeps a conflict that it settles without: one whose sides are equal, reached by different changes.
 * We settle it.
 */
function expectSameMarkers(folder: string, { base, ours, theirs }: TextVersions, conflict: TextConflict): void {
  for (const style of ["diff3", "zdiff3"] as const) {
    const git = mergeFile(folder, `--${style}`);
    const { text } = mergeFileOurselves(base, ours, theirs, { ...labels, mine: labels.ours, style });
    if (git.conflicts === Math.min(127, conflict.regions.length)) expect(text).toBe(git.text);
    else expect(git.conflicts).toBeGreaterThan(conflict.regions.length);
  }
}
