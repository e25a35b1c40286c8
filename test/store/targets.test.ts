import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import type { Gate } from "../../src/store/gate/gate.ts";
import { native } from "../../src/store/gate/native.ts";
import { writeAtomically } from "../../src/store/transaction/atomic.ts";
import { commit } from "../../src/store/transaction/transaction.ts";
import { systemError, watchedGate } from "./faulty-gate.ts";
import { asOrdinaryUser } from "./ordinary-user.ts";
import { scratchFolder, snapshot, tempsBelow } from "./scratch.ts";
import { change } from "./two-files.ts";

const gate = diskGate();
const write = (path: string, text = "new", through: Gate = gate) =>
  writeAtomically(through, path, Buffer.from(text), 0o666);

function refusal(code: string, words: string | RegExp) {
  return expect.objectContaining({
    diagnostic: expect.objectContaining({ code, message: expect.stringMatching(words) }),
  });
}

describe("a file that is replaced", () => {
  test("keeps its mode, and a new one has the given mode less the umask", () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    for (const mode of [0o600, 0o644, 0o755, 0o2640]) {
      fs.writeFileSync(file, "old");
      fs.chmodSync(file, mode);
      write(file);
      expect([fs.statSync(file).mode & 0o7777, fs.readFileSync(file, "utf8")]).toEqual([mode, "new"]);
      fs.rmSync(file);
    }
    write(path.join(root, "a", "new"));
    expect(fs.statSync(path.join(root, "a", "new")).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(tempsBelow(root)).toEqual([]);
  });

  test.runIf(process.geteuid!() === 0)("keeps its owner", () => {
    const file = path.join(scratchFolder(), "file");
    fs.writeFileSync(file, "old");
    fs.chownSync(file, 1234, 2345);
    fs.chmodSync(file, 0o6755);
    write(file);
    expect(fs.statSync(file)).toMatchObject({ uid: 1234, gid: 2345, mode: 0o106755 });
  });

  test.runIf(process.geteuid!() === 0)("that belongs to somebody else is refused where it can't be given back", () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    fs.writeFileSync(file, "old");
    fs.chmodSync(file, 0o666);
    asOrdinaryUser(root, () => {
      expect(() => write(file, "new", diskGate())).toThrow(
        refusal("foreign-owner", /belongs to user 0 .* run as its owner/),
      );
    });
    expect([fs.readFileSync(file, "utf8"), tempsBelow(root)]).toEqual(["old", []]);
  });

  test("keeps its extended attributes, and gets none that it did not have", () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    fs.writeFileSync(file, "old");
    const fd = fs.openSync(file, "r+");
    native().setAttrSync(fd, "user.origin", Buffer.from([1, 0, 255]));
    native().setAttrSync(fd, "user.empty", Buffer.alloc(0));
    fs.closeSync(fd);
    write(file);
    const replaced = fs.openSync(file, "r");
    expect([...native().listAttrsSync(replaced)].sort()).toEqual(["user.empty", "user.origin"]);
    expect(native().getAttrSync(replaced, "user.origin")).toEqual(Buffer.from([1, 0, 255]));
    fs.closeSync(replaced);
  });

  test("keeps an access list, and takes none over from its folder", () => {
    const root = scratchFolder();
    const [listed, plain] = [path.join(root, "listed"), path.join(root, "plain")];
    for (const file of [listed, plain]) fs.writeFileSync(file, "old", { mode: 0o600 });
    setAttribute(listed, "system.posix_acl_access", accessList);
    setAttribute(root, "system.posix_acl_default", accessList);
    for (const file of [listed, plain]) write(file);
    expect(attribute(listed, "system.posix_acl_access")).toEqual(accessList);
    expect(attributeNames(plain)).toEqual([]);
    expect(fs.statSync(plain).mode & 0o777).toBe(0o600);
  });
});

/** user::rw-, user:1234:rw-, group::r--, mask::rw-, other::---, in the kernel's own layout. */
const accessList = Buffer.concat([
  Buffer.from([2, 0, 0, 0]),
  ...[
    [1, 6, -1],
    [2, 6, 1234],
    [4, 4, -1],
    [16, 6, -1],
    [32, 0, -1],
  ].map(([tag, rights, id]) => {
    const entry = Buffer.alloc(8);
    entry.writeUInt16LE(tag!, 0);
    entry.writeUInt16LE(rights!, 2);
    entry.writeInt32LE(id!, 4);
    return entry;
  }),
]);

function setAttribute(file: string, name: string, value: Buffer): void {
  const fd = fs.openSync(file, "r");
  native().setAttrSync(fd, name, value);
  fs.closeSync(fd);
}

function attribute(file: string, name: string): Buffer | null {
  const fd = fs.openSync(file, "r");
  const value = native().getAttrSync(fd, name);
  fs.closeSync(fd);
  return value;
}

function attributeNames(file: string): readonly string[] {
  const fd = fs.openSync(file, "r");
  const names = native().listAttrsSync(fd);
  fs.closeSync(fd);
  return names;
}

describe("what is not replaced", () => {
  test.each([
    ["a hard-linked file", "hard-linked-file", /it has 2 names/, (file: string) => fs.linkSync(file, `${file}.second`)],
    ["a read-only file", "read-only-file", /somebody wants it to stay/, (file: string) => fs.chmodSync(file, 0o444)],
    ["a folder", "not-a-regular-file", /not a regular file/, (file: string) => [fs.rmSync(file), fs.mkdirSync(file)]],
    [
      "a FIFO",
      "not-a-regular-file",
      /not a regular file/,
      (file: string) => [fs.rmSync(file), execFileSync("mkfifo", [file])],
    ],
  ] as const)("%s", (_, code, words, prepare) => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    fs.writeFileSync(file, "old");
    prepare(file);
    const before = snapshot(root);
    expect(() => write(file)).toThrow(refusal(code, words));
    expect(snapshot(root)).toEqual(before);
  });

  test("a file in a folder that may not be written", () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    asOrdinaryUser(root, () => {
      fs.writeFileSync(file, "old");
      fs.chmodSync(root, 0o500);
      expect(() => write(file, "new", diskGate())).toThrow(
        refusal("read-only-folder", /^file can't be replaced, because you may not/),
      );
      fs.chmodSync(root, 0o700);
    });
    expect(fs.readdirSync(root)).toEqual(["file"]);
  });

  test.runIf(process.geteuid!() === 0)("a file that others may write but only its owner may replace", () => {
    const root = scratchFolder();
    const folder = path.join(root, "sticky");
    fs.mkdirSync(folder);
    fs.chmodSync(folder, 0o1777);
    fs.writeFileSync(path.join(folder, "file"), "old");
    fs.chmodSync(path.join(folder, "file"), 0o666);
    asOrdinaryUser(root, () => {
      expect(() => write(path.join(folder, "file"), "new", diskGate())).toThrow(
        refusal("read-only-file", /only the file's owner/),
      );
    });
  });

  test.runIf(canMarkImmutable())("a file marked immutable", () => {
    const file = path.join(scratchFolder(), "file");
    fs.writeFileSync(file, "old");
    execFileSync("chattr", ["+i", file]);
    try {
      expect(() => write(file)).toThrow(refusal("read-only-file", /immutable/));
    } finally {
      execFileSync("chattr", ["-i", file]);
    }
  });
});

/** Root in a container may not, and some file systems can't. */
function canMarkImmutable(): boolean {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "stet-probe-")), "file");
  fs.writeFileSync(file, "");
  const marked = spawnSync("chattr", ["+i", file]).status === 0 && spawnSync("chattr", ["-i", file]).status === 0;
  fs.rmSync(path.dirname(file), { recursive: true });
  return marked;
}

describe("an atomic write", () => {
  test("leaves nothing behind when the rename fails", () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    fs.writeFileSync(file, "old");
    const failing = watchedGate(gate, (call) => {
      if (call.method === "rename") throw systemError(call, "EXDEV");
    });
    expect(() => write(file, "new", failing)).toThrow("on another file system");
    expect([fs.readdirSync(root), fs.readFileSync(file, "utf8")]).toEqual([["file"], "old"]);
  });

  test("never shows half a file to a reader", async () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    const texts = ["a".repeat(100_000), "b".repeat(200_000)];
    write(file, texts[0]);
    for (let round = 0; round < 20; round++) {
      const reading = fs.promises.readFile(file, "utf8");
      write(file, texts[round % 2]);
      expect(texts).toContain(await reading);
    }
  });

  test("commit refuses the same targets, with nothing written", async () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    fs.writeFileSync(file, "old");
    fs.linkSync(file, path.join(root, "second"));
    const after = { kind: "file", bytes: Buffer.from("new"), mode: { created: 0o666 } } as const;
    const tx = {
      stateDir: path.join(root, "state"),
      name: "zylos",
      time: "2026-11-15T12:00:00Z",
      changes: [change(gate, file, after)],
      registry: { path: path.join(root, "state", "zylos", "registry.json"), before: undefined, after: "{}" },
      generation: { version: "1", from: undefined, note: "" },
    };
    await expect(commit(gate, tx)).rejects.toThrow(refusal("hard-linked-file", /2 names/));
    expect(fs.readdirSync(root, { recursive: true }).sort()).toEqual(["file", "second", "state", "state/lock"]);
  });
});
