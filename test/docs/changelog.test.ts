import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const log = fs.readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const versions = [...log.matchAll(/^## (\S+)/gm)].map(([, each]) => each!);

it("begins with the version of the package, and has each version once, newest first", () => {
  expect(versions[0]).toBe(version);
  const newestFirst = [...new Set(versions)].sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  expect(versions).toEqual(newestFirst);
});

it("says what a user sees: nothing of tests, scripts and how it is built", () => {
  const internal = log
    .split("\n")
    .filter((line) => /\bnpm (?:run|test)\b|\btest\/|\bscripts\/|\bsrc\/|\bCI\b/.test(line));
  expect(internal).toEqual([]);
});

it("every version has lines below headings by what they are about, each a sentence in one line", () => {
  for (const part of log.split(/^## /m).slice(1)) {
    expect(part).toMatch(/^\S+\n\n### /);
    const lines = part.split("\n").filter((line) => line !== "" && !line.startsWith("### "));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(1).filter((line) => !/^- .*[.!?)]$/.test(line))).toEqual([]);
  }
});
