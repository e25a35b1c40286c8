import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Workplace } from "./workplace.ts";

const local = ".claude/settings.local.json";

/** Whether Git ignores the file for whoever lives in the workplace's home. */
function isIgnoredByGit(work: Workplace, folder: string): boolean {
  const env = { PATH: process.env.PATH!, HOME: work.shell.home, GIT_CONFIG_NOSYSTEM: "1" };
  return spawnSync("git", ["check-ignore", "-q", local], { cwd: work.at(folder), env }).status === 0;
}

function inHome(work: Workplace, name: string, text: string): void {
  const file = path.join(work.shell.home, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

describe("a target that Git ignores may depend on the machine, and stet agrees with Git on which those are", () => {
  const cases: Readonly<Record<string, (work: Workplace) => string | undefined>> = {
    "by nobody": () => undefined,
    "by its name": (work) => void work.write("ann/.gitignore", "*.local.json\n"),
    "with its folder, whatever a list in there says": (work) => {
      work.write("ann/.gitignore", ".claude/\n");
      work.write("ann/.claude/.gitignore", "!settings.local.json\n");
      return undefined;
    },
    "but for a list further in": (work) => {
      work.write("ann/.gitignore", ".claude/*\n");
      work.write("ann/.claude/.gitignore", "!settings.local.json\n");
      return undefined;
    },
    "in another case": (work) => void work.write("ann/.gitignore", "*.LOCAL.json\n"),
    "by lines that end as on Windows": (work) => void work.write("ann/.gitignore", "\uFEFF*.local.json\r\n"),
    "by the clone's own list": (work) => void work.write("ann/.git/info/exclude", "*.local.json\n"),
    "by the list of the clone that a worktree belongs to": (work) => {
      work.write("ann/.git/info/exclude", "*.local.json\n");
      work.git("ann", "worktree", "add", "-q", work.at("tree"), "-b", "tree");
      return "tree";
    },
    "by the repository around the project": (work) => {
      work.write("ann/.gitignore", "*.local.json\n");
      work.write("ann/packages/web/.stet/other.json", '{"format_version":1,"name":"other","files":{}}');
      return "ann/packages/web";
    },
    "by the user's list": (work) => void inHome(work, ".config/git/ignore", "**/.claude/settings.local.json\n"),
    "by the list that the user's configuration names": (work) => {
      inHome(work, ".gitconfig", "[core]\n\texcludesFile = ~/ignored\n");
      inHome(work, "ignored", "*.local.json\n");
      return undefined;
    },
    "by the user, but not by the repository": (work) => {
      inHome(work, ".config/git/ignore", "*.local.json\n");
      work.write("ann/.gitignore", "!*.local.json\n");
      return undefined;
    },
  };
  const seen: boolean[] = [];
  for (const [name, prepare] of Object.entries(cases)) {
    it(name, async () => {
      const work = new Workplace();
      const folder = prepare(work) ?? "ann";
      const pack = work.release("1.0.0", { theme: "dark" }, { [local]: '{ "bin": "${HOME}/bin" }\n' });
      const ignored = isIgnoredByGit(work, folder);
      seen.push(ignored);
      const { code, err } = await work.run(folder, "apply", pack);
      expect([code, err]).toEqual(ignored ? [0, ""] : [1, expect.stringContaining("depends on the machine")]);
      const records = `${folder}/.stet/chime.json`;
      if (work.exists(records)) expect(work.read(records)).not.toContain("settings.local.json");
    });
  }

  it("in some of these cases and not in others", () => expect(new Set(seen).size).toBe(2));

  it("but records that a colleague committed stay, where only the user's own list names the file", async () => {
    const work = new Workplace();
    const pack = work.release("1.0.0", { theme: "dark" });
    await work.ok("ann", "apply", pack);
    const committed = work.read("ann/.stet/chime.json");
    inHome(work, ".config/git/ignore", ".claude/\n");
    expect(await work.json("ann", "apply", pack)).toMatchObject({ changed: 0 });
    expect(work.read("ann/.stet/chime.json")).toBe(committed);
  });

  it("and a file in place of the target's folder is told by the target's name", async () => {
    const work = new Workplace();
    work.write("ann/.claude", "mine\n");
    const { code, err } = await work.run("ann", "apply", work.release("1.0.0", { theme: "dark" }));
    expect([code, err]).toEqual([1, expect.stringContaining(".claude/settings.json: ")]);
    expect(work.read("ann/.claude")).toBe("mine\n");
  });
});
