// needs: windows arm64
// Those for other systems; third-party.test.ts builds the one for this.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { onWindows } from "../windows/wine.ts";
import { builtExecutable, running, works } from "./executable.ts";

const cache = process.env.STET_TEST_CACHE ?? path.join(os.homedir(), ".cache", "stet-test");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-executables-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

describe("the executable", () => {
  it("for Windows works, under wine", async () => {
    const file = builtExecutable("win32-x64", folder);
    expect(fs.readFileSync(file).subarray(0, 2).toString()).toBe("MZ");
    await works(async (...args) => {
      const paths = args.map((arg) => (path.isAbsolute(arg) ? `Z:${arg}` : arg));
      return onWindows(file, paths);
    }, folder);
  });

  it("for Linux on arm64 works, under qemu", async () => {
    const file = builtExecutable("linux-arm64", folder);
    // EM_AARCH64
    expect(fs.readFileSync(file).readUInt16LE(18)).toBe(183);
    await works(running(path.join(cache, "arm64", "run"), file), folder);
  });
});
