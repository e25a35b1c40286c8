import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Shell } from "../cli/shell.ts";

const installers = path.join(import.meta.dirname, "installers");
const commandFor = (installer: string) => [installer.endsWith(".sh") ? "sh" : "node", path.join(installers, installer)];

/** Every file and link below a folder, with its mode and content, and the folder's own name as `HOME`. */
function tree(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, file);
    if (/^\.(?:npm|local|git)\b/.test(name) || entry.isDirectory()) continue;
    const mode = (fs.lstatSync(file).mode & 0o777).toString(8);
    found[name] = entry.isSymbolicLink()
      ? `-> ${fs.readlinkSync(file).replaceAll(root, "HOME")}`
      : `${mode} ${fs.readFileSync(file, "latin1").replaceAll(root, "HOME")}`;
  }
  return found;
}

function freshShell(): Shell {
  const shell = new Shell();
  shell.env.PATH = process.env.PATH!;
  return shell;
}

/** What the installer itself leaves in an empty folder. */
function installedBy(installer: string, shell: Shell): Record<string, string> {
  const home = shell.at("by-hand");
  fs.mkdirSync(home);
  const [program, ...args] = commandFor(installer);
  execFileSync(program!, args, { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
  return tree(home);
}

describe("stet init --from-installed", () => {
  it.each(["hooks.sh", "servers.mjs"])(
    "makes a pack that installs what %s does, and leaves nothing",
    async (installer) => {
      const author = freshShell();
      const out = await author.ok("init", "--from-installed", "--dir", "pack", "--", ...commandFor(installer));
      expect(out).toContain("stet plan pack/stet.yaml");
      expect(author.exists(".claude")).toBe(false);

      const user = freshShell();
      const pack = author.at("pack");
      await user.ok("apply", pack);
      const wanted = installedBy(installer, author);
      const { ".bashrc": section = "", ...rest } = tree(user.home);
      const { ".bashrc": lines = "", ...files } = wanted;
      expect(rest).toEqual(files);
      // What everybody writes into is a marked section of its own.
      expect(section).toContain(lines.replace(/^\d+ /, ""));
      expect(await user.json("apply", pack)).toMatchObject({ changed: 0 });
      expect((await user.json("check", pack)).passed).toBe(true);
      await user.ok("uninstall", "pack");
      expect(tree(user.home)).toEqual({});
    },
  );

  it("names a folder once, a file with another mode by itself, and says what it left out", async () => {
    const author = freshShell();
    await author.ok("init", "--from-installed", "--dir", "pack", "--", ...commandFor("servers.mjs"));
    const manifest = author.read("pack/stet.yaml");
    expect(manifest).toContain("vars:\n  MEMO_HOME: ~/.memo\nfiles:");
    expect(manifest).toContain(
      'target: "${MEMO_HOME}/private.txt"\n    template: files/.memo/private.txt\n    mode: "0600"',
    );
    expect(manifest).toContain('target: "${MEMO_HOME}/current"\n    link: "${MEMO_HOME}/releases/2.1.0"');
    expect(manifest).toContain('target: "${MEMO_HOME}/releases/"\n');
    expect(manifest).toContain("target: ~/.bashrc\n    template: templates/bashrc\n    strategy: block");
    const document = JSON.parse(
      await author.ok("init", "--from-installed", "--json", "--dir", "p2", "--", ...commandFor("hooks.sh")),
    );
    expect(document.left_out).toEqual([".npm/"]);
    expect(author.read("p2/templates/settings.json")).toContain('"${CHIME_HOME}/bin/ring"');
    expect(author.read("p2/files/.chime/bin/ring")).toContain("$${TONE} is the reader's own");
  });

  it("makes a pack of scope project from what is written into the folder it runs in", async () => {
    const author = freshShell();
    await author.ok(
      "init",
      "--from-installed",
      "--scope",
      "project",
      "--dir",
      "pack",
      "--",
      ...commandFor("agents.sh"),
    );
    const manifest = author.read("pack/stet.yaml");
    expect(manifest).toContain("scope: project\n");
    expect(manifest).toContain("target: .claude/agents/\n");
    const user = freshShell();
    fs.mkdirSync(user.at("shop/.git"), { recursive: true });
    await user.ok("apply", author.at("pack"), "--project", user.at("shop"));
    const { ".stet/pack.json": _, ...files } = tree(user.at("shop"));
    expect(files).toEqual(installedBy("agents.sh", author));
    await user.ok("uninstall", "pack", "--project", user.at("shop"));
    expect(tree(user.at("shop"))).toEqual({});
  });

  it("leaves out of a project's pack what names the folder or the home it was made in, and says so", async () => {
    const author = freshShell();
    const script =
      'mkdir -p .claude; echo "{\\"root\\": \\"$PWD\\"}" > .claude/settings.local.json; echo hi > NOTES.md; ln -s "$HOME/x" link';
    const init = ["init", "--from-installed", "--scope", "project", "--dir", "pack", "--", "sh", "-c"];
    const said = await author.ok(...init, script);
    expect(said).toContain("left out: .claude/settings.local.json names the folder or the home");
    expect(author.read("pack/stet.yaml")).not.toMatch(/settings|link/);
    const user = freshShell();
    fs.mkdirSync(user.at("shop/.git"), { recursive: true });
    await user.ok("apply", author.at("pack"), "--project", user.at("shop"));
    expect(user.read("shop/NOTES.md")).toBe("hi\n");
    const bound = await author.run(...init.map((word) => (word === "pack" ? "p2" : word)), 'echo "$PWD" > only.md');
    expect([bound.code, bound.err, author.exists("p2")]).toEqual([
      1,
      expect.stringContaining("the same for everybody"),
      false,
    ]);
  });

  it("refuses an installer that fails, or writes nothing, with what it said", async () => {
    const author = freshShell();
    const failed = await author.run(
      "init",
      "--from-installed",
      "--dir",
      "p",
      "--",
      "sh",
      "-c",
      "echo no disk >&2; exit 3",
    );
    expect([failed.code, failed.err]).toEqual([1, expect.stringMatching(/ended with 3.*no disk/)]);
    const nothing = await author.run("init", "--from-installed", "--dir", "p", "--", "true");
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining("wrote nothing")]);
    const missing = await author.run("init", "--from-installed", "--dir", "p", "--", "no-such-program-here");
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("no-such-program-here")]);
    expect(author.exists("p")).toBe(false);
  });
});
