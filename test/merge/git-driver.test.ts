import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";

const bin = path.resolve("bin/stet.cjs");

beforeAll(() => {
  // The driver is the program as it ships.
  if (!fs.existsSync("dist/cli.js")) execFileSync(process.execPath, ["scripts/build.mjs"]);
});

/** A repository with git's own tools, and stet as its merge driver. */
class Repository {
  readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-driver-")));
  readonly env = {
    ...process.env,
    HOME: this.folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@x",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@x",
  };

  constructor() {
    onTestFinished(() => fs.rmSync(this.folder, { recursive: true, force: true }));
    fs.mkdirSync(this.at("repo"));
    this.git("init", "-q", "-b", "main");
  }

  at(...parts: string[]): string {
    return path.join(this.folder, ...parts);
  }

  git(...args: string[]): string {
    return execFileSync("git", args, {
      cwd: this.at("repo"),
      env: this.env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  tries(...args: string[]): { status: number | null; out: string } {
    const { status, stdout, stderr } = spawnSync("git", args, {
      cwd: this.at("repo"),
      env: this.env,
      encoding: "utf8",
    });
    return { status, out: stdout + stderr };
  }

  stet(...args: string[]): string {
    return execFileSync(process.execPath, [bin, ...args], { cwd: this.at("repo"), env: this.env, encoding: "utf8" });
  }

  write(file: string, text: string): void {
    fs.mkdirSync(path.dirname(this.at("repo", file)), { recursive: true });
    fs.writeFileSync(this.at("repo", file), text);
  }

  read(file: string): string {
    return fs.readFileSync(this.at("repo", file), "utf8");
  }

  commit(files: Record<string, string>): void {
    for (const [file, text] of Object.entries(files)) this.write(file, text);
    this.git("add", "-A");
    this.git("commit", "-q", "-m", "x");
  }
}

const base = '{\n  "a": 1,\n  "b": 1\n}\n';
const mine = '{\n  // mine\n  "a": 1,\n  "b": 1,\n  "m": 1\n}\n';
const theirs = '{\n  "a": 1,\n  "b": 2,\n  "t": 1\n}\n';
const both = { a: 1, b: 2, m: 1, t: 1 };

/** Two branches that git alone can't join. */
function diverged(): Repository {
  const repository = new Repository();
  repository.commit({ "x.json": base });
  repository.git("checkout", "-q", "-b", "other");
  repository.commit({ "x.json": theirs });
  repository.git("checkout", "-q", "main");
  repository.commit({ "x.json": mine });
  return repository;
}

function expectJoined(text: string): void {
  expect(JSON.parse(text.replace(/^\s*\/\/.*$/m, ""))).toEqual(both);
  expect(text).toContain("// mine");
}

describe("as git's merge driver", () => {
  it("git alone has a conflict here", () => {
    expect(diverged().tries("merge", "other").status).toBe(1);
  });

  it("merge", () => {
    const repository = diverged();
    repository.stet("merge", "--install");
    repository.git("merge", "-q", "--no-edit", "other");
    expectJoined(repository.read("x.json"));
  });

  it("rebase", () => {
    const repository = diverged();
    repository.stet("merge", "--install");
    repository.git("rebase", "-q", "other");
    expectJoined(repository.read("x.json"));
  });

  it("cherry-pick", () => {
    const repository = diverged();
    repository.stet("merge", "--install");
    repository.git("cherry-pick", "other");
    expectJoined(repository.read("x.json"));
  });

  it("stash", () => {
    const repository = new Repository();
    repository.commit({ "x.json": base });
    repository.stet("merge", "--install");
    repository.write("x.json", theirs);
    repository.git("stash", "-q");
    repository.commit({ "x.json": mine });
    repository.git("stash", "pop", "-q");
    expectJoined(repository.read("x.json"));
  });

  it("a file that one side renamed", () => {
    const repository = new Repository();
    const long = (text: string) =>
      text.replace("{\n", `{\n${Array.from({ length: 20 }, (_, i) => `  "k${i}": ${i},\n`).join("")}`);
    repository.commit({ "x.json": long(base) });
    repository.git("checkout", "-q", "-b", "other");
    repository.commit({ "x.json": long(theirs) });
    repository.git("checkout", "-q", "main");
    repository.git("mv", "x.json", "config/y.json".replace("config/", ""));
    repository.commit({ "y.json": long(mine) });
    repository.stet("merge", "--install");
    repository.git("merge", "-q", "--no-edit", "other");
    expect(JSON.parse(repository.read("y.json").replace(/^\s*\/\/.*$/m, ""))).toMatchObject(both);
  });

  it("a conflict is git's: markers in the file, unmerged in the index", () => {
    const repository = new Repository();
    repository.commit({ "x.yaml": "a: 1\nb: 1\n" });
    repository.git("checkout", "-q", "-b", "other");
    repository.commit({ "x.yaml": "a: 2\nb: 2\n" });
    repository.git("checkout", "-q", "main");
    repository.commit({ "x.yaml": "a: 3\nb: 1\n" });
    repository.stet("merge", "--install");
    expect(repository.tries("merge", "other").status).toBe(1);
    expect(repository.read("x.yaml")).toMatch(/^<{7} .*\na: 3\n={7}\na: 2\n>{7} .*\nb: 2\n$/);
    expect(repository.git("status", "--porcelain")).toContain("UU x.yaml");
  });

  it.each(["diff3", "zdiff3"])("a conflict is shown as git is told to: %s", (style) => {
    const repository = new Repository();
    repository.commit({ "x.yaml": "z: 1\na: 1\nb: 1\n" });
    repository.git("checkout", "-q", "-b", "other");
    repository.commit({ "x.yaml": "z: 1\na: 2\nb: 2\n" });
    repository.git("checkout", "-q", "main");
    repository.commit({ "x.yaml": "z: 1\na: 3\nb: 1\n" });
    repository.stet("merge", "--install");
    repository.git("config", "merge.conflictStyle", style);
    expect(repository.tries("merge", "other").status).toBe(1);
    expect(repository.read("x.yaml")).toMatch(/^z: 1\n<{7} .*\na: 3\n\|{7} .*\na: 1\n={7}\na: 2\n>{7} .*\nb: 2\n$/);
  });

  it("an odd path", () => {
    const repository = new Repository();
    repository.commit({ "a b'$c/-%A.json": base });
    repository.git("checkout", "-q", "-b", "other");
    repository.commit({ "a b'$c/-%A.json": theirs });
    repository.git("checkout", "-q", "main");
    repository.commit({ "a b'$c/-%A.json": mine });
    repository.stet("merge", "--install");
    repository.git("merge", "-q", "--no-edit", "other");
    expectJoined(repository.read("a b'$c/-%A.json"));
  });

  it("where the program has gone, git merges the lines itself: our side never stands there alone", () => {
    const repository = diverged();
    repository.stet("merge", "--install");
    const config = repository.read(".git/config");
    for (const gone of [config.replaceAll("stet.cjs'", "gone.cjs'"), config.replaceAll(process.execPath, "/no/node")]) {
      repository.write(".git/config", gone);
      expect(repository.tries("merge", "other").status).toBe(1);
      expect(repository.read("x.json")).toContain('<<<<<<< ours\n  "b": 1,\n  "m": 1\n=======\n');
      repository.git("merge", "--abort");
    }
  });

  it("a binary file is a conflict that leaves ours, as without it", () => {
    const repository = new Repository();
    repository.commit({ "x.json": "a\0" });
    repository.git("checkout", "-q", "-b", "other");
    repository.commit({ "x.json": "b\0" });
    repository.git("checkout", "-q", "main");
    repository.commit({ "x.json": "c\0" });
    repository.stet("merge", "--install");
    expect(repository.tries("merge", "other")).toMatchObject({
      status: 1,
      out: expect.stringContaining("x.json: binary files can't be merged"),
    });
    expect([repository.read("x.json"), repository.git("status", "--porcelain")]).toEqual(["c\0", "UU x.json\n"]);
  });

  it("a repository that was moved: nothing is written twice, and what to do is said", () => {
    const repository = new Repository();
    repository.stet("merge", "--install");
    const before = repository.read(".git/config");
    fs.renameSync(repository.at("repo"), repository.at("moved"));
    const tries = (option: string) =>
      spawnSync(process.execPath, [bin, "merge", option], {
        cwd: repository.at("moved"),
        env: repository.env,
        encoding: "utf8",
      });
    for (const option of ["--install", "--uninstall"])
      expect(tries(option)).toMatchObject({ status: 1, stderr: expect.stringContaining("moved or copied") });
    expect(fs.readFileSync(repository.at("moved/.git/config"), "utf8")).toBe(before);
  });

  it("an INI file's neighbouring lines are two entries", () => {
    const repository = new Repository();
    repository.commit({ ".editorconfig": "[*]\nindent_style = space\nindent_size = 2\n" });
    repository.git("checkout", "-q", "-b", "other");
    repository.commit({ ".editorconfig": "[*]\nindent_style = tab\nindent_size = 2\n" });
    repository.git("checkout", "-q", "main");
    repository.commit({ ".editorconfig": "[*]\nindent_style = space\nindent_size = 4\n" });
    repository.stet("merge", "--install");
    expect(repository.tries("merge", "other").status).toBe(0);
    expect(repository.read(".editorconfig")).toBe("[*]\nindent_style = tab\nindent_size = 4\n");
  });

  it("only for the formats asked for", () => {
    const repository = diverged();
    repository.stet("merge", "--install", "--formats", "yaml,toml");
    expect(repository.tries("merge", "other").status).toBe(1);
    expect(repository.read(".git/info/attributes")).not.toContain("json");
  });

  it("--uninstall gives every byte back", () => {
    const repository = diverged();
    fs.mkdirSync(repository.at("repo/.git/info"), { recursive: true });
    fs.writeFileSync(repository.at("repo/.git/info/attributes"), "*.png binary");
    const files = [".git/config", ".git/info/attributes"];
    const before = files.map((file) => repository.read(file));
    repository.stet("merge", "--install");
    repository.stet("merge", "--install");
    expect(repository.read(".git/config")).toContain('[merge "stet"]');
    repository.stet("merge", "--uninstall");
    expect(files.map((file) => repository.read(file))).toEqual(before);
  });

  it("a project's records of two branches need nobody's help", () => {
    const repository = new Repository();
    const records = (entries: Record<string, number>) =>
      `${JSON.stringify({ format_version: 1, name: "z", entries }, undefined, 2)}\n`;
    repository.commit({ ".stet/z.json": records({ a: 1, b: 1 }) });
    repository.git("checkout", "-q", "-b", "other");
    repository.commit({ ".stet/z.json": records({ a: 1, b: 1, t: 1 }) });
    repository.git("checkout", "-q", "main");
    repository.commit({ ".stet/z.json": records({ a: 1, b: 1, m: 1 }) });
    repository.stet("merge", "--install");
    repository.git("merge", "-q", "--no-edit", "other");
    expect(JSON.parse(repository.read(".stet/z.json")).entries).toEqual({ a: 1, b: 1, m: 1, t: 1 });
  });
});
