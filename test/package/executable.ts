import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";

const { version } = JSON.parse(fs.readFileSync("package.json", "utf8"));

/** Builds it into a folder; what is in it stands beside it. */
export function builtExecutable(system: string, folder: string): string {
  const file = path.join(folder, system.startsWith("win32") ? `${system}.exe` : system);
  execFileSync(process.execPath, ["scripts/build-binary.mjs", system, file]);
  for (const beside of ["notices.txt", "cdx.json"]) expect(fs.existsSync(`${file}.${beside}`)).toBe(true);
  return file;
}

/** A home with a file in it, and a pack that adds to it. */
function place(folder: string): { readonly pack: string; readonly home: string; readonly file: string } {
  const at = fs.mkdtempSync(path.join(folder, "place-"));
  const [pack, home] = [path.join(at, "pack"), path.join(at, "home")];
  fs.mkdirSync(pack);
  fs.mkdirSync(home);
  fs.writeFileSync(
    path.join(pack, "stet.yaml"),
    'name: zylos\nversion: "1.0.0"\nfiles:\n  - { target: "~/config.json", template: t.json }\n',
  );
  fs.writeFileSync(path.join(pack, "t.json"), '{ "theme": "dark" }\n');
  const file = path.join(home, "config.json");
  fs.writeFileSync(file, before);
  return { pack, home, file };
}

const before = '{\r\n  "mine": 1\r\n}\r\n';
const after = '{\r\n  "mine": 1,\r\n  "theme": "dark"\r\n}\r\n';

/** What five starts take of the processor, in seconds: whatever else the machine does counts less than by the clock. */
export function processorTime(command: string, folder: string): number {
  const { home } = place(folder);
  const script = `TIMEFORMAT="%U %S"; time for i in 1 2 3 4 5; do ${command} status --home ${home} > /dev/null; done`;
  const said = execFileSync("bash", ["--norc", "-c", `{ ${script}; } 2>&1`], { encoding: "utf8", env: {} });
  return said
    .trim()
    .split(" ")
    .reduce((sum, seconds) => sum + Number(seconds), 0);
}

export type Run = (...args: string[]) => Promise<{ readonly code: number | null; readonly output: string }>;

/** The version, an install and an uninstall: the bundle, the addon with its locks, and every byte back. */
export async function works(run: Run, folder: string): Promise<void> {
  const { pack, home, file } = place(folder);
  expect(await run("--version")).toEqual({ code: 0, output: `${version}\n` });
  const installed = await run("apply", pack, "--home", home);
  expect([installed, fs.readFileSync(file, "utf8")]).toEqual([expect.objectContaining({ code: 0 }), after]);
  const gone = await run("uninstall", "zylos", "--home", home);
  expect([gone, fs.readFileSync(file, "utf8")]).toEqual([expect.objectContaining({ code: 0 }), before]);
}

export const running =
  (program: string, ...first: string[]): Run =>
  async (...args) => ({ code: 0, output: execFileSync(program, [...first, ...args], { encoding: "utf8", env: {} }) });
