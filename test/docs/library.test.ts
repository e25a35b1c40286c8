import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { declarationsIn } from "./declarations.ts";
import { examplesIn, libraryPage, shownFunctions } from "./library-page.ts";

const root = path.resolve(import.meta.dirname, "../..");
// Made by the build, of the library's sources.
const types = fs.readFileSync(path.join(root, "dist/index.d.ts"), "utf8");

it("docs/library.md is made of the types; after a change run: npx vitest run test/docs -u", async () => {
  await expect(libraryPage(types)).toMatchFileSnapshot("../../docs/library.md");
});

it("every function is on it, with what it does and an example; every type is, too", () => {
  const declared = declarationsIn(types);
  const functions = declared.filter(({ kind }) => kind === "function");
  expect(functions.map(({ name }) => name).sort()).toEqual([...shownFunctions].sort());
  expect(functions.filter(({ about, example }) => about === "" || example === undefined)).toEqual([]);
});

it("shows every type to its end", () => {
  const cut = declarationsIn(types).filter(
    ({ kind, text }) => !text.endsWith(kind === "type" || kind === "function" ? ";" : "}"),
  );
  expect(cut.map(({ name }) => name)).toEqual([]);
});

it("every example runs as it is, and prints what it says", () => {
  const examples = examplesIn(libraryPage(types));
  expect(examples.length).toBe(shownFunctions.length);
  for (const { code, printed } of examples) {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-example-")));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    fs.mkdirSync(path.join(folder, "node_modules"));
    fs.symlinkSync(root, path.join(folder, "node_modules/stet"));
    fs.writeFileSync(path.join(folder, "example.mjs"), code);
    const env = { HOME: folder, PATH: process.env.PATH, NO_COLOR: "1" };
    const ran = spawnSync(process.execPath, ["example.mjs"], { cwd: folder, env, encoding: "utf8" });
    expect({ code, printed: ran.stdout, errors: ran.stderr }).toEqual({ code, printed, errors: "" });
    expect(printed).not.toBe("");
  }
});
