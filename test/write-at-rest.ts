import fs from "node:fs";

/** Writes a file as if that had been a while ago: a run waits for files that were changed in the last moments. */
export function writeAtRest(file: string, content: string | Uint8Array, options: fs.WriteFileOptions = {}): void {
  fs.writeFileSync(file, content, options);
  putAtRest(file);
}

/** The same for a file that somebody else has just written. */
export function putAtRest(file: string): void {
  const before = Date.now() / 1000 - 60;
  fs.utimesSync(file, before, before);
}
