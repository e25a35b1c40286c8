import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { maxFileBytes } from "../../src/store/gate/disk-reader.ts";
import { errnoOf } from "../../src/store/gate/store-error.ts";
import { asOrdinaryUser } from "./ordinary-user.ts";
import { scratchFolder } from "./scratch.ts";

const gate = diskGate();

describe("reading tells absent from unreadable", () => {
  test("a file, an empty one, one through links, and none", () => {
    const root = scratchFolder();
    fs.writeFileSync(path.join(root, "full"), Buffer.from([0, 255, 10]));
    fs.writeFileSync(path.join(root, "empty"), "");
    fs.symlinkSync("full", path.join(root, "link"));
    fs.symlinkSync("not-yet", path.join(root, "dangling"));
    expect(gate.read(path.join(root, "full"))).toEqual(Buffer.from([0, 255, 10]));
    expect(gate.read(path.join(root, "empty"))).toEqual(Buffer.alloc(0));
    expect(gate.read(path.join(root, "link"))).toEqual(Buffer.from([0, 255, 10]));
    expect(gate.read(path.join(root, "none"))).toBeUndefined();
    expect(gate.read(path.join(root, "no", "folder", "either"))).toBeUndefined();
    expect(gate.read(path.join(root, "dangling"))).toBeUndefined();
  });

  test("a file is one of several contents, whatever its length", () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    const content = (text: string) => ({ bytes: Buffer.from(text) });
    const long = "0123456789".repeat(100_000);
    const contents = [
      content(""),
      content("one"),
      content("two"),
      content(`${long}a`),
      content(`${long}b`),
      content(`a${long}`),
    ];
    for (const each of contents) {
      fs.writeFileSync(file, each.bytes);
      expect(gate.whichOf(file, contents)).toBe(each);
    }
    for (const other of ["tw", "twos", `${long}c`, `b${long}`, long]) {
      fs.writeFileSync(file, other);
      expect(gate.whichOf(file, contents)).toBeUndefined();
    }
    expect(gate.whichOf(path.join(root, "none"), contents)).toBeUndefined();
    expect(() => gate.whichOf(root, contents)).toThrow("it is a folder");
    // Says that it has no bytes, and has some.
    if (fs.existsSync("/proc/self/status")) expect(gate.whichOf("/proc/self/status", contents)).toBeUndefined();
  });

  test("what is too large to be read is refused where it is only compared, as after writing it", () => {
    const file = path.join(scratchFolder(), "file");
    fs.writeFileSync(file, "");
    fs.truncateSync(file, maxFileBytes + 1);
    const tooLarge = expect.objectContaining({ diagnostic: expect.objectContaining({ code: "file-too-large", file }) });
    expect(() => gate.read(file)).toThrow(tooLarge);
    expect(() => gate.whichOf(file, [{ bytes: Buffer.from("one") }])).toThrow(tooLarge);
  });

  const inTheWay: Record<string, [string, string, (place: string) => unknown]> = {
    "a folder": ["not-a-regular-file", "it is a folder", (place) => fs.mkdirSync(place)],
    "a FIFO": ["not-a-regular-file", "it is a FIFO", (place) => execFileSync("mkfifo", [place])],
    "a device": ["not-a-regular-file", "it is a device", (place) => fs.symlinkSync("/dev/null", place)],
    "a link into a missing folder": [
      "dangling-link",
      "there is no folder",
      (place) => fs.symlinkSync("/nowhere/at/all", place),
    ],
    "a circle of links": ["link-loop", "lead in a circle", (place) => fs.symlinkSync(path.basename(place), place)],
  };
  test.each(Object.entries(inTheWay))("%s is an error", (_, [code, words, make]) => {
    const place = path.join(scratchFolder(), "target");
    make(place);
    expect(() => gate.read(place)).toThrow(
      expect.objectContaining({ diagnostic: expect.objectContaining({ code, file: place }) }),
    );
    expect(() => gate.read(place)).toThrow(words);
  });

  test("a socket is an error", async () => {
    const place = path.join(scratchFolder(), "socket");
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(place, resolve));
    expect(() => gate.read(place)).toThrow("it is a socket");
    server.close();
  });

  test("a file where a folder should be is an error", () => {
    const root = scratchFolder();
    fs.writeFileSync(path.join(root, "file"), "");
    expect(() => gate.read(path.join(root, "file", "below"))).toThrow("a file where a folder should be");
    expect(gate.stat(path.join(root, "file", "below"))).toBeUndefined();
  });

  test("what may not be read is an error", () => {
    const root = scratchFolder();
    const secret = path.join(root, "secret");
    fs.writeFileSync(secret, "s", { mode: 0o000 });
    fs.chmodSync(root, 0o755);
    asOrdinaryUser(root, () => {
      expect(() => gate.read(secret)).toThrow(`${secret}: can't read it: permission denied`);
    });
  });
});

describe("real paths", () => {
  test("resolve what exists, keep the rest, and never throw", () => {
    const root = scratchFolder();
    fs.mkdirSync(path.join(root, "real", "deep"), { recursive: true });
    fs.writeFileSync(path.join(root, "real", "file"), "");
    fs.symlinkSync("real", path.join(root, "link"));
    fs.symlinkSync("../link/missing/more", path.join(root, "real", "dangling"));
    fs.symlinkSync("b", path.join(root, "a"));
    fs.symlinkSync("a", path.join(root, "b"));
    const table = {
      "link/file": "real/file",
      "link/deep/../deep": "real/deep",
      "link/new/file": "real/new/file",
      "link/dangling": "real/missing/more",
      "link/dangling/below": "real/missing/more/below",
      "real/file/below": "real/file/below",
      nothing: "nothing",
    };
    for (const [given, expected] of Object.entries(table)) {
      expect(gate.realPath(path.join(root, given))).toBe(path.join(root, expected));
    }
    expect(["a", "b"]).toContain(path.relative(root, gate.realPath(path.join(root, "a"))));
    expect(gate.realPath(`${root}/${"x".repeat(5000)}`)).toBe(`${root}/${"x".repeat(5000)}`);
    expect(gate.realPath("/")).toBe("/");
  });
});

describe("status, names and links", () => {
  test("say what stands at a place itself", () => {
    const root = scratchFolder();
    fs.writeFileSync(path.join(root, "file"), "four", { mode: 0o640 });
    fs.linkSync(path.join(root, "file"), path.join(root, "second"));
    fs.symlinkSync("file", path.join(root, "link"));
    expect(gate.stat(path.join(root, "file"))).toEqual({
      kind: "file",
      mode: 0o640,
      uid: process.getuid!(),
      gid: process.getgid!(),
      links: 2,
      size: 4,
      modified: expect.any(Number),
      changed: expect.any(Number),
      inode: fs.statSync(path.join(root, "second")).ino,
      device: fs.statSync(root).dev,
    });
    expect(gate.stat(path.join(root, "link"))?.kind).toBe("link");
    expect(gate.stat(root)?.kind).toBe("folder");
    expect(gate.stat("/dev/null")?.kind).toBe("other");
    expect(gate.stat(path.join(root, "none"))).toBeUndefined();
    expect(gate.list(root)).toEqual(["file", "link", "second"]);
    expect(gate.list(path.join(root, "none"))).toBeUndefined();
    expect(() => gate.list(path.join(root, "file"))).toThrow("a file where a folder should be");
    expect(gate.readLink(path.join(root, "link"))).toBe("file");
    expect(gate.readLink(path.join(root, "file"))).toBeUndefined();
    expect(gate.readLink(path.join(root, "none"))).toBeUndefined();
  });
});

describe("effects", () => {
  test("a file is created only where nothing stands, and nothing stays of one that fails", () => {
    const root = scratchFolder();
    const file = path.join(root, "file");
    gate.createFile(file, Buffer.from("x"), "private");
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(() => gate.createFile(file, Buffer.from("y"), "private")).toThrow("something else stands there");
    const other = path.join(root, "other");
    expect(() => gate.createFile(other, Buffer.from("y"), { like: path.join(root, "none"), mode: 0o644 })).toThrow(
      "something else removed it",
    );
    expect(fs.readdirSync(root)).toEqual(["file"]);
  });

  test("folders come and go one at a time", () => {
    const root = scratchFolder();
    const folder = path.join(root, "folder");
    expect(gate.createFolder(folder, 0o700)).toBe(true);
    expect(gate.createFolder(folder, 0o700)).toBe(false);
    fs.writeFileSync(path.join(folder, "file"), "");
    expect(gate.removeFolder(folder)).toBe(false);
    expect(() => gate.createFolder(path.join(folder, "file"), 0o700)).toThrow("something else stands there");
    gate.remove(path.join(folder, "file"));
    gate.remove(path.join(folder, "file"));
    expect(gate.removeFolder(folder)).toBe(true);
    expect(gate.removeFolder(folder)).toBe(false);
    expect(() => gate.syncFolder(folder)).toThrow("something else removed it");
  });

  test("on Windows a rename is tried again for two seconds, and folders are not synced", () => {
    const windows = diskGate("win32");
    const root = scratchFolder();
    expect(windows.syncFolder(path.join(root, "none"))).toBeUndefined();
    fs.writeFileSync(path.join(root, "from"), "x");
    windows.rename(path.join(root, "from"), path.join(root, "to"));
    expect(fs.readdirSync(root)).toEqual(["to"]);
    const started = performance.now();
    // What another user's folder refuses stays refused: the error comes, but not at once.
    fs.mkdirSync(path.join(root, "closed"), { mode: 0o500 });
    asOrdinaryUser(root, () => {
      fs.writeFileSync(path.join(root, "mine"), "");
      expect(() => windows.rename(path.join(root, "mine"), path.join(root, "closed", "to"))).toThrow(
        "permission denied",
      );
    });
    expect(performance.now() - started).toBeGreaterThan(1000);
    expect(() => windows.rename(path.join(root, "none"), path.join(root, "to"))).toThrow("something else removed it");
  });

  test("an error keeps the system's code for those who ask", () => {
    const root = scratchFolder();
    expect.assertions(1);
    try {
      gate.rename(path.join(root, "none"), path.join(root, "to"));
    } catch (error) {
      expect(errnoOf(error)).toBe("ENOENT");
    }
  });
});
