import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { hostDiagnosticCodes } from "../../src/host/diagnostics.ts";
import { storeCodes } from "../../src/store/gate/store-error.ts";

const root = path.resolve(import.meta.dirname, "../..");
const sources = fs
  .readdirSync(path.join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
  .join("\n");
const page = fs.readFileSync(path.join(root, "docs/diagnostics.md"), "utf8");
const documented = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map((match) => match[1]!);

/** Codes stand behind `code:`, in the two closed lists, as arguments of readers (`"invalid-manifest"`), or are a decision's reason. */
function codesInSource(): string[] {
  const literal = [...sources.matchAll(/\bcode:\s*(?:[^",;{}]*\?\s*)?"([a-z0-9-]+)"(?:\s*:\s*"([a-z0-9-]+)")?/g)].flatMap((match) => [
    match[1],
    match[2],
  ]);
  const passed = [...sources.matchAll(/"((?:invalid|malformed)-[a-z-]+)"/g)].map((match) => match[1]);
  const messages = fs.readFileSync(path.join(root, "src/core/messages.ts"), "utf8");
  const reasons = [...messages.matchAll(/case "([a-z-]+)":/g)].map((match) => match[1]);
  return [...new Set([...literal, ...passed, ...reasons, ...storeCodes, ...Object.keys(hostDiagnosticCodes)])]
    .filter((code) => code !== undefined)
    .sort();
}

it("every code that stet can say is explained", () => {
  expect(codesInSource().length).toBeGreaterThan(100);
  expect(codesInSource().filter((code) => !documented.includes(code))).toEqual([]);
});

it("no code is explained that stet no longer says, or twice", () => {
  expect(documented.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
  expect(documented.filter((code, i) => documented.indexOf(code) !== i)).toEqual([]);
});
