import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutCredentials } from "../../src/host/repository/git.ts";
import { accessConfig, accessEnvironment, checkRemote, isRemote } from "../../src/host/repository/mirror.ts";
import { type Said, stetHost } from "./cli.ts";
import { GitRepository, webFiles } from "./git-repository.ts";

let repository: GitRepository;
let home: string;
beforeEach(() => {
  repository = new GitRepository();
  home = mkdtempSync(join(tmpdir(), "stet-home-"));
});
afterEach(() => {
  repository.remove();
  rmSync(home, { recursive: true, force: true });
});

const stet = (...args: string[]): Promise<Said> => stetHost(args, { PATH: process.env.PATH, HOME: home });
const apply = (...args: string[]) =>
  stet("apply", "--repo", repository.url, "--host", "box", "--root", join(home, "root"), "--json", ...args);
const revision = async (repo: string) =>
  JSON.parse((await stet("evaluate", "--repo", repo, "--host", "box", "--json")).out).rev;
const unit = () => readFileSync(join(home, "root/etc/containers/systemd/web.container"), "utf8");
const withImage = (tag: string) => ({
  "services/web/quadlet/web.container": `[Container]\nImage=example.org/web:${tag}\n`,
});

describe("a folder", () => {
  test("its commit is reported, with -dirty where it differs, and nothing without Git", async () => {
    repository.write(webFiles);
    expect(await revision(repository.work)).toBeNull();
    const commit = repository.commit({});
    expect(await revision(repository.work)).toBe(commit);
    repository.write(withImage("2"));
    expect(await revision(repository.work)).toBe(`${commit}-dirty`);
  });

  test("a file that Git ignores, but that would be delivered, is a difference, too", async () => {
    const commit = repository.commit({ ".gitignore": "*.secret\nbuild/\n", ...webFiles });
    repository.write({ "build/out": "elsewhere" });
    expect(await revision(repository.work)).toBe(commit);
    repository.write({ "services/web/config/etc/web/key.secret": "x" });
    expect(await revision(repository.work)).toBe(`${commit}-dirty`);
  });

  test("--rev reads a commit of it, whatever is checked out", async () => {
    repository.commit(webFiles);
    repository.git("tag", "v1");
    repository.commit(withImage("2"));
    const said = await stet("show", "web.container", "--repo", repository.work, "--rev", "v1", "--host", "box");
    expect(said.out).toContain("web:1");
  });
});

describe("a remote", () => {
  test("branch, tag, commit and short commit", async () => {
    const first = repository.commit(webFiles);
    repository.git("tag", "v1");
    const second = repository.commit(withImage("2"));
    repository.git("branch", "stable", first);
    for (const [rev, commit, tag] of [
      ["main", second, "2"],
      ["stable", first, "1"],
      ["v1", first, "1"],
      [second.slice(0, 8), second, "2"],
      [first, first, "1"],
    ] as const) {
      const said = await apply("--rev", rev, "--allow-rewind");
      expect(said, said.err).toMatchObject({ code: 0 });
      expect(JSON.parse(said.out).version).toBe(commit);
      expect(unit()).toContain(`web:${tag}`);
    }
    expect(await apply("--rev", "nope")).toMatchObject({
      code: 1,
      err: expect.stringContaining('no branch, tag or commit "nope"'),
    });
    expect(await apply("--rev", "--upload-pack=touch /tmp/x")).toMatchObject({ code: 1 });
  });

  test("links, programs and binary files arrive from Git's objects", async () => {
    repository.commit({ ...webFiles, "services/web/config/etc/web/run.sh": "#!/bin/sh\n" });
    repository.git("update-index", "--chmod=+x", "services/web/config/etc/web/run.sh");
    repository.git("commit", "--quiet", "-m", "program");
    const said = await stet("evaluate", "--repo", repository.url, "--host", "box", "--json");
    expect(JSON.parse(said.out).files.at(-1)).toMatchObject({ path: "/etc/web/run.sh", mode: "0755" });
  });

  test("one with a shortened history has branches as well", async () => {
    repository.commit(webFiles);
    const commit = repository.commit({ "services/web/config/etc/web/a": "a" });
    const shallow = join(repository.folder, "shallow");
    repository.git("clone", "--quiet", "--depth", "1", repository.url, shallow);
    expect(await revision(`file://${shallow}`)).toBe(commit);
  });

  test("offline keeps the last good state, and says so", async () => {
    repository.commit(webFiles);
    await apply();
    renameSync(repository.work, `${repository.work}.gone`);
    writeFileSync(join(home, "root/etc/containers/systemd/web.container"), "edited\n");
    const said = await apply();
    expect(said.code).toBe(0);
    expect(JSON.parse(said.out).diagnostics).toContainEqual(
      expect.objectContaining({ code: "remote-unreachable", severity: "warning" }),
    );
    expect(unit()).toContain("web:1");
  });

  test("offline with nothing fetched before is an error", async () => {
    expect(await stet("plan", "--repo", `file://${home}/none`, "--host", "box", "--root", home)).toMatchObject({
      code: 1,
      err: expect.stringContaining("can't be reached"),
    });
  });

  test("a rewound branch is refused until --allow-rewind", async () => {
    const first = repository.commit(webFiles);
    repository.commit(withImage("2"));
    await apply();
    repository.git("reset", "--quiet", "--hard", first);
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining("--allow-rewind") });
    expect(unit()).toContain("web:2");
    expect(await apply("--allow-rewind")).toMatchObject({ code: 0 });
    expect(unit()).toContain("web:1");
  });

  test("a commit that moves on is followed", async () => {
    repository.commit(webFiles);
    await apply();
    repository.commit(withImage("2"));
    expect(await apply()).toMatchObject({ code: 0 });
    expect(unit()).toContain("web:2");
  });

  test("a lock that a killed run left in the mirror is no obstacle", async () => {
    repository.commit(webFiles);
    await apply();
    repository.commit(withImage("2"));
    const mirrors = join(home, ".local/state/stet/host/mirrors");
    const mirror = readdirSync(mirrors).find((name) => name !== "lock")!;
    writeFileSync(join(mirrors, mirror, "refs/heads/main.lock"), "");
    expect(await apply()).toMatchObject({ code: 0 });
    expect(unit()).toContain("web:2");
  });

  test("diff between two revisions, per host, with unit actions", async () => {
    repository.commit({ ...webFiles, "hosts/other/host.yaml": "host: other\nservices: []\n" });
    repository.git("tag", "before");
    repository.commit(withImage("2"));
    const said = await stet("diff", "before", "main", "--repo", repository.url, "--all-hosts", "--format", "json");
    expect(JSON.parse(said.out).groups).toMatchObject([
      {
        hosts: ["box"],
        files: [{ action: "modify", diff: expect.stringContaining("+Image=example.org/web:2") }],
        actions: [{ action: "daemon-reload" }, { action: "restart", unit: "web.service" }],
      },
      { hosts: ["other"], files: [], actions: [] },
    ]);
    const markdown = await stet(
      "diff",
      "before",
      "main",
      "--repo",
      repository.url,
      "--all-hosts",
      "--format",
      "markdown",
    );
    expect(markdown.out).toContain("### box\n\n- daemon-reload");
    expect(markdown.out).toContain("| other | - | no change |\n");
  });

  test("diff does not say of a host that can't be evaluated, or that is not there, that nothing changes", async () => {
    repository.commit(webFiles);
    repository.git("tag", "before");
    repository.commit({ "services/web/quadlet/web.container": "[Container]\nImage=a\nImmage=b\n" });
    const diff = (...args: string[]) => stet("diff", "before", "main", "--repo", repository.url, ...args);
    const broken = await diff("--all-hosts");
    expect(broken).toMatchObject({
      code: 1,
      out: expect.stringContaining("  box    -      can't be evaluated\n"),
      err: expect.stringContaining("web.container:3:1: podman knows no"),
    });
    const page = await diff("--all-hosts", "--format", "markdown");
    expect(page.out).toMatch(
      /\n### box\n\nCan't be evaluated:\n\n- services\/web\/quadlet\/web\.container:3:1: podman knows no .* \(invalid-unit\)\n$/,
    );
    const strange = await diff("--host", "nowhere");
    expect(strange).toMatchObject({
      code: 1,
      out: expect.stringContaining("nowhere  -      can't be evaluated\n"),
      err: expect.stringContaining("[unknown-host]"),
    });
  });
});

describe("signatures", () => {
  test("only commits signed by an allowed ssh key are applied", async () => {
    const key = join(home, "key");
    const other = join(home, "other");
    for (const file of [key, other]) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
    const signers = join(home, "signers");
    writeFileSync(signers, `deploy@example.org ${readFileSync(`${key}.pub`, "utf8")}`);
    const sign = (file: string) => {
      repository.git("config", "gpg.format", "ssh");
      repository.git("config", "user.signingkey", file);
    };
    repository.commit(webFiles);
    expect(await apply("--allowed-signers", signers)).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not signed"),
    });
    sign(other);
    repository.commit(withImage("2"), "-S");
    expect(await apply("--allowed-signers", signers)).toMatchObject({
      code: 1,
      err: expect.stringContaining("not allowed"),
    });
    sign(key);
    repository.commit(withImage("3"), "-S");
    expect(await apply("--allowed-signers", signers)).toMatchObject({ code: 0 });
    expect(unit()).toContain("web:3");
    expect(await apply("--allowed-signers", join(home, "none"))).toMatchObject({
      code: 1,
      err: `stet: ${join(home, "none")}: no such file\n`,
    });
    expect(await apply("--keyring", join(home, "none"))).toMatchObject({
      code: 1,
      err: `stet: ${join(home, "none")}: no such file\n`,
    });
  });

  test("a folder as it is bears none, so it is not applied where one is asked for; a commit of it may be", async () => {
    const key = join(home, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    writeFileSync(join(home, "signers"), `deploy@example.org ${readFileSync(`${key}.pub`, "utf8")}`);
    for (const [name, value] of Object.entries({ "gpg.format": "ssh", "user.signingkey": key }))
      repository.git("config", name, value);
    repository.commit(webFiles, "-S");
    const folder = [
      "--repo",
      repository.work,
      "--host",
      "box",
      "--root",
      join(home, "elsewhere"),
      "--allowed-signers",
      join(home, "signers"),
    ];
    expect(await stet("apply", ...folder)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("carry no signature"),
    });
    expect(existsSync(join(home, "elsewhere"))).toBe(false);
    expect(await stet("apply", ...folder, "--rev", "main")).toMatchObject({ code: 0 });
  });
});

describe("getting in", () => {
  test.each([
    "http://example.org/x",
    "git://example.org/x",
    "ext::sh -c touch% /tmp/x",
    "https://user:secret@example.org/x",
    "https://token@example.org/x",
  ])("%s is refused without repeating a secret", (url) => {
    expect(isRemote(url)).toBe(true);
    expect(() => checkRemote(url)).toThrow();
    expect(() => checkRemote(url)).not.toThrow(/secret|token@/);
  });

  test.each(["ssh://git@example.org/x.git", "git@example.org:x.git", "https://example.org/x.git", "file:///srv/x.git"])(
    "%s is a remote",
    (url) => {
      expect(isRemote(url)).toBe(true);
      expect(() => checkRemote(url)).not.toThrow();
    },
  );

  test("a token is read from its file, goes to this origin only, and follows no redirect", () => {
    writeFileSync(join(home, "token"), "s3cret\n");
    const access = { sshKey: undefined, knownHosts: undefined, tokenFile: join(home, "token") };
    expect(accessConfig(access, "https://example.org/a/b.git")).toEqual({
      "http.https://example.org/.extraHeader": `Authorization: Basic ${Buffer.from("x-access-token:s3cret").toString("base64")}`,
      "http.followRedirects": "false",
    });
    expect(accessConfig(access, "ssh://example.org/x")).toEqual({});
    expect(() => accessConfig({ ...access, tokenFile: join(home, "none") }, "https://example.org/x")).toThrow(
      /can't be read/,
    );
  });

  test("ssh asks nothing, trusts only the pinned hosts and uses only the given key", () => {
    const { GIT_SSH_COMMAND } = accessEnvironment({
      sshKey: "/k it's",
      knownHosts: "/known hosts",
      tokenFile: undefined,
    });
    expect(GIT_SSH_COMMAND).toContain("'BatchMode=yes'");
    expect(GIT_SSH_COMMAND).toContain("'StrictHostKeyChecking=yes'");
    expect(GIT_SSH_COMMAND).toContain("'/k it'\\''s'");
    expect(GIT_SSH_COMMAND).toContain(`'UserKnownHostsFile="/known hosts"'`);
  });

  test("credentials in a message are masked", () => {
    expect(withoutCredentials("fatal: https://u:p@example.org/x not found")).toBe(
      "fatal: https://***@example.org/x not found",
    );
  });
});

test("a token is in no argument of any program and in nothing that is printed", async () => {
  const seen = join(home, "seen");
  const git = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  // Notes the arguments of every Git that is run, then runs it.
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin/git"), `#!/bin/sh\nprintf '%s\\n' "$@" >> ${seen}\nexec ${git} "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(join(home, "token"), "s3cr3t-t0ken\n");
  const encoded = Buffer.from("x-access-token:s3cr3t-t0ken").toString("base64");
  const args = [
    "plan",
    "--repo",
    "https://127.0.0.1:1/x.git",
    "--host",
    "box",
    "--root",
    join(home, "root"),
    "--token-file",
    join(home, "token"),
    "-v",
  ];
  const said = await stetHost(args, { PATH: `${join(home, "bin")}:${process.env.PATH}`, HOME: home });
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining("can't be reached") });
  const all = readFileSync(seen, "utf8") + said.out + said.err;
  expect(all).toContain("ls-remote");
  expect(all).not.toContain("s3cr3t");
  expect(all).not.toContain(encoded);
});
