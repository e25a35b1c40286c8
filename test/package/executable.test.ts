// needs: windows arm64
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { onWindows } from "../windows/wine.ts";

const { version } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const cache = process.env.STET_TEST_CACHE ?? path.join(os.homedir(), ".cache", "stet-test");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-executables-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function built(system: string): string {
  const file = path.join(folder, system.startsWith("win32") ? `${system}.exe` : system);
  execFileSync(process.execPath, ["scripts/build-binary.mjs", system, file]);
  for (const beside of ["notices.txt", "cdx.json"]) expect(fs.existsSync(`${file}.${beside}`)).toBe(true);
  return file;
}

/** A home with a file in it, and a pack that adds to it. */
function place(): { readonly pack: string; readonly home: string; readonly file: string } {
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

/** What ten starts take of the processor, in seconds: whatever else the machine does counts less than by the clock. */
function processorTime(command: string): number {
  const { home } = place();
  const script = `TIMEFORMAT="%U %S"; time for i in 1 2 3 4 5 6 7 8 9 10; do ${command} status --home ${home} > /dev/null; done`;
  const said = execFileSync("bash", ["--norc", "-c", `{ ${script}; } 2>&1`], { encoding: "utf8", env: {} });
  return said
    .trim()
    .split(" ")
    .reduce((sum, seconds) => sum + Number(seconds), 0);
}

type Run = (...args: string[]) => Promise<{ readonly code: number | null; readonly output: string }>;

/** The version, an install and an uninstall: the bundle, the addon with its locks, and every byte back. */
async function works(run: Run): Promise<void> {
  const { pack, home, file } = place();
  expect(await run("--version")).toEqual({ code: 0, output: `${version}\n` });
  const installed = await run("apply", pack, "--home", home);
  expect([installed, fs.readFileSync(file, "utf8")]).toEqual([expect.objectContaining({ code: 0 }), after]);
  const gone = await run("uninstall", "zylos", "--home", home);
  expect([gone, fs.readFileSync(file, "utf8")]).toEqual([expect.objectContaining({ code: 0 }), before]);
}

const running =
  (program: string, ...first: string[]): Run =>
  async (...args) => ({ code: 0, output: execFileSync(program, [...first, ...args], { encoding: "utf8", env: {} }) });

describe("the executable", () => {
  it("for this system is smaller than Node alone, works, and starts in less than twice the time of the package", async () => {
    const file = built(`linux-${process.arch}`);
    expect(fs.statSync(file).size).toBeLessThan(fs.statSync(process.execPath).size);
    await works(running(file));
    expect(processorTime(file) / processorTime(`${process.execPath} bin/stet.cjs`)).toBeLessThan(2);
  });

  it("for Windows works, under wine", async () => {
    const file = built("win32-x64");
    expect(fs.readFileSync(file).subarray(0, 2).toString()).toBe("MZ");
    await works(async (...args) => {
      const paths = args.map((arg) => (path.isAbsolute(arg) ? `Z:${arg}` : arg));
      return onWindows(file, paths);
    });
  });

  it("for Linux on arm64 works, under qemu", async () => {
    const file = built("linux-arm64");
    // EM_AARCH64
    expect(fs.readFileSync(file).readUInt16LE(18)).toBe(183);
    await works(running(path.join(cache, "arm64", "run"), file));
  });
});
