import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import {
  isProjectPath,
  maxProjectBytes,
  projectOwners,
  readProjectRecords,
  refuseLinkOut,
} from "../../src/store/records/project-records.ts";
import { scratchFolder } from "../store/scratch.ts";

const entry = {
  entry_type: "setting",
  added_in_version: "1.9.0",
  last_updated_in_version: "1.10.0",
  value_hash: `sha256:${"0".repeat(64)}`,
  value: true,
};
const records = (files: object = { "app/config.json": { entries: { "setting:a": entry } } }, more: object = {}) => ({
  format_version: 1,
  name: "zylos",
  files,
  ...more,
});

/** A clone of somebody's repository, with these records in it. */
function cloned(content: object | string): string {
  const project = path.join(scratchFolder(), "project");
  fs.mkdirSync(path.join(project, ".stet"), { recursive: true });
  fs.writeFileSync(
    path.join(project, ".stet/zylos.json"),
    typeof content === "string" ? content : JSON.stringify(content, undefined, 1),
  );
  return project;
}

const reader = diskGate();
const read = (project: string) => readProjectRecords(reader, project, "zylos");

it("records of a project's own files are read, with the newest of their versions", () => {
  const older = { ...entry, last_updated_in_version: "1.9.0" };
  const project = cloned(records({ "app/config.json": { entries: { "setting:a": entry, "setting:b": older } } }));
  expect(read(project)?.registry).toMatchObject({ name: "zylos", version: "1.10.0", homes: [] });
  expect(projectOwners(reader, project)).toEqual(["zylos"]);
  expect(readProjectRecords(reader, project, "other")).toBeUndefined();
  expect(projectOwners(reader, path.dirname(project))).toEqual([]);
});

const strange = [
  "../outside.json",
  "app/../../outside.json",
  "/etc/passwd",
  "~/.bashrc",
  "~",
  "./a",
  "a//b",
  "a/",
  "",
  "a\\..\\b",
  "C:/Windows",
  "a\0b",
  "a\nb",
  "a:stream",
  "a./b",
  "a /b",
  ".git/config",
  ".GIT/hooks/post-checkout",
  "sub/.git/config",
  ".g\u200cit/config",
  ".stet/other.json",
  ".STET/zylos.json",
];
it.each(strange)("a path that is none of a project's: %j", (section) => {
  expect(isProjectPath(section)).toBe(false);
  const files = [{ [section]: { entries: {} } }, { "a.json": { entries: {}, created: { folders: [section] } } }];
  for (const each of files) {
    expect(() => read(cloned(records(each)))).toThrow(
      /\.stet\/zylos\.json:\d+:\d+: .*this is not a path within a project/s,
    );
  }
});

it.each([
  "a",
  ".claude/settings.json",
  ".github/workflows/x.yaml",
  "deep/er/than.that",
  ".gitignore",
  "..a",
  "a~",
  "été.json",
])("a path of a project's: %s", (section) => {
  expect(isProjectPath(section)).toBe(true);
  expect(Object.keys(read(cloned(records({ [section]: { entries: {} } })))!.registry.files)).toEqual([section]);
});

it("a link that leads out of the project, on the way to a file or at its place, also one that dangles", () => {
  for (const [link, target] of [
    ["app", ".."],
    ["app", "/etc"],
    ["app", "../nowhere"],
  ] as const) {
    const project = cloned(records());
    fs.symlinkSync(target, path.join(project, link));
    expect(() => read(project)).toThrow(/a link there leads to \S+, out of the project/);
    expect(() => refuseLinkOut(reader, reader.realPath(project), "app/config.json")).toThrow("out of the project");
  }
  const within = cloned(records());
  fs.mkdirSync(path.join(within, "real"));
  fs.symlinkSync("real", path.join(within, "app"));
  expect(read(within)).toBeDefined();
});

it("records that are a link out of the project, or lie in a folder that is one", () => {
  const project = cloned(records());
  const outside = path.join(path.dirname(project), "outside");
  fs.renameSync(path.join(project, ".stet"), outside);
  fs.symlinkSync("../outside", path.join(project, ".stet"));
  expect(() => read(project)).toThrow("out of the project");
  expect(() => projectOwners(reader, project)).toThrow("out of the project");
  fs.unlinkSync(path.join(project, ".stet"));
  fs.mkdirSync(path.join(project, ".stet"));
  fs.symlinkSync("../../outside/zylos.json", path.join(project, ".stet/zylos.json"));
  expect(() => read(project)).toThrow("out of the project");
});

it.each<[what: string, content: object | string, line: RegExp]>([
  ["another owner's name", records(undefined, { name: "other" }), /the records of another owner than zylos/],
  ["no name", { format_version: 1, files: {} }, /another owner than zylos/],
  ["a home", records(undefined, { homes: ["/home/alice"] }), /can't name a home/],
  ["homes that are none", records(undefined, { homes: "x" }), /can't name a home/],
  ["a list", "[]", /not records of stet/],
  ["null", "null", /not records of stet/],
  ["no JSON", "{", /not valid JSON/],
  ["a newer format", records(undefined, { format_version: 2 }), /newer stet/],
  ["an entry that is none", records({ "a.json": { entries: { x: 1 } } }), /not a registry/],
  [
    "conflict markers",
    '{\n<<<<<<< HEAD\n "a": 1\n=======\n>>>>>>> theirs\n}',
    /zylos\.json:2:1: .*conflict markers.*stet resolve \.stet\/zylos\.json/,
  ],
  ["more than memory holds", `{"files":[${"{},".repeat(600_000)}{}]}`, /more than 500,000 values/],
  [
    "nesting without end",
    `{"format_version":1,"name":"zylos","files":{},"x":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    /not a registry/,
  ],
])("records with %s", (_, content, line) => {
  expect(() => read(cloned(content))).toThrow(line);
});

it("records that are too large, a folder or a FIFO are not read", () => {
  const project = cloned("");
  fs.truncateSync(path.join(project, ".stet/zylos.json"), maxProjectBytes + 1);
  expect(() => read(project)).toThrow("are not believed");
  fs.rmSync(path.join(project, ".stet/zylos.json"));
  fs.mkdirSync(path.join(project, ".stet/zylos.json"));
  expect(() => read(project)).toThrow("it is a folder");
});
