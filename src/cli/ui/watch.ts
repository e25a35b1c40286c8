import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Twice a second: a file edited elsewhere shows at once, and a look at some thousand times costs little. */
const lookMs = 500;

/** How many files of a repository are looked at. */
const mostFiles = 20_000;

/** Tells of every change of files, and of those that come and go with the folders they lie in, until it is stopped. */
export async function watchFiles(
  files: () => Promise<readonly string[]>,
  tell: () => void,
  stop: AbortSignal,
): Promise<void> {
  let known = await files().catch(() => []);
  let before = stampsOf(known);
  while (!stop.aborted) {
    await pause(lookMs, undefined, { signal: stop }).catch(() => undefined);
    if (stampsOf(known) === before) continue;
    tell();
    known = await files().catch(() => known);
    before = stampsOf(known);
  }
}

/** When files changed last; one that is gone has changed, too. */
export function stampsOf(files: readonly string[]): string {
  return files.map((file) => `${file} ${stampOf(file)}`).join("\n");
}

export function changedSince(files: readonly string[], time: number): boolean {
  return files.some((file) => (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= time);
}

function stampOf(file: string): string {
  const status = fs.statSync(file, { throwIfNoEntry: false });
  return status === undefined ? "gone" : `${status.mtimeMs} ${status.size} ${status.ino}`;
}

/** The folders and files of a repository; of Git's own, what says which commit is checked out. */
export function filesBelow(folder: string): string[] {
  const found = [folder, join(folder, ".git/HEAD"), join(folder, ".git/logs/HEAD")];
  const open = [folder];
  for (let at = open.pop(); at !== undefined && found.length < mostFiles; at = open.pop()) {
    for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
      if (entry.name === ".git") continue;
      const path = join(at, entry.name);
      found.push(path);
      if (entry.isDirectory()) open.push(path);
    }
  }
  return found;
}
