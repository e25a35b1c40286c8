import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Said, stetHost } from "../host/cli.ts";
import { GitRepository, webFiles } from "../host/git-repository.ts";

const withImage = (tag: string) => ({
  "services/web/quadlet/web.container": `[Container]\nImage=example.org/web:${tag}\n`,
});

function remote(): GitRepository {
  const repository = new GitRepository();
  onTestFinished(() => repository.remove());
  repository.commit(webFiles);
  fs.mkdirSync(path.join(repository.folder, "home"));
  return repository;
}

function apply(repository: GitRepository, ...args: string[]): Promise<Said> {
  const home = path.join(repository.folder, "home");
  const at = ["--repo", repository.url, "--host", "box", "--root", path.join(home, "root"), "--json"];
  return stetHost(["apply", ...at, ...args], { PATH: process.env.PATH, HOME: home });
}

function image(repository: GitRepository): string {
  const unit = path.join(repository.folder, "home/root/etc/containers/systemd/web.container");
  return /web:(\S+)/.exec(fs.readFileSync(unit, "utf8"))![1]!;
}

/** One line, exit 1, and the host stays as it was. */
async function expectRefused(repository: GitRepository, run: Promise<Said>, line: RegExp): Promise<void> {
  const before = image(repository);
  const { code, err } = await run;
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(line) });
  expect(err).toMatch(/^stet: [^\n]+\n$/);
  expect(image(repository)).toBe(before);
}

describe("--rev means one thing", () => {
  it("a full hash is that object, whatever the remote calls its branches and tags", async () => {
    const repository = remote();
    const first = repository.git("rev-parse", "HEAD");
    const second = repository.commit(withImage("evil"));
    for (const kind of ["heads", "tags"]) repository.git("update-ref", `refs/${kind}/${first}`, second);
    expect(await apply(repository, "--rev", first)).toMatchObject({ code: 0 });
    expect(image(repository)).toBe("1");
    expect(await apply(repository, "--rev", first.toUpperCase())).toMatchObject({ code: 0 });
    expect(image(repository)).toBe("1");
  });

  it("a hash that no object has is not a branch of that name", async () => {
    const repository = remote();
    expect(await apply(repository)).toMatchObject({ code: 0 });
    const evil = repository.commit(withImage("evil"));
    for (const hash of ["1".repeat(40), "2".repeat(64)]) {
      repository.git("update-ref", `refs/heads/${hash}`, evil);
      await expectRefused(repository, apply(repository, "--rev", hash), /has no branch, tag or commit/);
    }
  });

  it("a name that is a branch and a tag is refused; each is taken by its whole name", async () => {
    const repository = remote();
    const first = repository.git("rev-parse", "HEAD");
    repository.git("tag", "v1");
    expect(await apply(repository)).toMatchObject({ code: 0 });
    repository.commit(withImage("evil"));
    repository.git("branch", "v1");
    await expectRefused(
      repository,
      apply(repository, "--rev", "v1"),
      /"v1" is ambiguous: it is refs\/heads\/v1 and refs\/tags\/v1;/,
    );
    expect(JSON.parse((await apply(repository, "--rev", "refs/tags/v1")).out).version).toBe(first);
    expect(await apply(repository, "--rev", "refs/heads/v1")).toMatchObject({ code: 0 });
    expect(image(repository)).toBe("evil");
  });

  it("a branch does not take the place of a commit that is given by its first digits", async () => {
    const repository = remote();
    const first = repository.git("rev-parse", "HEAD");
    expect(await apply(repository, "--rev", first.slice(0, 9))).toMatchObject({ code: 0 });
    repository.git("branch", first.slice(0, 9), repository.commit(withImage("evil")));
    await expectRefused(
      repository,
      apply(repository, "--rev", first.slice(0, 9)),
      /ambiguous: it is refs\/heads\/\w+ and commit /,
    );
  });

  it("nothing but names and their ancestors: no reflog, message search, path or description", async () => {
    const repository = remote();
    const first = repository.git("rev-parse", "HEAD");
    const second = repository.commit(withImage("2"));
    expect(await apply(repository, "--rev", "main~1")).toMatchObject({ code: 0 });
    expect(image(repository)).toBe("1");
    const others = [
      ":/change",
      "main@{1}",
      "@",
      "main^{/change}",
      `v9-3-g${second.slice(0, 9)}`,
      "main:",
      "heads/main",
      "refs/heads/nope",
    ];
    for (const rev of others)
      await expectRefused(repository, apply(repository, "--rev", rev), /has no branch, tag or commit/);
    // Git looks a name that it does not find up below refs/tags/ and refs/heads/.
    repository.git("update-ref", "refs/tags/refs/heads/release", second);
    await expectRefused(repository, apply(repository, "--rev", "refs/heads/release"), /has no branch, tag or commit/);
    expect(JSON.parse((await apply(repository, "--rev", first)).out).version).toBe(first);
  });
});

describe("an old commit does not come back unasked", () => {
  const attacks: readonly [string, (repository: GitRepository, old: string) => void][] = [
    ["an old branch as the default", (repository, old) => point(repository, "refs/heads/old", old)],
    [
      "a branch below the name of the one that was followed",
      (repository, old) => {
        repository.git("checkout", "--quiet", "--detach");
        repository.git("branch", "-D", "main");
        point(repository, "refs/heads/main/x", old);
      },
    ],
    ["a commit without a branch", (repository, old) => repository.git("checkout", "--quiet", "--detach", old)],
    ["the branch itself, rewound", (repository, old) => repository.git("reset", "--quiet", "--hard", old)],
  ];
  it.each(attacks)("%s", async (_, attack) => {
    const repository = remote();
    const old = repository.git("rev-parse", "HEAD");
    repository.commit(withImage("2"));
    expect(await apply(repository)).toMatchObject({ code: 0 });
    attack(repository, old);
    await expectRefused(repository, apply(repository), /does not contain .*--allow-rewind/);
    expect(await apply(repository, "--allow-rewind")).toMatchObject({ code: 0 });
    expect(image(repository)).toBe("1");
    // From here on that is what was applied.
    expect(await apply(repository)).toMatchObject({ code: 0 });
  });

  it("an explicit older revision needs the option, too", async () => {
    const repository = remote();
    const old = repository.git("rev-parse", "HEAD");
    repository.git("tag", "v1");
    repository.commit(withImage("2"));
    expect(await apply(repository)).toMatchObject({ code: 0 });
    for (const rev of [old, "v1", old.slice(0, 8)])
      await expectRefused(repository, apply(repository, "--rev", rev), /does not contain .*--allow-rewind/);
    expect(await apply(repository, "--rev", "v1", "--allow-rewind")).toMatchObject({ code: 0 });
    expect(image(repository)).toBe("1");
  });

  it("what an earlier release noted for a branch still counts", async () => {
    const repository = remote();
    const old = repository.git("rev-parse", "HEAD");
    const second = repository.commit(withImage("2"));
    expect(await apply(repository)).toMatchObject({ code: 0 });
    const mirrors = path.join(repository.folder, "home/.local/state/stet/host/mirrors");
    const mirror = path.join(mirrors, fs.readdirSync(mirrors).find((name) => name !== "lock")!);
    fs.rmSync(path.join(mirror, "refs/stet"), { recursive: true, force: true });
    const owner = fs
      .readdirSync(path.join(repository.folder, "home/.local/state/stet/host"))
      .find((name) => name.startsWith("system-"))!;
    fs.mkdirSync(path.join(mirror, "refs/stet/applied", owner), { recursive: true });
    fs.writeFileSync(path.join(mirror, "refs/stet/applied", owner, "main"), `${second}\n`);
    repository.git("reset", "--quiet", "--hard", old);
    await expectRefused(repository, apply(repository), /--allow-rewind/);
  });

  it("a changed default branch is said, also where it goes on from what was applied", async () => {
    const repository = remote();
    expect(await apply(repository)).toMatchObject({ code: 0, err: "" });
    repository.git("checkout", "--quiet", "-b", "next");
    repository.commit(withImage("2"));
    const said = await apply(repository);
    expect(said.code).toBe(0);
    expect(JSON.parse(said.out).diagnostics).toContainEqual({
      code: "default-branch-changed",
      severity: "warning",
      message: `the HEAD of ${repository.url} was branch main and is now branch next; --rev follows a branch by its name`,
    });
    expect(JSON.parse((await apply(repository)).out).diagnostics).toEqual([]);
  });

  it("old revisions can be looked at without it", async () => {
    const repository = remote();
    repository.git("tag", "v1");
    repository.commit(withImage("2"));
    expect(await apply(repository)).toMatchObject({ code: 0 });
    const home = path.join(repository.folder, "home");
    const env = { PATH: process.env.PATH, HOME: home };
    const at = ["--repo", repository.url, "--host", "box", "--root", path.join(home, "root")];
    for (const command of [["evaluate"], ["check"], ["show", "web.container"], ["diff", "v1"]])
      expect(await stetHost([...command, ...at, "--rev", "v1"], env)).toMatchObject({ code: 0 });
  });
});

function point(repository: GitRepository, branch: string, commit: string): void {
  repository.git("update-ref", branch, commit);
  repository.git("symbolic-ref", "HEAD", branch);
}

describe("--allowed-signers and --keyring accept only what they list", () => {
  it.each(["--allowed-signers", "--keyring"])("%s: no certificate that the machine trusts", async (option) => {
    const repository = remote();
    const tree = repository.git("rev-parse", "HEAD^{tree}");
    const who = "a <a@b> 1 +0000";
    const signature = "gpgsig -----BEGIN SIGNED MESSAGE-----\n bm9uZQ==\n -----END SIGNED MESSAGE-----\n";
    fs.writeFileSync(
      path.join(repository.folder, "commit"),
      `tree ${tree}\nauthor ${who}\ncommitter ${who}\n${signature}\nsigned\n`,
    );
    const commit = repository.git("hash-object", "-t", "commit", "-w", path.join(repository.folder, "commit"));
    repository.git("update-ref", "refs/heads/main", commit);
    // As gpgsm answers for a certificate in the machine's trust list.
    const bin = path.join(repository.folder, "bin");
    const mark = path.join(repository.folder, "ran");
    fs.mkdirSync(bin);
    const good = `\\n[GNUPG:] GOODSIG ABCDEF /CN=Somebody\\n[GNUPG:] VALIDSIG ${"A".repeat(40)} 2026-01-01\\n[GNUPG:] TRUST_FULLY\\n`;
    fs.writeFileSync(path.join(bin, "gpgsm"), `#!/bin/sh\ntouch ${mark}\nprintf '${good}'\n`, { mode: 0o755 });
    fs.writeFileSync(path.join(repository.folder, "list"), "");
    const home = path.join(repository.folder, "home");
    const args = ["apply", "--repo", repository.url, "--host", "box", "--root", path.join(home, "root")];
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home };
    const said = await stetHost([...args, option, path.join(repository.folder, "list")], env);
    expect(said).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("is signed with an X.509 certificate"),
    });
    expect(fs.existsSync(mark)).toBe(false);
    expect(fs.existsSync(path.join(home, "root"))).toBe(false);
  });
});
