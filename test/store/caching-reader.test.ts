import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cachingReader } from "../../src/store/gate/caching-reader.ts";
import { diskReader } from "../../src/store/gate/disk-reader.ts";
import type { Reader } from "../../src/store/gate/gate.ts";

let folder = "";

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "stet-observe-")));
  mkdirSync(join(folder, "real/deep"), { recursive: true });
  writeFileSync(join(folder, "real/deep/file"), "x");
  symlinkSync("real", join(folder, "relative"));
  symlinkSync(join(folder, "real/deep"), join(folder, "absolute"));
  symlinkSync("../relative/deep", join(folder, "real/through"));
  symlinkSync("nowhere/at-all", join(folder, "dangling"));
  symlinkSync("circle-b", join(folder, "circle-a"));
  symlinkSync("circle-a", join(folder, "circle-b"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("a reader for the length of one plan", () => {
  it.each([
    "real/deep/file",
    "real/deep/new/and/deeper",
    "relative/deep/file",
    "relative/new",
    "absolute/file",
    "absolute/../deep",
    "real/through/file",
    "real/through/new/file",
    "dangling",
    "dangling/file",
    "circle-a",
    "circle-a/file",
    "missing/folder/file",
    "real/deep/file/below-a-file",
    ".",
    "/",
  ])("finds the way to %s as the disk does", (path) => {
    const [base, look] = [diskReader(), cachingReader(diskReader())];
    const place = path === "/" ? "/" : join(folder, path);
    expect(look.realPath(place)).toBe(base.realPath(place));
    expect(look.realPath(place)).toBe(base.realPath(place));
  });

  it("lets the disk say what it can where nobody may look", () => {
    const base: Reader = {
      ...diskReader(),
      stat: () => {
        throw new Error("not allowed");
      },
    };
    expect(cachingReader(base).realPath(join(folder, "relative/deep"))).toBe(join(folder, "real/deep"));
  });

  it("asks the disk once for each path, however many files lie below it", () => {
    const asked: string[] = [];
    const base = diskReader();
    const look = cachingReader({
      ...base,
      stat: (path) => {
        asked.push(path);
        return base.stat(path);
      },
    });
    for (let turn = 0; turn < 3; turn++)
      for (const name of ["a", "b", "c"]) look.stat(join(look.realPath(join(folder, "real/deep")), name));
    expect(asked).toHaveLength(new Set(asked).size);
  });
});
