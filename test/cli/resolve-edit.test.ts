import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Shell } from "./shell.ts";

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join("");

/** Both sides changed the second line; each changed another one alone. */
async function conflict(strategy = ""): Promise<Shell> {
  const shell = new Shell();
  const pack = (version: string, text: string) => {
    const folder = shell.pack(version, { "~/AGENTS.md": text });
    if (strategy) shell.edit(`${folder}/stet.yaml`, "template:", `${strategy}, template:`);
    return folder;
  };
  await shell.ok("apply", pack("1.0", lines("one", "two", "three", "four", "five")));
  shell.edit("AGENTS.md", "two", "two, mine");
  await shell.ok("apply", pack("2.0", lines("one", "two, theirs", "three", "four", "five, theirs")));
  return shell;
}

/** A program for `$EDITOR`: it gets the copy's path as its last argument. */
function editor(shell: Shell, script: string): void {
  shell.write("editor.sh", `#!/bin/sh\n${script}\n`);
  fs.chmodSync(shell.at("editor.sh"), 0o700);
  shell.env.EDITOR = `${shell.at("editor.sh")} --wait`;
  shell.env.PATH = process.env.PATH!;
}

describe("resolve --edit", () => {
  it("opens the editor on a copy with both sides, and writes what the person makes of it", async () => {
    const shell = await conflict();
    editor(
      shell,
      `cp "$2" "$HOME/seen"; sed -i -e '/^<<<<<<</,/^=======/d' -e '/^>>>>>>>/d' -e 's/two, theirs/two, settled/' "$2"`,
    );
    const shown = await shell.ok("resolve", "AGENTS.md", "--edit");
    expect(shell.read("seen")).toBe(
      lines(
        "one",
        "<<<<<<< yours",
        "two, mine",
        "||||||| before",
        "two",
        "=======",
        "two, theirs",
        ">>>>>>> zylos 2.0",
        "three",
        "four",
        "five, theirs",
      ),
    );
    expect(shell.read("AGENTS.md")).toBe(lines("one", "two, settled", "three", "four", "five, theirs"));
    expect(shown).toContain("text:AGENTS.md");
    expect((await shell.json("plan", "zylos-2.0")).entries).toMatchObject([
      { verdict: "keep", reason: "user-modified" },
    ]);
  });

  it("does the same inside a block, and keeps the file's line ends", async () => {
    const shell = await conflict("strategy: block");
    shell.write("AGENTS.md", shell.read("AGENTS.md").replaceAll("\n", "\r\n"));
    editor(shell, `sed -i -e '/^<<<<<<</d' -e '/^|||||||/,/^>>>>>>>/d' "$2"`);
    await shell.ok("resolve", "AGENTS.md", "--edit");
    expect(shell.read("AGENTS.md")).toMatch(
      /^<!-- BEGIN ZYLOS MANAGED -->\r\none\r\ntwo, mine\r\nthree\r\nfour\r\nfive, theirs\r\n<!-- END/,
    );
  });

  it("refuses while a marker remains, keeps the copy, and goes on with it", async () => {
    const shell = await conflict();
    editor(shell, `sed -i -e '/^|||||||/d' "$2"`);
    const before = shell.read("AGENTS.md");
    const { code, err } = await shell.run("resolve", "AGENTS.md", "--edit");
    expect(code).toBe(1);
    expect(err).toMatch(
      /AGENTS\.md:2: a conflict is not settled here yet; nothing was changed, finish \S+ and run: stet resolve AGENTS\.md --edit --from \S+\n$/,
    );
    expect(shell.read("AGENTS.md")).toBe(before);
    const copy = /--from (\S+)/.exec(err)![1]!;
    expect(fs.statSync(copy).mode & 0o77).toBe(0);
    fs.writeFileSync(copy, lines("one", "two, mine", "three"));
    await shell.ok("resolve", "AGENTS.md", "--edit", "--from", copy);
    expect(shell.read("AGENTS.md")).toBe(lines("one", "two, mine", "three"));
    fs.rmSync(path.dirname(copy), { recursive: true });
  });

  it("does not let a copy take away what was written after it", async () => {
    const shell = await conflict();
    editor(shell, `sed -i -e '/^<<<<<<</d' -e '/^|||||||/,/^>>>>>>>/d' "$2"; echo late >> "$HOME/AGENTS.md"`);
    const { code, err } = await shell.run("resolve", "AGENTS.md", "--edit");
    expect([code, err]).toEqual([1, expect.stringContaining("changed while you edited the copy")]);
    expect(shell.read("AGENTS.md")).toMatch(/two, mine\n(.*\n)*late\n$/);
    const copy = /--from (\S+)/.exec(err)![1]!;
    expect((await shell.run("resolve", "AGENTS.md", "--edit", "--from", copy)).err).toMatch(
      /changed since this copy was made/,
    );
    expect(shell.read("AGENTS.md")).toContain("late");
    fs.rmSync(path.dirname(copy), { recursive: true });
  });

  it.each([
    ["fails", "exit 3", /the editor \(.*\) ended with 3; nothing was changed/],
    ["is killed", "kill -9 $$", /ended with (SIGKILL|137)/],
  ])("changes nothing when the editor %s", async (_, script, message) => {
    const shell = await conflict();
    editor(shell, script);
    const before = shell.read("AGENTS.md");
    const { code, err } = await shell.run("resolve", "AGENTS.md", "--edit");
    expect([code, err]).toEqual([1, expect.stringMatching(message)]);
    expect(shell.read("AGENTS.md")).toBe(before);
  });

  it("says so where there is no conflict, or none of lines, or too much is asked", async () => {
    const shell = await conflict();
    shell.env.EDITOR = "false";
    await shell.ok("resolve", "AGENTS.md", "--mine");
    expect((await shell.run("resolve", "AGENTS.md", "--edit")).err).toMatch(/nothing is in conflict/);
    await shell.ok("apply", shell.pack("1.0", { "~/a.json": { a: 1 } }, { name: "other" }));
    shell.write("a.json", { a: 5 });
    await shell.ok("apply", shell.pack("2.0", { "~/a.json": { a: 2 } }, { name: "other" }));
    expect((await shell.run("resolve", "setting:a", "--edit")).err).toMatch(
      /not text with conflicting lines; settle it with --mine or --theirs/,
    );
    expect((await shell.run("resolve", "setting:a", "--edit", "--mine")).err).toMatch(
      /say whose value to keep: stet resolve setting:a --mine, or --theirs/,
    );
  });

  it("never leaves a marker in the file itself", async () => {
    const shell = await conflict();
    expect(shell.read("AGENTS.md")).toBe(lines("one", "two, mine", "three", "four", "five, theirs"));
  });
});
