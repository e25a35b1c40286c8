import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { diagnosticCodes } from "../../src/core/diagnostic-codes.ts";

const root = path.resolve(import.meta.dirname, "../..");
const sources = fs
  .readdirSync(path.join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && entry.name !== "diagnostic-codes.ts")
  .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
  .join("\n");
const page = fs.readFileSync(path.join(root, "docs/diagnostics.md"), "utf8");
const documented = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map((match) => match[1]!);

it("every code that stet can say is explained, and no other", () => {
  expect(documented.toSorted()).toEqual([...diagnosticCodes]);
});

it("no code is explained that stet no longer says, or twice", () => {
  expect(documented.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
  expect(documented.filter((code, i) => documented.indexOf(code) !== i)).toEqual([]);
});
