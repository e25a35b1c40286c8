import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Workplace } from "./workplace.ts";

const examples = path.resolve(import.meta.dirname, "../../examples");

/** An example, and the release after it: the same folder with some of its texts changed, and files dropped. */
function releases(work: Workplace, example: string, changes: Readonly<Record<string, [string, string] | undefined>>) {
  const [first, second] = [work.at(`${example}-1`), work.at(`${example}-2`)];
  for (const folder of [first, second]) fs.cpSync(path.join(examples, example), folder, { recursive: true });
  work.edit(`${example}-2/stet.yaml`, "version: 1.0.0", "version: 1.1.0");
  for (const [file, change] of Object.entries(changes)) {
    if (change === undefined) fs.rmSync(path.join(second, file));
    else work.edit(`${example}-2/${file}`, change[0], change[1]);
  }
  return { first, second };
}

const files = (work: Workplace, folder: string) =>
  fs
    .readdirSync(work.at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(work.at(folder), path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith(".git/"))
    .sort();

/**
 * Ann installs and Ben clones; Ben edits while Ann upgrades; both are merged by Git, and Ben's next run has nothing to
 * do.
 */
async function sharedByTwo(
  work: Workplace,
  { first, second }: { first: string; second: string },
  { name, edit }: { name: string; edit(folder: string): void },
): Promise<void> {
  await work.ok("ann", "apply", first);
  work.commit("ann", `install ${name}`);
  work.git("ann", "push", "-q", "origin", "HEAD:main");
  work.clone("ben");
  edit("ben");
  work.commit("ben", "as I like it");
  await work.ok("ann", "apply", second);
  work.commit("ann", `upgrade ${name}`);
  work.git("ann", "push", "-q", "origin", "HEAD:main");
  work.git("ben", "pull", "-q", "--no-rebase", "--no-edit", "origin", "main");
  expect(await work.json("ben", "apply", second)).toMatchObject({ changed: 0 });
  expect((await work.run("ben", "plan", second, "--exit-code")).code).toBe(0);
}

describe("examples/project-framework", () => {
  it("is installed, edited, upgraded, merged over two clones and uninstalled", async () => {
    const work = new Workplace();
    const agents = fs.readdirSync(path.join(examples, "project-framework/agents"));
    const commands = fs.readdirSync(path.join(examples, "project-framework/commands"));
    expect(agents.length + commands.length).toBe(60);
    const both = releases(work, "project-framework", {
      "agents/reviewer.md": ["Ask when", "Ask a person when"],
      "commands/scout.md": undefined,
      "hooks/guard.sh": ["exit 2", "exit 3"],
    });
    const edit = (folder: string) => {
      work.edit(`${folder}/.claude/agents/reviewer.md`, "You are the reviewer.", "You are our reviewer.");
      work.edit(`${folder}/.claude/agents/tester.md`, "Ask when", "Never ask when");
    };
    await sharedByTwo(work, both, { name: "crew", edit });
    const merged = work.read("ben/.claude/agents/reviewer.md");
    expect([merged.includes("our reviewer"), merged.includes("Ask a person")]).toEqual([true, true]);
    expect(work.exists("ben/.claude/commands/scout.md")).toBe(false);
    expect(fs.statSync(work.at("ben/.claude/hooks/guard.sh")).mode & 0o111).not.toBe(0);
    const { diagnostics } = await work.json("ben", "uninstall", "crew");
    expect(diagnostics.map(({ code }: { code: string }) => code)).toContain("entries-stay");
    expect(files(work, "ben")).toEqual([".claude/agents/reviewer.md", ".claude/agents/tester.md", "README.md"]);
    await work.ok("ann", "uninstall", "crew");
    expect(files(work, "ann")).toEqual(["README.md"]);
  });
});

describe("examples/five-runtimes", () => {
  it("is installed, edited, upgraded, merged over two clones and uninstalled", async () => {
    const work = new Workplace();
    const both = releases(work, "five-runtimes", { "AGENTS.md": ["ask a person", "ask anybody"] });
    work.edit("five-runtimes-2/stet.yaml", "MEMO_LEVEL: info", "MEMO_LEVEL: warn");
    await sharedByTwo(work, both, {
      name: "memo",
      edit: (folder) => work.edit(`${folder}/.gemini/settings.json`, "10000", "20000"),
    });
    expect(files(work, "ben")).toEqual([
      ".claude/settings.json",
      ".codex/config.toml",
      ".codex/hooks.json",
      ".cursor/hooks.json",
      ".cursor/mcp.json",
      ".gemini/settings.json",
      ".github/copilot-instructions.md",
      ".mcp.json",
      ".stet/memo.json",
      ".vscode/mcp.json",
      "AGENTS.md",
      "CLAUDE.md",
      "GEMINI.md",
      "README.md",
    ]);
    expect(work.read("ben/.codex/config.toml")).toContain('MEMO_LEVEL = "warn"');
    expect(work.read("ben/CLAUDE.md")).toContain("ask anybody");
    const { diagnostics } = await work.json("ann", "plan", both.second);
    expect(diagnostics.map(({ message }: { message: string }) => message)).toEqual([
      "hook SessionStart is not written for vscode: stet knows no file from which it reads hooks in a project",
    ]);
    await work.ok("ben", "uninstall", "memo");
    expect(files(work, "ben")).toEqual([".gemini/settings.json", "README.md"]);
    await work.ok("ann", "uninstall", "memo");
    expect(files(work, "ann")).toEqual(["README.md"]);
  });
});

describe("examples/user-framework", () => {
  it("is installed, edited, upgraded, merged over two clones of a home and uninstalled", async () => {
    const work = new Workplace();
    const { first, second } = releases(work, "user-framework", {
      "templates/config.json": ['"ding"', '"gong"'],
      "templates/claude.json": ['"timeout": 5', '"timeout": 9'],
      "bin/serve": undefined,
    });
    work.edit("user-framework-2/templates/codex.toml", "bin/serve", "bin/ring");
    const at = (home: string) => ["--home", work.at(home), "--state-dir", work.at(`state-${home}`)];
    work.edit("user-framework-2/templates/bashrc", "export PATH", "export BELL=2\nexport PATH");
    work.write("ann/.claude/settings.json", '{\n  "model": "opus"\n}\n');
    work.write("ann/.codex/config.toml", 'model = "o3"\n');
    work.write("ann/.bashrc", "alias ll='ls -l'\n# the end of mine\n");
    work.commit("ann", "my home");
    work.git("ann", "push", "-q", "origin", "HEAD:main");
    work.clone("ben");
    const before = files(work, "ann").map((file) => work.read(`ann/${file}`));
    for (const home of ["ann", "ben"]) await work.ok(home, "apply", first, ...at(home));
    // Paths of a machine are nothing to share: of what bell wrote, the section of .bashrc is.
    const share = (home: string) => work.git(home, "commit", "-q", "-m", "bell", ".bashrc");
    share("ann");
    work.git("ann", "push", "-q", "origin", "HEAD:main");
    work.git("ben", "checkout", "-q", "--", ".bashrc");
    work.git("ben", "pull", "-q", "--no-rebase", "--no-edit", "origin", "main");
    work.edit("ann/.bell/config.json", '"volume": 3', '"volume": 9');
    expect((await work.json("ann", "apply", second, ...at("ann"))).summary).toMatchObject({ update: 4, remove: 1 });
    share("ann");
    work.git("ann", "push", "-q", "origin", "HEAD:main");
    work.write("ben/.bashrc", `alias la='ls -A'\n${work.read("ben/.bashrc")}`);
    share("ben");
    work.git("ben", "pull", "-q", "--no-rebase", "--no-edit", "origin", "main");
    // Ann's upgrade of the section came by Git: it is as wanted already, and the rest follows.
    expect((await work.json("ben", "apply", second, ...at("ben"))).summary).toMatchObject({ adopt: 1, remove: 1 });
    expect(work.read("ben/.bashrc")).toMatch(/^alias la='ls -A'\nalias ll[\s\S]*BELL=2/);
    expect(JSON.parse(work.read("ann/.bell/config.json"))).toMatchObject({ volume: 9, sound: "gong" });
    expect(execFileSync(work.at("ann/.bell/bin/ring"), { encoding: "utf8" })).toBe("\x07");
    await work.ok("ann", "uninstall", "bell", ...at("ann"));
    expect(JSON.parse(work.read("ann/.bell/config.json"))).toEqual({ volume: 9 });
    await work.ok("ann", "uninstall", "bell", "--all", ...at("ann"));
    expect(files(work, "ann").map((file) => work.read(`ann/${file}`))).toEqual(before);
    await work.ok("ben", "uninstall", "bell", ...at("ben"));
    expect(work.read("ben/.bashrc")).toBe("alias la='ls -A'\nalias ll='ls -l'\n# the end of mine\n");
  });
});
