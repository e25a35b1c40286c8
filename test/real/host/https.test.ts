// needs: https
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Said, stetHost } from "../../host/cli.ts";
import { GitRepository, webFiles } from "../../host/git-repository.ts";
import { HttpsRemote } from "./https-remote.ts";

const token = "tok-7f3a91c4e2b8";
const folder = mkdtempSync(join(tmpdir(), "stet-https-"));
const repository = new GitRepository();
let remote: HttpsRemote;
let [home, commit] = ["", ""];

beforeAll(async () => {
  commit = repository.commit(webFiles);
  symlinkSync(join(repository.work, ".git"), join(repository.folder, "repo.git"));
  const keys = join(folder, "keys");
  mkdirSync(keys);
  remote = new HttpsRemote({ root: repository.folder, keys, login: `x-access-token:${token}` });
  await remote.start();
});
afterAll(async () => {
  await remote?.stop();
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  home = mkdtempSync(join(folder, "home-"));
  remote.seen.length = 0;
  remote.connections.length = 0;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Access {
  readonly token?: string;
  readonly path?: string;
  readonly trusted?: boolean;
  readonly PATH?: string | undefined;
}

/** `stet host evaluate` on the remote, as a user calls it. */
function evaluate({
  token: given,
  path = "/repo.git",
  trusted = true,
  PATH = process.env.PATH,
}: Access): Promise<Said> {
  const file = join(home, "token");
  if (given !== undefined) writeFileSync(file, `${given}\n`, { mode: 0o600 });
  const access = given === undefined ? [] : ["--token-file", file];
  const env = { PATH, HOME: home, ...(trusted ? { GIT_SSL_CAINFO: remote.certificate } : { GIT_SSL_NO_VERIFY: "1" }) };
  return stetHost(["evaluate", "--repo", `${remote.origin}${path}`, "--host", "box", "--json", ...access], env);
}

/** A git that notes its arguments in a file before it becomes the real one. */
function notingGit(log: string): string {
  const bin = join(home, "bin");
  mkdirSync(bin);
  const lines = ["#!/bin/sh", `printf '%s\\n' "$*" >> '${log}'`, `PATH='${process.env.PATH}' exec git "$@"`];
  writeFileSync(join(bin, "git"), `${lines.join("\n")}\n`, { mode: 0o755 });
  return `${bin}:${process.env.PATH}`;
}

function filesWith(text: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

const oneLine = (said: Said): string => {
  expect(said.code, said.err).toBe(1);
  expect(said.err.trim().split("\n")).toHaveLength(1);
  return said.err;
};

describe("git over https on loopback", () => {
  test("a look that finds nothing new asks the server once: two requests, one connection, a few kilobytes", async () => {
    expect(await evaluate({ token })).toMatchObject({ code: 0 });
    remote.seen.length = 0;
    remote.connections.length = 0;
    expect(await evaluate({ token })).toMatchObject({ code: 0 });
    expect(remote.seen.map(({ path }) => path)).toEqual([
      "/repo.git/info/refs?service=git-upload-pack",
      "/repo.git/git-upload-pack",
    ]);
    expect(remote.connections).toHaveLength(1);
    // The numbers of docs/fleet.md.
    expect(remote.bytes).toBeGreaterThan(1000);
    expect(remote.bytes).toBeLessThan(5000);
    const look = remote.bytes;
    remote.connections.length = 0;
    repository.commit({ ...webFiles, "services/web/config/etc/web/new": "x\n" });
    expect(await evaluate({ token })).toMatchObject({ code: 0 });
    expect(remote.bytes).toBeLessThan(25_000);
    if (process.env.SHOW_NUMBERS) console.log("bytes a look:", look, "with a new commit:", remote.bytes);
    repository.git("reset", "--quiet", "--hard", commit);
  });

  test("the right token and a certificate that GIT_SSL_CAINFO vouches for: the repository is read", async () => {
    const said = await evaluate({ token });
    expect(said, said.err).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(said.out)).toMatchObject({ host: "box", rev: commit, services: ["web"] });
  });

  test("a token file may name the user as well", async () => {
    const said = await evaluate({ token: `x-access-token:${token}` });
    expect(said, said.err).toMatchObject({ code: 0 });
  });

  test("the token is in no argument, no output, and no file but its own", async () => {
    const log = join(home, "git.log");
    const said = await evaluate({ token, PATH: notingGit(log) });
    expect(said, said.err).toMatchObject({ code: 0 });
    const noted = readFileSync(log, "utf8");
    expect(noted).toContain("ls-remote");
    const processes = remote.seen.flatMap((request) => request.processes);
    // Git's helper for https was alive while we looked, so that its arguments are among those looked at.
    expect(processes.some((line) => line.includes("remote-https") && line.includes(remote.origin))).toBe(true);
    for (const secret of [token, Buffer.from(`x-access-token:${token}`).toString("base64")]) {
      expect(processes.filter((line) => line.includes(secret))).toEqual([]);
      expect(`${said.out}${said.err}${noted}`).not.toContain(secret);
      expect(filesWith(secret)).toEqual(secret === token ? [join(home, "token")] : []);
    }
  });

  test("a wrong token is refused at once, by name of its file and not of itself", async () => {
    const said = oneLine(await evaluate({ token: "tok-wrong" }));
    expect(said).toContain(`does not accept the token in ${join(home, "token")}`);
    expect(said).not.toContain("tok-wrong");
    expect(remote.seen.map(({ login }) => login)).toContain("x-access-token:tok-wrong");
  });

  test("no token: it says which option gives one", async () => {
    expect(oneLine(await evaluate({}))).toContain("asks for a login: give --token-file");
  });

  test("a token that was withdrawn: a warning, and what was fetched before still counts", async () => {
    await evaluate({ token });
    const said = await evaluate({ token: "tok-withdrawn" });
    expect(said.code).toBe(0);
    expect(JSON.parse(said.out)).toMatchObject({
      rev: commit,
      diagnostics: [{ code: "remote-unreachable", severity: "warning" }],
    });
    expect(said.out).not.toContain("tok-withdrawn");
  });

  test("a certificate nobody vouches for: the server is not told the token, whatever the environment says about checks", async () => {
    expect(oneLine(await evaluate({ token, trusted: false }))).toMatch(/certificate/i);
    expect(remote.seen).toEqual([]);
  });

  test("a redirect is not followed with the token", async () => {
    oneLine(await evaluate({ token, path: "/moved/repo.git" }));
    expect(remote.seen.map(({ path }) => path.split("/")[1])).toEqual(["moved"]);
  });
});
