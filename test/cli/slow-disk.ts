import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/**
 * A disk that answers the first request to keep a file safe only when told to: the whole thread waits for it. For
 * `NODE_OPTIONS`.
 */
export function slowDisk(folder: string): { readonly options: string; answer(): void } {
  const [gate, program] = [path.join(folder, "gate"), path.join(folder, "slow-disk.cjs")];
  execFileSync("mkfifo", [gate]);
  fs.writeFileSync(
    program,
    `const fs = require("node:fs");
const { fsyncSync } = fs;
fs.fsyncSync = (fd) => {
  fs.fsyncSync = fsyncSync;
  fs.readFileSync(${JSON.stringify(gate)});
  fsyncSync(fd);
};
`,
  );
  return { options: `--require ${program}`, answer: () => fs.writeFileSync(gate, "") };
}
