import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { stetHost } from "../host/cli.ts";
import { GitRepository, webFiles } from "../host/git-repository.ts";

/** A working copy that came in an archive: its `.git/config` was written by somebody else. */
function unpacked(): { repository: GitRepository; ran: () => string[]; program: (name: string) => string } {
  const repository = new GitRepository();
  onTestFinished(() => repository.remove());
  repository.commit(webFiles);
  const marks = path.join(repository.folder, "ran");
  fs.mkdirSync(marks);
  const program = (name: string): string => {
    const file = path.join(repository.folder, name);
    // As gpg answers where a signature is good, and as a filter that changes nothing.
    const answer = `echo "[GNUPG:] GOODSIG 1234567890ABCDEF Somebody"\necho "[GNUPG:] VALIDSIG ${"A".repeat(40)} 2026-01-01 0 0 4 0 1 8 00 ${"A".repeat(40)}"`;
    fs.writeFileSync(file, `#!/bin/sh\ntouch ${marks}/${name}\n${answer}\n`, { mode: 0o755 });
    return file;
  };
  return { repository, program, ran: () => fs.readdirSync(marks) };
}

function stet(repository: GitRepository, ...args: string[]) {
  const home = path.join(repository.folder, "home");
  fs.mkdirSync(home, { recursive: true });
  return stetHost([...args, "--repo", repository.work, "--host", "box", "--root", path.join(home, "root")], {
    PATH: process.env.PATH,
    HOME: home,
  });
}

describe("a folder whose .git/config names programs runs none of them", () => {
  it("file system monitors, hooks, pagers, ssh, editors and filters", async () => {
    const { repository, program, ran } = unpacked();
    repository.commit({ ".gitattributes": "* filter=evil diff=evil\n" });
    for (const [key, name] of [
      ["core.fsmonitor", "monitor"],
      ["core.pager", "pager"],
      ["core.sshCommand", "ssh"],
      ["core.editor", "editor"],
      ["diff.external", "differ"],
      ["diff.evil.textconv", "converter"],
      ["filter.evil.clean", "cleaner"],
      ["filter.evil.process", "processor"],
      ["filter.with.dots.clean", "dotted"],
      ["alias.status", "alias"],
    ] as const)
      repository.git("config", key, key.startsWith("alias") ? `!${program(name)}` : program(name));
    repository.git("config", "filter.evil.required", "true");
    fs.writeFileSync(path.join(repository.work, ".git/info/attributes"), "*.yaml filter=with.dots\n");
    fs.mkdirSync(path.join(repository.work, ".git/hooks"), { recursive: true });
    for (const hook of ["post-index-change", "reference-transaction", "post-checkout"])
      fs.symlinkSync(program(hook), path.join(repository.work, ".git/hooks", hook));
    // As long as before, so that only its content can tell whether it changed.
    fs.writeFileSync(
      path.join(repository.work, "services/web/quadlet/web.container"),
      "[Container]\nImage=example.org/web:2\n",
    );
    const said = await stet(repository, "evaluate", "--json");
    expect(said).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(said.out).rev).toMatch(/^[0-9a-f]{40}-dirty$/);
    expect(await stet(repository, "plan", "--rev", "main")).toMatchObject({ code: 0, err: "" });
    expect(await stet(repository, "diff", "main")).toMatchObject({ code: 0 });
    expect(ran()).toEqual([]);
  });

  it("those of a submodule inside it", async () => {
    const { repository, program, ran } = unpacked();
    const inner = path.join(repository.work, "inner");
    fs.mkdirSync(inner);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: inner,
        encoding: "utf8",
      }).trim();
    git("init", "--quiet");
    fs.writeFileSync(path.join(inner, "file"), "one\n");
    fs.writeFileSync(path.join(inner, ".gitattributes"), "* filter=evil\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "x");
    const head = git("rev-parse", "HEAD");
    git("config", "core.fsmonitor", program("monitor"));
    git("config", "filter.evil.clean", program("cleaner"));
    fs.writeFileSync(path.join(inner, "file"), "two\n");
    repository.git("update-index", "--add", "--cacheinfo", `160000,${head},inner`);
    repository.write({ ".gitmodules": '[submodule "inner"]\n\tpath = inner\n\turl = ext::sh -c touch% ran\n' });
    repository.git("config", "submodule.inner.active", "true");
    expect(await stet(repository, "evaluate")).toMatchObject({ code: 0 });
    expect(ran()).toEqual([]);
  });

  it("one that says every signature is good", async () => {
    const { repository, program, ran } = unpacked();
    const tree = repository.git("rev-parse", "HEAD^{tree}");
    const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n bm9uZQ==\n -----END PGP SIGNATURE-----\n";
    const who = "a <a@b> 1 +0000";
    fs.writeFileSync(
      path.join(repository.folder, "commit"),
      `tree ${tree}\nauthor ${who}\ncommitter ${who}\n${signature}\nsigned?\n`,
    );
    const commit = repository.git("hash-object", "-t", "commit", "-w", path.join(repository.folder, "commit"));
    repository.git("update-ref", "refs/heads/forged", commit);
    for (const key of ["gpg.program", "gpg.openpgp.program", "gpg.ssh.program"])
      repository.git("config", key, program("judge"));
    const keyring = path.join(repository.folder, "keys");
    fs.writeFileSync(keyring, "");
    for (const option of ["--keyring", "--allowed-signers"]) {
      const { code, out, err } = await stet(repository, "apply", "--rev", "forged", option, keyring);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/^stet: commit [0-9a-f]{12} [^\n]+; it is not applied\n$/);
    }
    expect(ran()).toEqual([]);
  });

  it("one that would bring objects that are missing", async () => {
    const { repository, program, ran } = unpacked();
    const id = repository.git("rev-parse", "HEAD:services/web/quadlet/web.container");
    fs.rmSync(path.join(repository.work, ".git/objects", id.slice(0, 2), id.slice(2)));
    repository.git("config", "core.repositoryformatversion", "1");
    repository.git("config", "extensions.partialClone", "origin");
    repository.git("config", "remote.origin.promisor", "true");
    repository.git("config", "remote.origin.url", repository.url);
    repository.git("config", "remote.origin.uploadpack", program("bringer"));
    const { code, err } = await stet(repository, "plan", "--rev", "main");
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^stet: git [^\n]+\n$/) });
    expect(ran()).toEqual([]);
  });
});

it("a folder of another user is not asked for its commits, and the reason is told", async () => {
  const { repository } = unpacked();
  const foreign = process.geteuid!() === 0 ? 65534 : undefined;
  // Only root can give a folder away; anybody else finds one that root owns.
  const repo = foreign === undefined ? "/usr" : repository.work;
  if (foreign !== undefined) for (const at of [repo, path.join(repo, ".git")]) fs.chownSync(at, foreign, foreign);
  const { code, out, err } = await stetHost(
    ["plan", "--repo", repo, "--rev", "main", "--host", "box", "--root", "/nowhere"],
    {
      PATH: process.env.PATH,
      HOME: repository.folder,
    },
  );
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^stet: [^\n]*(?:belongs to another user|is not a Git repository)[^\n]*\n$/);
});
