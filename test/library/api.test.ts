import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { surfaceOf } from "../docs/declarations.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const surface = surfaceOf(read("dist/index.d.ts"));

/** The report of a surface: what a program can see, by name. */
const report = (text: string) => surfaceFrom(text, /^## (\w+)\n\n```ts\n([\s\S]*?)\n```$/gm);
function surfaceFrom(text: string, pattern: RegExp): Map<string, string> {
  return new Map([...text.matchAll(pattern)].map(([, name, declared]) => [name!, declared!]));
}

it("test/library/api/current.md is the surface; after a change run: npx vitest run test/library/api.test.ts -u", async () => {
  const parts = [...surface].map(([name, text]) => `## ${name}\n\n\`\`\`ts\n${text}\n\`\`\`\n`);
  const page = `# The library's surface\n\nWhat a program can see, without comments. Read the difference before it is committed.\n\n${parts.join("\n")}`;
  await expect(page).toMatchFileSnapshot("api/current.md");
});

it("whatever differs from the last release has a line in CHANGELOG.md", () => {
  const released = report(read("test/library/api/released.md"));
  expect(released.size).toBeGreaterThan(20);
  const names = new Set([...released.keys(), ...surface.keys()]);
  const changed = [...names].filter((name) => released.get(name) !== surface.get(name));
  expect(unsaid(changed, read("CHANGELOG.md"))).toEqual([]);
});

it("a new, a changed and a removed name are missed in CHANGELOG.md, whatever older versions said of them", () => {
  const log = "# Changes\n\n## 0.2.0\n\n- Library: `plan` does more.\n\n## 0.1.0\n\n- Library: `apply`.\n";
  expect(unsaid(["plan", "apply", "gone"], log)).toEqual(["apply", "gone"]);
});

/** Names that no line about the library mentions in the first part of the log. */
function unsaid(names: readonly string[], log: string): string[] {
  const first = log.split(/^## /m)[1] ?? "";
  const lines = first.split("\n").filter((line) => line.startsWith("- Library: "));
  return names.filter((name) => !lines.some((line) => line.includes(`\`${name}\``)));
}
