import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { outputLimit, runProgram } from "../../src/system/run-program.ts";
import { type Said, stetHost } from "../host/cli.ts";
import { GitRepository, webFiles } from "../host/git-repository.ts";

function remote(): GitRepository {
  const repository = new GitRepository();
  onTestFinished(() => repository.remove());
  repository.commit(webFiles);
  fs.mkdirSync(path.join(repository.folder, "home"));
  return repository;
}

function stet(repository: GitRepository, repo: string, ...args: string[]): Promise<Said> {
  const home = path.join(repository.folder, "home");
  const all = ["apply", `--repo=${repo}`, "--host", "box", "--root", path.join(home, "root"), ...args];
  return stetHost(all, { PATH: process.env.PATH, HOME: home });
}

/** One line or more on standard error, exit 1, and nothing on the host. */
function expectRefused(repository: GitRepository, said: Said, line: RegExp): void {
  expect({ ...said, err: "" }).toEqual({ code: 1, out: "", err: "" });
  expect(said.err).toMatch(/^(?:stet: [^\n]+\n)+$/);
  expect(said.err).toMatch(line);
  expect(fs.existsSync(path.join(repository.folder, "home/root"))).toBe(false);
}

describe("an address or a revision that would be an option", () => {
  const proof = "/tmp/stet-must-not-exist";
  it.each([
    [`--upload-pack=touch ${proof}`, /not a folder/],
    [`-oProxyCommand=touch ${proof}`, /not a folder/],
    [`ext::sh -c "touch ${proof}"`, /ssh:\/\/, https:\/\/, file:\/\//],
    [`fd::17/x`, /ssh:\/\/, https:\/\/, file:\/\//],
    [`ssh://-oProxyCommand=touch%20${proof}/x`, /begins with a dash/],
    [`ssh://-oProxyCommand=touch@host/x`, /begins with a dash/],
    [`-oProxyCommand@host:x`, /begins with a dash/],
    [`git@host:-x`, /begins with a dash/],
    [`file://--upload-pack=touch`, /begins with a dash/],
  ])("%s", async (repo, line) => {
    const repository = remote();
    expectRefused(repository, await stet(repository, repo), line);
    expect(fs.existsSync(proof)).toBe(false);
  });

  it("as a revision", async () => {
    const repository = remote();
    for (const rev of [`--upload-pack=touch ${proof}`, `--output=${proof}`, "-x", "--", "main..HEAD", "main:services"])
      expectRefused(
        repository,
        await stet(repository, repository.work, `--rev=${rev}`),
        /has no branch, tag or commit/,
      );
    expectRefused(
      repository,
      await stet(repository, repository.url, `--rev=--upload-pack=touch ${proof}`),
      /has no branch, tag or commit/,
    );
    expect(fs.existsSync(proof)).toBe(false);
  });

  it("branches that are called like options are branches", async () => {
    const repository = remote();
    repository.git("update-ref", "refs/heads/--upload-pack=x", "HEAD");
    repository.git("symbolic-ref", "HEAD", "refs/heads/--upload-pack=x");
    const said = await stet(repository, repository.url, "--json");
    expect(said).toMatchObject({ code: 0, err: "" });
    expect((await stet(repository, repository.url, "--json")).code).toBe(0);
  });
});

describe("what a remote brings along is never run or followed", () => {
  it("hooks, and a configuration of its own", async () => {
    const repository = remote();
    const mark = path.join(repository.folder, "ran");
    for (const hook of ["post-checkout", "post-merge", "reference-transaction", "pre-receive", "update", "post-update"])
      fs.writeFileSync(path.join(repository.work, ".git/hooks", hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    for (const key of ["core.fsmonitor", "uploadpack.packObjectsHook", "core.alternateRefsCommand", "core.sshCommand"])
      repository.git("config", key, `touch ${mark}`);
    expect(await stet(repository, repository.url)).toMatchObject({ code: 0, err: "" });
    expect(fs.existsSync(mark)).toBe(false);
    const [mirror] = fs
      .readdirSync(path.join(repository.folder, "home/.local/state/stet/host/mirrors"))
      .filter((name) => name !== "lock");
    const hooks = path.join(repository.folder, "home/.local/state/stet/host/mirrors", mirror!, "hooks");
    const installed = fs.existsSync(hooks) ? fs.readdirSync(hooks).filter((name) => !name.endsWith(".sample")) : [];
    expect(installed).toEqual([]);
  });

  it("submodules: one in the way is refused, and none is fetched", async () => {
    const repository = remote();
    const mark = path.join(repository.folder, "ran");
    repository.write({
      ".gitmodules": `[submodule "../../x"]\n\tpath = services/web/config/etc/web/inner\n\turl = ext::sh -c touch% ${mark}\n\tupdate = !touch ${mark}\n`,
    });
    const head = repository.git("rev-parse", "HEAD");
    repository.git("update-index", "--add", "--cacheinfo", `160000,${head},services/web/config/etc/web/inner`);
    repository.git("add", ".gitmodules");
    repository.git("commit", "--quiet", "-m", "submodule");
    expectRefused(
      repository,
      await stet(repository, repository.url),
      /services\/web\/config\/etc\/web\/inner: is a submodule/,
    );
    expect(fs.existsSync(mark)).toBe(false);
  });

  const files = {
    "services/web/config/etc/web/absolute": "/etc/passwd",
    "services/web/config/etc/web/climbing": "../../../../../../../../etc/passwd",
    "services/web/config/etc/web/git": "../../../../../.git",
    "services/web/quadlet/absolute.container": "/etc/passwd",
    "services/web/quadlet/climbing.container": "../../../../etc/passwd",
    "services/web/quadlet-overrides/web.container.d/x.conf": "/etc/passwd",
    "services/db/quadlet": "/etc/containers/systemd",
    "hosts/box/overrides/quadlet/web.container.d/y.conf": "../../../../../../etc/passwd",
    "hosts/box/overrides/config": "/etc",
  };
  it.each([
    ["files and folders", files],
    ["all of a host's own", { "hosts/box/overrides": "../../.." }],
    ["the host's declaration", { "hosts/box/host.yaml": "../../../../etc/hostname" }],
  ])("links out of the tree, in place of %s", async (_, links: Record<string, string>) => {
    const repository = remote();
    repository.write({ "hosts/box/host.yaml": "host: box\nservices: [web, db]\n" });
    for (const [at, target] of Object.entries(links)) {
      fs.rmSync(path.join(repository.work, at), { recursive: true, force: true });
      fs.mkdirSync(path.dirname(path.join(repository.work, at)), { recursive: true });
      fs.symlinkSync(target, path.join(repository.work, at));
    }
    const folder = await stet(repository, repository.work);
    repository.commit({});
    for (const said of [folder, await stet(repository, repository.url)]) {
      expectRefused(repository, said, /^stet: /);
      for (const [at, target] of Object.entries(links))
        if (target.startsWith("/"))
          expect(said.err).toContain(`stet: ${at}: links to ${target}, outside the repository`);
      for (const at of Object.keys(links)) expect(said.err).toMatch(new RegExp(`stet: ${at}: [^\n]* \\[[a-z-]+\\]`));
    }
  });

  it("all services, which are elsewhere", async () => {
    const repository = remote();
    fs.renameSync(path.join(repository.work, "services"), path.join(repository.folder, "services"));
    fs.symlinkSync("../services", path.join(repository.work, "services"));
    expectRefused(repository, await stet(repository, repository.work), /\[unknown-service\]/);
  });

  it.each(["..", ".", "../../../../x", "a\nb"])("a name that Git itself would refuse to make: %j", async (name) => {
    const repository = remote();
    const blob = Buffer.from(repository.git("hash-object", "-w", "hosts/box/host.yaml"), "hex");
    const evil = rawTree(repository, [["100644", name, blob]]);
    const top = repository.git("rev-parse", "HEAD:services/web/quadlet");
    const nest = (tree: string, ...names: string[]): string =>
      names.reduceRight((inner, each) => rawTree(repository, [["40000", each, Buffer.from(inner, "hex")]]), tree);
    const web = rawTree(repository, [
      ["40000", "config", Buffer.from(nest(evil, "etc", "web"), "hex")],
      ["40000", "quadlet", Buffer.from(top, "hex")],
    ]);
    const root = rawTree(repository, [
      ["40000", "hosts", Buffer.from(repository.git("rev-parse", "HEAD:hosts"), "hex")],
      ["40000", "services", Buffer.from(nest(web, "web"), "hex")],
    ]);
    repository.git("update-ref", "refs/heads/main", repository.git("commit-tree", "-m", "x", root));
    expectRefused(repository, await stet(repository, repository.url), /\[unsafe-path\]/);
  });
});

/** A tree object as no Git would write it. */
function rawTree(repository: GitRepository, entries: readonly [mode: string, name: string, id: Buffer][]): string {
  const bytes = Buffer.concat(entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), id]));
  const args = ["hash-object", "-t", "tree", "--literally", "-w", "--stdin"];
  return execFileSync("git", args, { cwd: repository.work, input: bytes, encoding: "utf8" }).trim();
}

it("an answer that is too long is no answer, rather than half of one", async () => {
  const run = {
    args: ["-c", String(outputLimit + 1), "/dev/zero"],
    env: { PATH: process.env.PATH },
    timeoutMs: 60_000,
  };
  expect(await runProgram("head", run)).toEqual({ kind: "too-much" });
});
