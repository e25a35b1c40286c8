import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Said, stetHost } from "../host/cli.ts";
import { GitRepository, webFiles } from "../host/git-repository.ts";

/**
 * Every configuration key that the installed git knows; a placeholder (`filter.<driver>.clean`) gets each of these
 * names.
 */
const names = ["evil", "", "with.dots", "a b"];
const undocumented = [
  "filter.<driver>.process",
  "core.alternateRefsCommand",
  "extensions.worktreeConfig",
  "extensions.partialClone",
];

function everyKey(): string[] {
  const listed = execFileSync("git", ["help", "--config-for-completion"], { encoding: "utf8" }).split("\n");
  const templates = execFileSync("git", ["help", "--config"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => /^[\w.<>*-]+$/.test(line) && line.includes("."));
  expect(templates.length).toBeGreaterThan(300);
  const plain = [...listed, ...templates, ...undocumented].filter((key) =>
    /^[\w-]+\.(?:[\w<>*-]+\.)?[\w<>*-]+$/.test(key),
  );
  return [
    ...new Set(
      plain.flatMap((key) =>
        /<[\w-]+>/.test(key) ? names.map((name) => key.replace(/<[\w-]+>/, `\n${name}\n`)) : [key],
      ),
    ),
  ];
}

/** `filter.evil.clean` as lines of a configuration file. `*` stands for any last part. */
function configText(key: string, value: string): string {
  const section = key.slice(0, key.indexOf("."));
  const last = key.slice(key.lastIndexOf(".") + 1).replace(/\*|\n.*\n|<.*>/s, "x");
  const middle = key.slice(section.length + 1, Math.max(section.length + 1, key.length - last.length - 1));
  const name = key.includes("\n") ? (/\n(.*)\n/s.exec(key)?.[1] ?? "") : middle.replace(/\.?\*?$/, "");
  const header = key.split(".").length > 2 || key.includes("\n") ? `[${section} "${name}"]` : `[${section}]`;
  return `${header}\n\t${last} = ${JSON.stringify(value)}\n`;
}

interface Trapped {
  readonly repository: GitRepository;
  readonly commit: string;
  /** The keys and hooks whose program was run. */
  ran(): string[];
}

/**
 * Keys whose value is a command: git takes any text for them, so that nothing else stops it before it would run one.
 */
const programKeys =
  /^(alias|pager)\.|command|cmd$|program|clean$|smudge$|process$|textconv$|driver$|hook|helper|editor|fsmonitor|askpass|external|pack$|\.vcs$/i;

/** A working copy in which every key of the kind names a program that leaves a mark. */
function trapped(isPlanted: (key: string) => boolean): Trapped {
  const repository = new GitRepository();
  onTestFinished(() => repository.remove());
  const attributes = names.map(
    (name, i) => `*.${["container", "yaml", "conf", "md"][i]} filter=${name} diff=${name} merge=${name}\n`,
  );
  repository.commit({
    ...webFiles,
    "services/web/quadlet-overrides/web.container.d/a.conf": "[Unit]\nDescription=a\n",
    "README.md": "a\n",
    ".gitattributes": attributes.join(""),
  });
  const commit = repository.git("rev-parse", "HEAD");
  // As long as before, so that only its content can tell whether it changed.
  fs.writeFileSync(
    path.join(repository.work, "services/web/quadlet/web.container"),
    "[Container]\nImage=example.org/web:2\n",
  );
  const marks = path.join(repository.folder, "ran");
  fs.mkdirSync(marks);
  const dot = path.join(repository.work, ".git");
  const traps = path.join(repository.folder, "traps");
  fs.mkdirSync(traps);
  const program = (what: string): string => {
    const file = path.join(traps, what.replaceAll(/[^\w.-]/g, "_"));
    fs.writeFileSync(file, `#!/bin/sh\ntouch ${marks}/${path.basename(file)}\ncat\n`, { mode: 0o755 });
    return file;
  };
  const lines = everyKey()
    .filter(isPlanted)
    .map((key) => configText(key, key.startsWith("alias") ? `!${program(key)}` : program(key)));
  const aliases = [
    "status",
    "rev-parse",
    "ls-tree",
    "cat-file",
    "verify-commit",
    "log",
    "config",
    "show-ref",
    "symbolic-ref",
  ];
  for (const alias of aliases) lines.push(configText(`alias.${alias}`, `!${program(`alias.${alias}`)}`));
  const included = path.join(repository.folder, "included");
  fs.writeFileSync(included, lines.join(""));
  const includes = `[include]\n\tpath = ${included}\n[includeIf "gitdir:/**"]\n\tpath = ${included}\n`;
  fs.writeFileSync(path.join(dot, "config"), `${lines.join("")}${includes}`);
  fs.writeFileSync(path.join(dot, "config.worktree"), lines.join(""));
  fs.writeFileSync(path.join(dot, "info/attributes"), attributes.join(""));
  fs.mkdirSync(path.join(dot, "hooks"), { recursive: true });
  for (const hook of fs.readdirSync(path.join(dot, "hooks")).map((sample) => sample.replace(".sample", "")))
    fs.copyFileSync(program(`hook-${hook}`), path.join(dot, "hooks", hook));
  for (const hook of ["post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"])
    fs.copyFileSync(program(`hook-${hook}`), path.join(dot, "hooks", hook));
  return { repository, commit, ran: () => fs.readdirSync(marks) };
}

function stet({ repository }: Trapped, repo: string, ...args: string[]): Promise<Said> {
  const home = path.join(repository.folder, "home");
  fs.mkdirSync(home, { recursive: true });
  const at = [
    "--repo",
    repo,
    "--host",
    "box",
    ...(["apply", "plan"].includes(args[0]!) ? ["--root", path.join(home, "root")] : []),
  ];
  return stetHost([...args, ...at], { PATH: process.env.PATH, HOME: home });
}

describe.each([
  ["every key", () => true],
  ["every key that names a program", (key: string) => programKeys.test(key)],
])("nothing of a repository's own configuration is in force: %s", (_, isPlanted) => {
  it("whatever a folder's names: every key, every hook, every attribute that the installed git knows", async () => {
    const trap = trapped(isPlanted);
    const { repository, commit } = trap;
    const said = await stet(trap, repository.work, "evaluate", "--json");
    expect(said).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(said.out).rev).toBe(`${commit}-dirty`);
    const lists = path.join(repository.folder, "list");
    fs.writeFileSync(lists, "");
    expect(await stet(trap, repository.work, "show", "web.container", "--rev", commit)).toMatchObject({
      code: 0,
      err: "",
    });
    expect(await stet(trap, repository.work, "check", "--rev", "main")).toMatchObject({ code: 0 });
    expect(await stet(trap, repository.work, "diff", "main")).toMatchObject({ code: 0, err: "" });
    expect(await stet(trap, repository.work, "plan", "--rev", commit.slice(0, 8))).toMatchObject({ code: 0, err: "" });
    for (const option of ["--allowed-signers", "--keyring"]) {
      const refused = await stet(trap, repository.work, "apply", "--rev", "main", option, lists);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("is not signed") });
    }
    expect(await stet(trap, repository.work, "apply", "--rev", "main")).toMatchObject({ code: 0, err: "" });
    expect(trap.ran()).toEqual([]);
  });

  it("whatever a file:// remote's names", async () => {
    const trap = trapped(isPlanted);
    expect(await stet(trap, trap.repository.url, "apply")).toMatchObject({ code: 0, err: "" });
    expect(await stet(trap, trap.repository.url, "diff", trap.commit, "main")).toMatchObject({ code: 0, err: "" });
    expect(trap.ran()).toEqual([]);
  });

  it("in a linked worktree, and a bare repository", async () => {
    const trap = trapped(isPlanted);
    const { repository, commit } = trap;
    const bare = path.join(repository.folder, "bare.git");
    fs.cpSync(path.join(repository.work, ".git"), bare, { recursive: true });
    expect(await stet(trap, `file://${bare}`, "apply")).toMatchObject({ code: 0, err: "" });
    // Made by hand: git itself would stumble over that configuration.
    const linked = path.join(repository.folder, "linked");
    const own = path.join(repository.work, ".git/worktrees/linked");
    fs.mkdirSync(own, { recursive: true });
    fs.mkdirSync(linked);
    fs.writeFileSync(path.join(linked, ".git"), `gitdir: ${own}\n`);
    fs.writeFileSync(path.join(own, "commondir"), "../..\n");
    fs.writeFileSync(path.join(own, "gitdir"), `${path.join(linked, ".git")}\n`);
    fs.writeFileSync(path.join(own, "HEAD"), `${commit}\n`);
    fs.copyFileSync(path.join(repository.work, ".git/index"), path.join(own, "index"));
    for (const top of ["services", "hosts", "README.md", ".gitattributes"])
      fs.cpSync(path.join(repository.work, top), path.join(linked, top), { recursive: true });
    const said = await stet(trap, linked, "evaluate", "--json");
    expect(JSON.parse(said.out).rev).toBe(`${commit}-dirty`);
    fs.writeFileSync(
      path.join(linked, "services/web/quadlet/web.container"),
      webFiles["services/web/quadlet/web.container"],
    );
    expect(JSON.parse((await stet(trap, linked, "evaluate", "--json")).out).rev).toBe(commit);
    expect(await stet(trap, linked, "plan", "--rev", "main")).toMatchObject({ code: 0, err: "" });
    expect(trap.ran()).toEqual([]);
  });
});
