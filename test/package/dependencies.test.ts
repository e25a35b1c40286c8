import fs from "node:fs";
import { expect, it } from "vitest";

const { dependencies, devDependencies, overrides } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const lock = fs.readFileSync("package-lock.json", "utf8");

it("the lockfile names no download address, and has a hash for every package that is installed", () => {
  expect(lock).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  const packages = Object.entries<{ integrity?: string }>(JSON.parse(lock).packages);
  expect(packages.filter(([folder, { integrity }]) => folder !== "" && integrity === undefined)).toEqual([]);
});

it("an installed stet needs one other package, for what Node itself can't do; the rest is bundled", () => {
  expect(Object.keys(dependencies)).toEqual(["fs-native-extensions"]);
});

it("whatever is held back is written down with the reason", () => {
  const page = fs.readFileSync("CONTRIBUTING.md", "utf8");
  const exact = Object.entries<string>({ ...devDependencies, ...overrides }).filter(([, range]) => /^\d/.test(range));
  expect(exact.length).toBeGreaterThan(0);
  for (const [name, version] of exact) {
    const row = page.split("\n").find((line) => line.startsWith("| ") && line.includes(`\`${name}\``));
    expect({ name, row }).toEqual({ name, row: expect.stringContaining(version) });
  }
});
