import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** What a careful program does anyway: a temporary file, on the disk, renamed, and the name on the disk. */
export function writeSafely(file, text) {
  const temp = `${file}.tmp`;
  const out = openSync(temp, "w");
  writeSync(out, text);
  fsyncSync(out);
  closeSync(out);
  renameSync(temp, file);
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}
