import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Terminal } from "../cli/terminal.ts";

const root = path.resolve(import.meta.dirname, "../..");
const readme = fs.readFileSync(path.join(root, "README.md"), "utf8");
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))].map((match) => match[1]!);

/** Blocks that are introduced by a file's name are that file. */
function writeExamples(terminal: Terminal): string[] {
  const files = [...readme.matchAll(/`(pack\/[^`]+)`:\n\n```\w+\n([\s\S]*?)^```/gm)];
  for (const [, file, text] of files) terminal.write(file!, text!);
  return files.map(([, file]) => file!);
}

describe("the README", () => {
  it("has the two commands that set everything up", () => {
    expect(readme).toContain(
      "    npm ci && npx stet demo     # the main job, on made-up files in a temporary home\n    npm ci && npm test          # the tests\n",
    );
  });

  it("shows what the demo really prints", async () => {
    const { out } = await new Terminal().run("demo");
    const printed = out.replaceAll(/^ {3}/gm, "");
    const [picture] = blocks("text");
    expect(printed).toContain(picture);
  });

  it("has commands that do what it says, one after the other", async () => {
    const terminal = new Terminal();
    expect(writeExamples(terminal)).toHaveLength(4);
    terminal.write("home/.bashrc", "alias ll='ls -l'\n");
    const lines = blocks("sh").flatMap((block) => block.trimEnd().split("\n"));
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) {
      const [command, expected] = line.split(/\s+# exit /);
      const [program, ...argv] = command!.trim().split(/\s+/);
      expect(program).toBe("stet");
      const { code, err } = await terminal.run(...argv);
      expect({ line, code, err }).toEqual({ line, code: Number(expected ?? 0), err: "" });
    }
    expect(terminal.read("home/.bashrc")).toBe("alias ll='ls -l'\n");
    expect(terminal.exists("home/.claude/settings.json")).toBe(false);
  });

  it("has a program that runs with the built library", () => {
    const terminal = new Terminal();
    const [program] = blocks("js");
    terminal.write("program.mjs", program!.replace('"stet"', JSON.stringify(path.join(root, "dist/index.js"))));
    const env = { PATH: process.env.PATH, HOME: terminal.home };
    expect(execFileSync(process.execPath, [terminal.at("program.mjs")], { env, encoding: "utf8" })).toBe("1 0\n");
    expect(terminal.exists("home/.zylos.json")).toBe(false);
  });

  it("links to what is there", () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1]!);
    expect(links.filter((link) => !fs.existsSync(path.join(root, link)))).toEqual([]);
  });
});
