import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Said, stetHost } from "./cli.ts";
import { GitRepository, webFiles } from "./git-repository.ts";

const fixture = join(import.meta.dirname, "fixture");
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stet-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = () => ({ PATH: process.env.PATH, HOME: home });
const stet = (...args: string[]): Promise<Said> => stetHost(args, env());
const kadath = ["--repo", fixture, "--host", "kadath"];

describe("evaluate", () => {
  test("--json is one document, byte-identical from run to run", async () => {
    const [first, second] = [await stet("evaluate", ...kadath, "--json"), await stet("evaluate", ...kadath, "--json")];
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(second.out).toBe(first.out);
    const document = JSON.parse(first.out);
    expect(document).toMatchObject({ host: "kadath", rev: null, services: ["traefik", "immich"] });
    expect(document.files).toHaveLength(10);
  });

  test("FR-004: --host wins over STET_HOST, which wins over the machine's name", async () => {
    const run = async (args: string[], name: string) =>
      JSON.parse(
        (await stetHost(["evaluate", "--repo", fixture, "--json", ...args], { ...env(), STET_HOST: name })).out,
      ).host;
    expect(await run([], "rlyeh")).toBe("rlyeh");
    expect(await run(["--host", "ulthar"], "rlyeh")).toBe("ulthar");
  });

  test("STET_REPO names the repository", async () => {
    expect(await stetHost(["evaluate", "--host", "ulthar", "--json"], { ...env(), STET_REPO: fixture })).toMatchObject({
      code: 0,
    });
  });

  test.runIf(process.platform === "linux")("--output-dir where nothing can be made is an error, and ends", async () => {
    const said = await stet("evaluate", ...kadath, "--output-dir", "/proc/nowhere/out");
    expect(said.code).toBe(1);
    expect(said.err).toContain("/proc/nowhere");
  });

  test("--output-dir writes the tree", async () => {
    const folder = join(home, "tree");
    await stet("evaluate", ...kadath, "--output-dir", folder);
    expect(readFileSync(join(folder, "etc/traefik/traefik.toml"), "utf8")).toContain("websecure");
    expect(statSync(join(folder, "etc/containers/systemd/traefik.container")).mode & 0o777).toBe(0o644);
    expect(await stet("evaluate", ...kadath, "--output-dir", folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining("empty folder"),
    });
  });

  test("errors: the same document with the diagnostics on stdout, one line each on stderr, exit 1", async () => {
    const said = await stet("evaluate", "--repo", fixture, "--host", "nobody", "--json");
    expect(said.code).toBe(1);
    expect(JSON.parse(said.out)).toMatchObject({
      host: "nobody",
      files: [],
      diagnostics: [{ code: "unknown-host", severity: "error" }],
    });
    expect(said.err.split("\n")).toHaveLength(2);
  });

  test("errors: the same document also where there is no repository, or no such revision", async () => {
    const document = { host: "x", rev: null, services: [], files: [] };
    const repository = new GitRepository();
    repository.commit(webFiles);
    for (const [args, code] of [
      [["--repo", home], "no-repository"],
      [["--repo", repository.url, "--rev", "none"], "unknown-revision"],
    ] as const) {
      const said = await stet("evaluate", ...args, "--host", "x", "--json");
      expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/^stet: [^\n]+\n$/) });
      const { diagnostics, ...rest } = JSON.parse(said.out);
      expect({ rest, diagnostics }).toMatchObject({ rest: document, diagnostics: [{ code, severity: "error" }] });
    }
    repository.remove();
  });

  test("a path that sounds like a secret hides nothing of what is wrong with it", async () => {
    const repository = new GitRepository();
    repository.write({ ...webFiles, "services/web/config/etc/passwd": "x\n" });
    const { err } = await stet("evaluate", "--repo", repository.work, "--host", "box");
    expect(err).toContain(
      "would go to /etc/passwd, but a service may only deliver files below /etc/web/ [path-outside-service]",
    );
    repository.remove();
  });

  test("a folder that is no repository", async () => {
    expect(await stet("evaluate", "--repo", home, "--host", "x")).toMatchObject({
      code: 1,
      err: expect.stringContaining("neither services/ nor hosts/"),
    });
    expect(await stet("evaluate", "--repo", join(home, "none"), "--host", "x")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not a folder"),
    });
  });
});

test("check lists the diagnostics of every host and fails on errors", async () => {
  expect(await stet("check", "--repo", fixture)).toMatchObject({ code: 0, out: "3 hosts: no errors\n" });
  const repository = new GitRepository();
  repository.write({ ...webFiles, "hosts/other/host.yaml": "host: other\nservices: [gone]\n" });
  const said = await stet("check", "--repo", repository.work, "--json");
  expect(said.code).toBe(1);
  expect(JSON.parse(said.out)).toMatchObject({
    hosts: [
      { host: "box", ok: true },
      { host: "other", ok: false },
    ],
    diagnostics: [{ code: "no-generator" }, { code: "unknown-service", file: "hosts/other/host.yaml", line: 2 }],
  });
  expect(said.err).toContain("hosts/other/host.yaml:2:12: selects gone");
  repository.remove();
});

test("show: the effective unit, each line with its file", async () => {
  const { out, code } = await stet("show", "whoami.container", "--repo", fixture, "--host", "ulthar");
  expect(code).toBe(0);
  expect(out).toMatch(
    /PublishPort=127\.0\.0\.1:8000:80 +# hosts\/ulthar\/overrides\/quadlet\/whoami\.container\.d\/20-host\.conf:3/,
  );
  expect(out).not.toContain("8000:80 #");
  expect(await stet("show", "whoami.service", "--repo", fixture, "--host", "ulthar")).toMatchObject({
    code: 1,
    err: expect.stringContaining("whoami.container"),
  });
  expect(await stet("show", "no.container", "--repo", fixture, "--host", "ulthar")).toMatchObject({ code: 1 });
});

test("show masks what looks secret, unless told not to", async () => {
  const repository = new GitRepository();
  repository.write({
    ...webFiles,
    "hosts/box/overrides/quadlet/web.container.d/10-a.conf": "[Container]\nEnvironment=DB_PASSWORD=hunter2 PORT=5\n",
  });
  const args = ["show", "web.container", "--repo", repository.work, "--host", "box"];
  expect((await stet(...args)).out).toContain("DB_PASSWORD=*** PORT=5");
  expect((await stet(...args, "--show-secrets")).out).toContain("hunter2");
  repository.write({
    "hosts/box/overrides/quadlet/web.container.d/20-b.conf": "[Container]\nExec=a --token=hunter3\n",
    "services/web/quadlet-overrides/web.container.d/10-c.conf": "[Container]\nExec=b\n",
  });
  const told = await stet("evaluate", "--repo", repository.work, "--host", "box", "--json");
  expect(told.out).toContain("Exec=a --token=***");
  expect(told.out + told.err).not.toContain("hunter3");
  repository.remove();
});

describe("plan and apply into a root", () => {
  const into = () => [...kadath, "--root", join(home, "root")];

  test("plan writes nothing; exit 2 with --exit-code, 0 after apply", async () => {
    expect(await stet("plan", ...into(), "--exit-code")).toMatchObject({ code: 2 });
    expect(() => statSync(join(home, "root"))).toThrow();
    expect(await stet("apply", ...into())).toMatchObject({ code: 0 });
    expect(await stet("plan", ...into(), "--exit-code")).toMatchObject({ code: 0 });
    expect(await stet("status", "--root", join(home, "root"), "--exit-code")).toMatchObject({ code: 0 });
  });

  test("--json: the document of every domain, with the unit actions", async () => {
    const document = JSON.parse((await stet("plan", ...into(), "--json")).out);
    expect(document).toMatchObject({
      format_version: 1,
      host: "kadath",
      changed: 10,
      summary: { create: 10 },
      activate: false,
    });
    expect(document.entries[0]).toMatchObject({ verdict: "create", desired: { mode: "0644" } });
    expect(document.actions).toContainEqual({ action: "start", unit: "traefik.service", reason: "new" });
    expect(JSON.parse((await stet("apply", ...into(), "--json")).out)).toMatchObject({
      changed: 10,
      failed: [],
      rolled_back: false,
      generation: 1,
    });
    expect(JSON.parse((await stet("apply", ...into(), "--json")).out)).toMatchObject({ changed: 0, generation: null });
  });

  test("--dry-run plans, --diff shows lines, --strict tells of kept edits", async () => {
    expect((await stet("apply", ...into(), "--dry-run", "--diff")).out).toContain(
      "+Image=docker.io/library/traefik:v3.1",
    );
    await stet("apply", ...into());
    writeFileSync(join(home, "root/etc/traefik/traefik.toml"), "mine\n");
    expect(await stet("status", "--root", join(home, "root"), "--exit-code")).toMatchObject({
      code: 2,
      out: expect.stringContaining("edited"),
    });
    expect(await stet("apply", ...into(), "--keep-drift", "--strict")).toMatchObject({ code: 3 });
    expect(await stet("apply", ...into())).toMatchObject({ code: 0, err: expect.stringContaining("edited-on-host") });
    const back = ["rollback", "--root", join(home, "root")];
    expect(await stet(...back)).toMatchObject({ code: 1, err: expect.stringContaining("--yes") });
    expect(await stet(...back, "--dry-run")).toMatchObject({
      code: 0,
      out: expect.stringContaining("10 files would change"),
    });
    expect(await stet(...back, "--yes")).toMatchObject({ code: 0 });
    expect(() => statSync(join(home, "root/etc/traefik"))).toThrow();
  });

  test("other folders, and a user's own", async () => {
    await stet("apply", ...into(), "--quadlet-dir", "/q", "--unit-dir", "/u");
    expect(readFileSync(join(home, "root/q/traefik.container"), "utf8")).toContain("Image");
    expect(readFileSync(join(home, "root/u/traefik.socket"), "utf8")).toContain("ListenStream");
    await stet("apply", ...kadath, "--user", "--no-activate");
    expect(readFileSync(join(home, ".config/containers/systemd/traefik.container"), "utf8")).toContain("Image");
    expect(readFileSync(join(home, ".config/traefik/traefik.toml"), "utf8")).toContain("websecure");
  });
});

test("watch --once is one run, with its exit code and its metrics", async () => {
  const metrics = join(home, "stet.prom");
  const once = (...args: string[]) =>
    stet("watch", "--once", "--root", join(home, "root"), "--metrics-file", metrics, ...args);
  expect(await once(...kadath)).toMatchObject({ code: 0, out: expect.stringContaining("10 files changed") });
  expect(await once(...kadath)).toMatchObject({ code: 0, out: expect.stringContaining("nothing to do") });
  expect(await once("--repo", fixture, "--host", "nobody")).toMatchObject({ code: 1 });
  const text = readFileSync(metrics, "utf8");
  for (const outcome of ["changed", "unchanged", "refused"])
    expect(text).toContain(`stet_host_runs_total{outcome="${outcome}"} 1`);
  expect(text).toContain("stet_host_files_changed_total 10");
});

test("status --json: version, files and what is still to do", async () => {
  expect(JSON.parse((await stet("status", "--root", join(home, "root"), "--json")).out)).toMatchObject({
    version: null,
    files: [],
  });
  await stet("apply", ...kadath, "--root", join(home, "root"));
  rmSync(join(home, "root/etc/traefik/traefik.toml"));
  const status = JSON.parse((await stet("status", "--root", join(home, "root"), "--json")).out);
  expect(status).toMatchObject({
    host: "kadath",
    version: expect.stringMatching(/^folder\+/),
    held: null,
    interrupted: false,
    pending: [],
  });
  expect(status.files.filter(({ state }: { state: string }) => state !== "ok")).toEqual([
    { path: "/etc/traefik/traefik.toml", kind: "config", service: "traefik", state: "missing" },
  ]);
});

test("apply during a pause: 0 where nothing waits, 4 where the commit changes something", async () => {
  const here = ["--root", join(home, "root")];
  await stet("apply", ...kadath, ...here);
  expect(await stet("pause", ...here)).toMatchObject({ code: 0 });
  rmSync(join(home, "root/etc/traefik/traefik.toml"));
  expect(await stet("apply", ...kadath, ...here)).toMatchObject({
    code: 0,
    out: expect.stringContaining("paused: nothing is done\n"),
    err: expect.stringContaining("[paused]"),
  });
  const changed = join(home, "changed");
  cpSync(fixture, changed, { recursive: true });
  writeFileSync(join(changed, "services/traefik/config/etc/traefik/dynamic/routers.toml"), "new = true\n");
  expect(await stet("apply", "--repo", changed, "--host", "kadath", ...here)).toMatchObject({
    code: 4,
    out: expect.stringContaining("paused: nothing is done; 1 file waits for the end of the pause\n"),
  });
});

test("usage mistakes are one line and exit 1", async () => {
  expect(await stet("frobnicate")).toMatchObject({ code: 1, err: expect.stringMatching(/^stet: .*\n$/) });
  expect(await stet("plan", "--nope")).toMatchObject({ code: 1, err: expect.stringMatching(/^stet: .*--nope.*\n$/) });
  expect(await stet("apply", ...kadath, "--wait", "soon")).toMatchObject({
    code: 1,
    err: expect.stringContaining("duration"),
  });
  expect((await stet("--help")).out).toContain("usage: stet host");
});
