import fs from "node:fs";
import { expect, it } from "vitest";
import { maxExpandedValues, maxTextLength, maxValues, maxDepth as yamlDepth } from "../../src/formats/limits.ts";
import { maxTableDepth as tomlDepth } from "../../src/formats/toml/tree.ts";
import { maxFileBytes } from "../../src/store/gate/disk-reader.ts";
import { defaultLimits } from "../../src/store/records/generations.ts";
import { maxProjectBytes, maxProjectValues } from "../../src/store/records/project-records.ts";
import { outputLimit } from "../../src/system/run-program.ts";

const page = fs.readFileSync("docs/security.md", "utf8");
const rows = new Map(
  [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm)].map((match) => [match[1]!, match[2]!]),
);
const number = (count: number) => count.toLocaleString("en");
const size = (bytes: number) => `${bytes / 1024 ** 2} MiB`;
/** A number in a source file that nobody else needs to know. */
const source = (file: string, pattern: RegExp) =>
  Number(pattern.exec(fs.readFileSync(file, "utf8"))?.[1]?.replaceAll("_", ""));

it.each([
  ["a file that is read", size(maxFileBytes)],
  ["a text in YAML, TOML or `.env`", size(maxTextLength)],
  ["nesting in JSON", String(source("src/formats/json/read.ts", /const deepest = (\d+);/))],
  ["nesting in YAML", String(yamlDepth)],
  ["nesting in TOML", String(tomlDepth)],
  ["nesting in a registry", String(source("src/store/records/registry.ts", /const deepest = (\d+);/))],
  ["values (or lines) in YAML", number(maxValues)],
  ["values in a registry", number(source("src/store/records/registry.ts", /const maxRegistryValues = ([\d_]+);/))],
  ["a file of a project's committed records", size(maxProjectBytes)],
  ["values in a project's committed records", number(maxProjectValues)],
  ["values in a YAML file", number(maxExpandedValues)],
  ["values in overrides", number(source("src/toolset/render/yaml.ts", /const nodeLimit = ([\d_]+);/))],
  ["places where YAML", String(source("src/formats/yaml/second-reader.ts", /const maxForgiven = (\d+);/))],
  ["an owner's name", `${source("src/files/manifest/manifest.ts", /\{0,(\d+)\}\$\/, "a name is/) + 1} characters`],
  ["what Git or another program answers", size(outputLimit)],
  ["history", `${defaultLimits.count} generations, ${defaultLimits.days} days`],
])("%s: the page says what the program does", (row, limit) => {
  const [found] = [...rows].filter(([name]) => name.startsWith(row));
  expect(found?.[1]).toBe(limit);
});

it("nesting in overrides is the limit of all YAML", () => {
  expect(source("src/toolset/render/yaml.ts", /const depthLimit = (\d+);/)).toBe(yamlDepth);
});
