import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stetHost } from "./cli.ts";
import { evaluateBox, told } from "./repository.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stet-init-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(folder: string, files: Readonly<Record<string, string>>, mode = 0o644): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, folder, path)), { recursive: true });
    writeFileSync(join(home, folder, path), text, { mode });
  }
}

const stet = (...args: string[]) => stetHost(args, { PATH: process.env.PATH, HOME: home });
const c = (image: string, more = "") => `[Container]\nImage=example.org/${image}:1\n${more}`;

interface Made {
  readonly services: string[];
  readonly files: string[];
  readonly left_out: { path: string; why: string }[];
  readonly diagnostics: { code: string; severity: string }[];
}

async function init(...args: string[]): Promise<Made> {
  const said = await stet("init", ...args, "--repo", join(home, "repo"), "--host", "box", "--json");
  expect(said, said.err).toMatchObject({ code: 0 });
  return JSON.parse(said.out);
}

/** What the new repository gives the host, by file name. */
async function evaluated(...args: string[]): Promise<Map<string, string>> {
  const said = await stet(
    "evaluate",
    "--repo",
    join(home, "repo"),
    "--host",
    "box",
    "--output-dir",
    join(home, "out"),
    "--json",
    ...args,
  );
  expect(said.code, said.out).toBe(0);
  const { files } = JSON.parse(said.out) as { files: { path: string }[] };
  return new Map(files.map(({ path }) => [path, readFileSync(join(home, "out", path), "utf8")]));
}

/** As public repositories arrange their units: the files, and the services that should become of them. */
const layouts: readonly [string, Readonly<Record<string, string>>, readonly string[]][] = [
  [
    "flat, called alike",
    {
      "immich.pod": "[Pod]\n",
      "immich-server.container": c("a", "Pod=immich.pod\n"),
      "immich-db.container": c("b", "Pod=immich.pod\n"),
    },
    ["immich"],
  ],
  [
    "flat, called alike by what they use",
    {
      "wiki-app.container": c("a", "Network=wiki-net.network\n"),
      "wiki-db.container": c("b", "Network=wiki-net.network\n"),
      "wiki-net.network": "[Network]\n",
    },
    ["wiki"],
  ],
  [
    "flat, each for itself",
    {
      "a.container": c("a", "Network=shared.network\n"),
      "b.container": c("b", "Network=shared.network\nVolume=data.volume:/x\n"),
      "shared.network": "[Network]\n",
      "data.volume": "[Volume]\n",
    },
    ["a", "b", "shared"],
  ],
  [
    "a folder a service",
    {
      "caddy/caddy.container": c("a", "Volume=./Caddyfile:/x\n"),
      "caddy/Caddyfile": "x\n",
      "wekan/wekan.container": c("b", "EnvironmentFile=wekan.env\n"),
      "wekan/wekan-db.container": c("c"),
      "wekan/wekan.env": "A=1\n",
      "README.md": "x",
    },
    ["caddy", "wekan"],
  ],
  [
    "a stow package a service",
    {
      "caddy/.config/containers/systemd/caddy.container": c("a"),
      "n8n/.config/containers/systemd/n8n.container": c("b"),
      "n8n/.config/n8n/settings": "x\n",
    },
    ["caddy", "n8n"],
  ],
  [
    "containers/systemd in each",
    {
      "garage/containers/systemd/garage.container": c("a", "Volume=garage-data.volume:/d\n"),
      "garage/containers/systemd/garage-data.volume": "[Volume]\n",
      "marimo/containers/systemd/marimo.container": c("b"),
    },
    ["garage", "marimo"],
  ],
  [
    "apps/NAME/quadlet",
    {
      "apps/minecraft/quadlet/minecraft@.container": c("a"),
      "apps/minecraft/quadlet/minecraft.network": "[Network]\n",
      "apps/web/quadlet/web.container": c("b"),
      "apps/web/LICENSE": "x",
    },
    ["minecraft", "web"],
  ],
  [
    "quadlets/NAME with parts in folders",
    {
      "quadlets/drive/drive.pod": "[Pod]\n",
      "quadlets/drive/cal/drive-cal.container": c("a", "Pod=drive.pod\n"),
      "quadlets/vault/vault.container": c("b"),
    },
    ["drive", "vault"],
  ],
  [
    "native units among them",
    {
      "nginx/nginx-server.container": c("a"),
      "nginx/nginx-update.timer": "[Timer]\nOnCalendar=daily\n",
      "nginx/nginx-update.container": c("b"),
      "pg/pg.container": c("c"),
      "pg/pg.socket": "[Socket]\nListenStream=1\n",
    },
    ["nginx", "pg"],
  ],
  [
    "a root as it is on the machine",
    {
      "etc/containers/systemd/traefik.container": c("a", "Volume=/etc/traefik/traefik.yml:/x\n"),
      "etc/containers/systemd/traefik.container.d/10.conf": "[Container]\nUser=1\n",
      "etc/traefik/traefik.yml": "a: 1\n",
      "etc/ssh/sshd_config": "x",
    },
    ["traefik"],
  ],
];

describe("stet host init FROM", () => {
  test.each(layouts)("%s", async (_, files, services) => {
    write("from", files);
    const made = await init(join(home, "from"));
    expect(made.services).toEqual(services);
    expect(made.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const after = await evaluated();
    const taken = Object.entries(files).filter(([path]) => !made.left_out.some((left) => left.path === path));
    // The same bytes, under the same name.
    const byName = new Map([...after].map(([path, text]) => [basename(path), text]));
    for (const [path, text] of taken) expect([path, byName.get(basename(path))]).toEqual([path, text]);
    expect(after.size).toBe(taken.length);
    expect(taken.length).toBeGreaterThanOrEqual(Object.keys(files).length - 1);
  });

  test("two units of one name: the one that is less deep in folders, and the other is told", async () => {
    write("from", { "archive/old/web.container": c("old"), "web/web.container": c("new"), "db/db.container": c("db") });
    const made = await init(join(home, "from"));
    expect((await evaluated()).get("/etc/containers/systemd/web.container")).toBe(c("new"));
    expect(made.left_out).toContainEqual({
      path: "archive/old/web.container",
      why: "has the name of another unit: web/web.container",
    });
  });

  test("instances stay links to their template; drop-ins for every unit of a kind are left out", async () => {
    write("from", { "web@.container": c("a"), "container.d/all.conf": "[Container]\nUser=1\n" });
    symlinkSync("web@.container", join(home, "from/web@1.container"));
    const made = await init(join(home, "from"));
    expect(made.left_out.map(({ path }) => path)).toEqual(["container.d"]);
    const said = JSON.parse((await stet("evaluate", "--repo", join(home, "repo"), "--host", "box", "--json")).out);
    expect(said.files).toContainEqual(
      expect.objectContaining({ path: "/etc/containers/systemd/web@1.container", link: "web@.container" }),
    );
  });

  test("overwrites nothing, and needs units and a place", async () => {
    write("from", { "web.container": c("a") });
    write("repo", { "services/web/quadlet/web.container": "mine\n" });
    const args = ["init", join(home, "from"), "--host", "box"];
    expect(await stet(...args, "--repo", join(home, "repo"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("new or empty folder"),
    });
    expect(readFileSync(join(home, "repo/services/web/quadlet/web.container"), "utf8")).toBe("mine\n");
    expect(await stet(...args)).toMatchObject({ code: 1, err: expect.stringContaining("--repo") });
    mkdirSync(join(home, "nothing"));
    const none = await stet("init", join(home, "nothing"), "--host", "box", "--repo", join(home, "new"));
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining("has no Quadlet file") });
    expect(existsSync(join(home, "new"))).toBe(false);
    write("cloned", { ".git/HEAD": "x", "README.md": "x", LICENSE: "x" });
    expect(await stet(...args, "--repo", join(home, "cloned"))).toMatchObject({ code: 0 });
  });

  test("says what is wrong with the units, as check would", async () => {
    write("from", { "web.container": c("a", "EnvironmentFile=secret.env\n") });
    const said = await stet("init", join(home, "from"), "--host", "box", "--repo", join(home, "repo"));
    expect(said).toMatchObject({
      code: 0,
      err: expect.stringContaining("services/web/quadlet/web.container:3:1: EnvironmentFile= names secret.env"),
    });
    expect(said.out).toContain("host check --repo");
  });

  test("what check would refuse is in the repository, but not selected: the rest can be applied", async () => {
    write("from", {
      "web.container": c("a"),
      "bad/bad.container": c("b", "Restrat=always\nImige=x\n"),
      "needs/needs.container": c("c", "Pod=bad.pod\n"),
      "bad/bad.pod": "[Pod]\n",
      "one/one.container": c("d"),
      "two/one.service": "[Service]\nExecStart=/bin/true\n",
    });
    const args = ["--host", "box", "--repo", join(home, "repo")];
    const said = await stet("init", join(home, "from"), ...args);
    expect(said.out).toContain("not selected until repaired: bad, needs, two\n");
    expect(said.err).toContain("bad.container:3:1: podman knows no Restrat=");
    expect(said.err).toContain("more in bad (-v shows them)");
    expect(said.err).toContain("needs.container:3:1: Pod= names bad.pod");
    expect(readFileSync(join(home, "repo/hosts/box/host.yaml"), "utf8")).toMatch(
      /^host: box\nservices:\n {2}- one\n {2}- web\n {2}# - bad {3}services\/bad\/.*\n {2}# - needs {3}.*\n {2}# - two {3}.*becomes one\.service.*\n$/,
    );
    expect(existsSync(join(home, "repo/services/bad/quadlet/bad.container"))).toBe(true);
    expect(await stet("check", "--repo", join(home, "repo"))).toMatchObject({ code: 0 });
  });
});

describe("stet host init, from what runs on the machine", () => {
  test("Quadlet files, what starts them, drop-ins of generated services, and the files in /etc that they name", async () => {
    const root = ["--root", join(home, "root")];
    write("root/etc/containers/systemd", {
      "web.container": c("a", "Volume=/etc/web/web.conf:/x\n"),
      "web.container.d/10.conf": "[Container]\nUser=1\n",
    });
    write("root/etc/systemd/system", {
      "web.socket": "[Socket]\nListenStream=1\n",
      "web.service.d/20.conf": "[Service]\nRestart=always\n",
      "other.timer": "[Timer]\nOnCalendar=daily\n",
    });
    write("root/etc", { "web/web.conf": "x\n", "web/sub/y": "y\n", passwd: "no" });
    const made = await init(...root);
    expect(made.services).toEqual(["web"]);
    const after = await evaluated(...root);
    expect([...after.keys()]).toEqual([
      "/etc/containers/systemd/web.container",
      "/etc/containers/systemd/web.container.d/10.conf",
      "/etc/systemd/system/web.service.d/20.conf",
      "/etc/systemd/system/web.socket",
      "/etc/web/sub/y",
      "/etc/web/web.conf",
    ]);
    for (const [path, text] of after) expect(text).toBe(readFileSync(join(home, "root", path), "utf8"));
    // What is there already is taken over, and nothing else happens.
    const plan = await stet("apply", "--repo", join(home, "repo"), "--host", "box", ...root, "--json");
    expect(JSON.parse(plan.out)).toMatchObject({ changed: 0, summary: { adopt: 6 } });
  });

  test("a folder with what only its owner may read stays out of Git", async () => {
    write("root/etc/containers/systemd", { "web.container": c("a", "EnvironmentFile=/etc/web/secret.env\n") });
    write("root/etc", { "web/secret.env": "PASSWORD=x\n" }, 0o600);
    const made = await init("--root", join(home, "root"));
    expect(made.files).toEqual(["hosts/box/host.yaml", "services/web/quadlet/web.container"]);
    expect(made.left_out).toEqual([
      { path: "/etc/web", why: "only its owner may read secret.env, and secrets stay out of Git" },
    ]);
  });
});

test("README, LICENSE and dot files beside a service's or host's folders refuse nobody", () => {
  const notes = [
    "README.md",
    "README.rst",
    "LICENSE",
    "LICENSE-MIT",
    "LICENCE.txt",
    "COPYING",
    "CHANGELOG.md",
    ".editorconfig",
    ".env.example",
  ];
  const files = Object.fromEntries(
    notes.flatMap((name) => [
      [`services/web/${name}`, "x"],
      [`hosts/box/${name}`, "x"],
      [`services/.idea/${name}`, "x"],
    ]),
  );
  expect(told(evaluateBox(files))).toEqual([]);
  expect(told(evaluateBox({ "services/web/Makefile": "x" }))).toEqual(["unsupported-file services/web/Makefile"]);
});

test("names that no service can have, and other names of units", async () => {
  write("units", {
    "-dash.container": c("a"),
    ".hidden.container": c("b"),
    "with space.container": c("c"),
    "web.service": "[Service]\nExecStart=/bin/true\n",
  });
  symlinkSync("web.service", join(home, "units/called.service"));
  symlinkSync("/dev/null", join(home, "units/masked.service"));
  symlinkSync("nowhere.timer", join(home, "units/gone.timer"));
  const made = await init(join(home, "units"));
  expect(made.services).toEqual(["dash", "hidden", "web"]);
  expect(made.left_out).toEqual([
    { path: "called.service", why: "is another name of web.service" },
    { path: "gone.timer", why: "leads to no file" },
    { path: "masked.service", why: "is masked: a link to /dev/null" },
    { path: "with space.container", why: "has a name that systemd takes for no unit" },
  ]);
  expect([...(await evaluated()).keys()]).toEqual([
    "/etc/containers/systemd/-dash.container",
    "/etc/containers/systemd/.hidden.container",
    "/etc/systemd/system/web.service",
  ]);
});
