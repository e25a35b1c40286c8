import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { builtProgram } from "../program.ts";
import { examplesIn, refreshed, runPage } from "./how-to-page.ts";

const root = path.resolve(import.meta.dirname, "../..");
const folder = path.join(root, "docs/how-to");
const pages = fs.readdirSync(folder).filter((name) => name !== "README.md");
const read = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");

const atHome = (output: string) => output.replaceAll("…/home", "~");

const program = builtProgram();

describe("every how-to does what it says", () => {
  it.each(pages.filter((name) => examplesIn(read(name)).length > 0))("%s", (name) => {
    const ran = runPage(read(name), program, path.join(root, "examples/upgrader/releases"));
    if (process.env.UPDATE_PAGES) fs.writeFileSync(path.join(folder, name), refreshed(read(name), ran, atHome));
    else
      for (const { commands, printed, output, failed } of ran) {
        expect({ commands, failed }).toEqual({ commands, failed: undefined });
        if (printed !== undefined) expect(atHome(output)).toBe(printed);
      }
  });
});

it("all of them are listed, and link to what is there", () => {
  const index = read("README.md");
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  for (const name of [...pages, "README.md"]) {
    const links = [...read(name).matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1]!);
    expect([name, links.filter((link) => !fs.existsSync(path.join(folder, link)))]).toEqual([name, []]);
  }
});
