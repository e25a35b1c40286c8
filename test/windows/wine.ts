import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const cache = path.join(process.env.STET_TEST_CACHE ?? path.join(os.homedir(), ".cache", "stet-test"), "windows");

/** Node for Windows, of scripts/real/windows.sh. */
export const windowsNode = path.join(cache, "node.exe");

/** Runs a program for Windows. What it says goes through a file: Node under wine has no pipes. */
export async function onWindows(
  program: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-wine-"));
  const file = path.join(folder, "output.txt");
  const fd = fs.openSync(file, "w");
  const child = spawn(path.join(cache, "run"), [program, ...args], { stdio: ["ignore", fd, fd] });
  fs.closeSync(fd);
  try {
    const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("exit", resolve));
    return { code, output: fs.readFileSync(file, "utf8") };
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
