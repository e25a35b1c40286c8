import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/store/gate/content.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import type { Gate } from "../../src/store/gate/gate.ts";
import { type Outside, stillHold } from "../../src/store/replay/fingerprint.ts";
import { type Moment, ObservationRecorder } from "../../src/store/replay/record-observations.ts";
import { scratchFolder } from "./scratch.ts";

const gate = diskGate();
let folder: string;
const at = (name: string) => path.join(folder, name);

beforeEach(() => {
  folder = scratchFolder();
  fs.writeFileSync(at("file"), "text");
  fs.mkdirSync(at("folder"));
  fs.symlinkSync("file", at("link"));
});

function outside(env = {}): Outside {
  return { reader: gate, env, hash: sha256 };
}

/** Nothing is dated before this. */
const never = { device: 0, changed: 0 };

function recorder(bytes = 1000, base: Gate = gate, env = {}, since: Moment = never): ObservationRecorder {
  return new ObservationRecorder(base, env, { bytes, mayBeLarge: () => false }, since);
}

/** Records one question, and says whether it has the same answer after something happened. */
function holdsAfter(ask: (gate: Gate) => unknown, happen: () => unknown): boolean {
  const recorded = recorder();
  ask(recorded.gate);
  const observations = recorded.observations()!;
  expect(stillHold(observations, outside())).toBe(true);
  happen();
  return stillHold(JSON.parse(JSON.stringify(observations)), outside());
}

describe("a question has the same answer", () => {
  const questions: [string, (gate: Gate) => unknown, () => unknown][] = [
    ["content", (g) => g.read(at("file")), () => fs.writeFileSync(at("file"), "tex.")],
    ["content through a link", (g) => g.read(at("link")), () => fs.writeFileSync(at("file"), "")],
    ["content that was not there", (g) => g.read(at("none")), () => fs.writeFileSync(at("none"), "")],
    ["kind", (g) => g.stat(at("file")), () => fs.renameSync(at("link"), at("file"))],
    ["nothing there", (g) => g.stat(at("none")), () => fs.writeFileSync(at("none"), "")],
    ["mode", (g) => g.stat(at("file"))?.mode, () => fs.chmodSync(at("file"), 0o600)],
    ["size", (g) => g.stat(at("file"))?.size, () => fs.appendFileSync(at("file"), "x")],
    ["links", (g) => g.stat(at("file"))?.links, () => fs.linkSync(at("file"), at("second"))],
    ["names", (g) => g.list(at("folder")), () => fs.writeFileSync(at("folder/new"), "")],
    ["no folder", (g) => g.list(at("none")), () => fs.mkdirSync(at("none"))],
    ["target of a link", (g) => g.readLink(at("link")), () => fs.renameSync(at("file"), at("link"))],
    ["real path", (g) => g.realPath(at("link")), () => fs.renameSync(at("file"), at("link"))],
  ];
  it.each(questions)("unless it has changed: %s", (_, ask, happen) => {
    expect(holdsAfter(ask, happen)).toBe(false);
  });

  it("when only that changed which nobody looked at", () => {
    const look = (g: Gate) => [g.stat(at("file"))?.kind, g.stat(folder)?.mode];
    expect(holdsAfter(look, () => fs.appendFileSync(at("file"), "x"))).toBe(true);
    expect(holdsAfter(look, () => fs.mkdirSync(at("more")))).toBe(true);
  });

  it("when one looks at a field late", () => {
    const late = (g: Gate) => {
      const [first] = [g.stat(at("file")), g.stat(at("file"))?.uid];
      return first?.mode;
    };
    expect(holdsAfter(late, () => fs.chmodSync(at("file"), 0o601))).toBe(false);
  });
});

describe("what is too much to be compared byte by byte", () => {
  const names = Array.from({ length: 12 }, (_, i) => `folder/${i}`);
  /** Later than all that was written so far, by the disk's clock. */
  const now = (): Moment => {
    const last = Math.max(...names.map((name) => fs.statSync(at(name)).ctimeMs), fs.statSync(at("folder")).ctimeMs);
    for (;;) {
      fs.writeFileSync(at("moment"), "");
      const moment = gate.stat(at("moment"))!;
      if (moment.changed > last) return moment;
    }
  };
  const look = (g: Gate) => [g.list(at("folder")), ...names.map((name) => [g.stat(at(name))?.mode, g.read(at(name))])];
  const record = (since: Moment) => {
    const recorded = recorder(1 << 24, gate, {}, since);
    look(recorded.gate);
    return recorded.observations();
  };
  beforeEach(() => {
    for (const name of names) fs.writeFileSync(at(name), name.padEnd(100_000));
  });

  const edits: Record<string, (file: string) => unknown> = {
    "as many other bytes, dated back": (file) => {
      const { atime, mtime } = fs.statSync(file);
      fs.writeFileSync(file, "y".repeat(100_000));
      fs.utimesSync(file, atime, mtime);
    },
    "another mode": (file) => fs.chmodSync(file, 0o600),
    "another file in its place": (file) => {
      fs.cpSync(file, `${file}.new`, { preserveTimestamps: true });
      fs.renameSync(`${file}.new`, file);
    },
    "a link in its place": (file) => {
      fs.renameSync(file, at("elsewhere"));
      fs.symlinkSync(at("elsewhere"), file);
    },
    "none any more": (file) => fs.rmSync(file),
    "a name more in its folder": (file) => fs.writeFileSync(`${file}-2`, ""),
  };
  it.each(Object.entries(edits))("is known by what the system says of it: %s", (_, edit) => {
    const observations = record(now())!;
    expect(observations.files).toEqual([]);
    expect(JSON.stringify(observations).length).toBeLessThan(1000);
    expect(stillHold(observations, outside())).toBe(true);
    edit(at(names[7]!));
    expect(stillHold(observations, outside())).toBe(false);
  });

  it("is compared nevertheless where it was changed in the moment it was looked at", () => {
    const { device } = gate.stat(folder)!;
    const { changed } = gate.stat(at(names[7]!))!;
    fs.writeFileSync(at(names[7]!), "as it is now");
    for (const since of [
      { device, changed: gate.stat(at(names[7]!))!.changed },
      { device, changed },
    ]) {
      const paths = record(since)?.files.map(([, path]) => path);
      expect(paths === undefined || paths.includes(at(names[7]!))).toBe(true);
    }
    expect(record({ ...now(), device: device + 1 })).toBeUndefined();
  });
});

describe("variables", () => {
  it("count where they were asked for, by value and by being there", () => {
    const recorded = recorder(0, gate, { A: "1", B: "2" });
    expect([recorded.env.A, "C" in recorded.env, Object.hasOwn(recorded.env, "D")]).toEqual(["1", false, false]);
    const observations = recorded.observations()!;
    expect(JSON.stringify(observations)).not.toContain('"1"');
    expect(stillHold(observations, outside({ A: "1", B: "3" }))).toBe(true);
    for (const env of [{ A: "2" }, {}, { A: "1", C: "" }, { A: "1", D: "x" }])
      expect(stillHold(observations, outside(env))).toBe(false);
  });

  it("can't all count", () => {
    const recorded = recorder(0, gate, { A: "1" });
    expect(() => Object.keys(recorded.env)).toThrow("all variables");
    expect(recorded.observations()).toBeUndefined();
  });
});

describe("nothing is on record", () => {
  it("of what does more than reading, or reads elsewhere", () => {
    for (const use of [
      (g: Gate) => g.umask,
      (g: Gate) => g.token(),
      (g: Gate) => g.remove(at("file")),
      (g: Gate) => ({ ...g }),
    ]) {
      const recorded = recorder();
      expect(() => use(recorded.gate)).toThrow("not recorded");
      expect(recorded.observations()).toBeUndefined();
    }
    expect(fs.existsSync(at("file"))).toBe(true);
  });

  it("of more bytes than were granted, all recordings together", () => {
    const budget = { bytes: 7, mayBeLarge: () => false };
    const [first, second] = [
      new ObservationRecorder(gate, {}, budget, never),
      new ObservationRecorder(gate, {}, budget, never),
    ];
    first.gate.read(at("file"));
    expect(() => second.gate.read(at("file"))).toThrow("too much");
    expect([first.observations(), second.observations()]).toEqual([expect.anything(), undefined]);
  });

  it("of an error, even where it is caught", () => {
    const recorded = recorder();
    expect(() => recorded.gate.read(at("folder"))).toThrow("folder");
    expect(recorded.observations()).toBeUndefined();
  });

  it("of what changed while it was looked at", () => {
    for (const look of [
      (g: Gate) => g.read(at("file")),
      (g: Gate) => g.stat(at("file"))?.size,
      (g: Gate) => g.list(folder),
    ]) {
      const recorded = recorder();
      look(recorded.gate);
      fs.appendFileSync(at("file"), "x");
      fs.writeFileSync(at(`new ${fs.readdirSync(folder).length}`), "");
      look(recorded.gate);
      expect(recorded.observations()).toBeUndefined();
    }
  });
});
