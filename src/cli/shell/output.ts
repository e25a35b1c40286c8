// Standard output without Node's streams, where that is enough: to set them up takes a seventh of the time that Node
// needs to start.
import fs from "node:fs";

/**
 * Whether standard output (1) or standard error (2) is a terminal. What is no device is none; Windows does not always
 * let a standard file be looked at.
 */
export function isTerminal(fd: 1 | 2): boolean {
  if (process.platform !== "win32" && !fs.fstatSync(fd).isCharacterDevice()) return false;
  return (fd === 1 ? process.stdout : process.stderr).isTTY === true;
}

let stream: NodeJS.WriteStream | undefined;

/**
 * Prints to standard output. A pipe that is full has to be waited for, and a console of Windows to be told what letters
 * are: both are left to Node's stream, and so is everything that follows.
 */
export function print(text: string): void {
  printBytes(Buffer.from(text));
}

export function printBytes(bytes: Uint8Array): void {
  const written = stream === undefined && process.platform !== "win32" ? writeNow(bytes) : 0;
  if (written === bytes.length) return;
  stream ??= process.stdout.on("error", endOutput);
  stream.write(bytes.subarray(written));
}

/** How many bytes the system took at once. */
function writeNow(bytes: Uint8Array): number {
  let at = 0;
  try {
    while (at < bytes.length) at += fs.writeSync(1, bytes, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") endOutput(error as NodeJS.ErrnoException);
  }
  return at;
}

/**
 * Standard output takes no more. A reader that has seen enough (`stet plan | head`) is no error; a disk that is full is
 * one.
 */
function endOutput(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(0);
  fs.writeSync(2, `stet: can't write to standard output: ${error.message}\n`);
  process.exit(1);
}
