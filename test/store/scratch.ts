import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own for a test, gone afterwards. Its real path: on some systems the temporary folder is a link. */
export function scratchFolder(parent = os.tmpdir()): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(parent, "stet-store-")));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The same in memory where the system has that: for tests that commit hundreds of times and would wait for the disk
 * each time.
 */
export function quickFolder(): string {
  return scratchFolder(fs.existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir());
}

/** Every file below a folder with what can be seen of it: to compare before and after. */
export function snapshot(folder: string): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const place = path.join(folder, name);
    const status = fs.lstatSync(place, { bigint: true });
    const content = status.isFile()
      ? fs.readFileSync(place, "hex")
      : status.isSymbolicLink()
        ? fs.readlinkSync(place)
        : "";
    seen[name] = `${status.ino} ${status.mode} ${status.mtimeNs} ${content}`;
  }
  return seen;
}

/** The temporary files below a folder: there must be none once a run is through. */
export function tempsBelow(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"));
}
