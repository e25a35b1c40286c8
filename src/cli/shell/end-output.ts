import fs from "node:fs";

/**
 * Standard output takes no more. A reader that has seen enough (`stet plan | head`) is no error; a disk that is full is
 * one.
 */
export function endOutput(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(0);
  fs.writeSync(2, `stet: can't write to standard output: ${error.message}\n`);
  process.exit(1);
}
