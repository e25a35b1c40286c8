import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Terminal } from "../cli/terminal.ts";
import { builtProgram } from "../program.ts";
import { refreshed, runPage } from "./how-to-page.ts";

const root = path.resolve(import.meta.dirname, "../..");
const readme = fs.readFileSync(path.join(root, "README.md"), "utf8");
const tour = fs.readFileSync(path.join(root, "docs/tour.md"), "utf8");

/** Blocks that are introduced by a file's name are that file. */
const files = [...tour.matchAll(/`(pack\/[^`]+)`:\n\n```\w+\n([\s\S]*?)^```/gm)].map(
  ([, file, text]) => [file!, text!] as const,
);

describe("the README", () => {
  it("has the two commands that set everything up", () => {
    expect(readme).toContain(
      "    npm ci && npx stet demo     # the main job, on made-up files in a temporary home\n    npm ci && npm test          # the tests\n",
    );
  });

  it("links to what is there", () => {
    expect(deadLinks(readme, root)).toEqual([]);
  });
});

describe("the tour", () => {
  it("has commands that do what it says, one after the other, and print what it shows", async () => {
    const ran = runPage(tour, builtProgram(), path.join(root, "examples/upgrader/releases"), Object.fromEntries(files));
    expect(files).toHaveLength(4);
    expect(ran.length).toBeGreaterThan(12);
    const shown = (output: string) => output.replaceAll("…/home", "~");
    if (process.env.UPDATE_PAGES) fs.writeFileSync(path.join(root, "docs/tour.md"), refreshed(tour, ran, shown));
    else
      for (const { commands, printed, output, failed } of ran) {
        expect({ commands, failed }).toEqual({ commands, failed: undefined });
        if (printed !== undefined) expect(withoutTimes(shown(output))).toBe(withoutTimes(printed));
      }
  });

  it("has a program that runs with the built library", () => {
    const terminal = new Terminal();
    const [, program] = /^```js\n([\s\S]*?)^```/m.exec(tour)!;
    terminal.write("program.mjs", program!.replace('"stet"', JSON.stringify(path.join(root, "dist/index.js"))));
    const env = { PATH: process.env.PATH, HOME: terminal.home };
    expect(execFileSync(process.execPath, [terminal.at("program.mjs")], { env, encoding: "utf8" })).toBe("1 0\n");
    expect(terminal.exists("home/.zylos.json")).toBe(false);
  });

  it("links to what is there", () => {
    expect(deadLinks(tour, path.join(root, "docs"))).toEqual([]);
  });
});

function deadLinks(page: string, folder: string): string[] {
  const links = [...page.matchAll(/(?:\]\(|src="|srcset=")([^)#"]+)[)"]/g)].map((match) => match[1]!);
  return links.filter((link) => !fs.existsSync(path.join(folder, link)));
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, "TIME");
}
