import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

it("docs/architecture.svg shows which folder imports which; after a change run: npx vitest run test/docs/architecture.test.ts -u", async () => {
  const { architecturePicture } = await import(path.join(root, "scripts/import-graph.mjs"));
  await expect(architecturePicture()).toMatchFileSnapshot("../../docs/architecture.svg");
});

it("every file and function that docs/architecture.md names is there", () => {
  const page = fs.readFileSync(path.join(root, "docs/architecture.md"), "utf8");
  const files = [...page.matchAll(/`(src\/[\w/.-]+|scripts\/[\w.-]+)`/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
  const named = [...page.matchAll(/`(\w+)` in `(src\/[\w/.-]+\.ts)`/g)];
  expect(named.length).toBeGreaterThan(5);
  const missing = named.filter(
    ([, name, file]) => !new RegExp(`\\b${name}\\b`).test(fs.readFileSync(path.join(root, file!), "utf8")),
  );
  expect(missing.map(([text]) => text)).toEqual([]);
});
