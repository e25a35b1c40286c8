import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Workplace } from "./workplace.ts";

const settings = ".claude/settings.json";
const first = {
  theme: "dark",
  volume: 3,
  hooks: { Stop: [{ hooks: [{ type: "command", command: "sh .claude/ring.sh" }] }] },
};
const second = { ...first, volume: 5, sound: "gong" };

async function installed(): Promise<Workplace> {
  const work = new Workplace();
  await work.ok("ann", "apply", work.release("1.0.0", first));
  work.commit("ann", "install chime");
  work.git("ann", "push", "-q", "origin", "HEAD:main");
  return work;
}

const value = (work: Workplace, who: string, name: string) => JSON.parse(work.read(`${who}/${settings}`))[name];

/** Every file below a folder with its bytes, and when it was written. */
function contentsBelow(folder: string): readonly unknown[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return names.flatMap((name) => {
    const file = path.join(folder, name);
    return fs.statSync(file).isFile() ? [[name, fs.statSync(file).mtimeMs, fs.readFileSync(file, "utf8")]] : [];
  });
}

describe("a pack of scope project", () => {
  it("is installed below the project, from anywhere inside it, with records made to be committed", async () => {
    const work = new Workplace();
    work.write("ann/src/deep/x.txt", "");
    const pack = work.release("1.0.0", first);
    await work.ok("ann/src/deep", "apply", pack);
    expect(value(work, "ann", "volume")).toBe(3);
    const records = work.read("ann/.stet/chime.json");
    expect(records).not.toContain(work.at("."));
    expect(records).not.toMatch(/homes|"version"|\d\d:\d\d|~/);
    expect(Object.keys(JSON.parse(records).files)).toEqual([settings]);
    const before = fs.readFileSync(work.at("ann/.stet/chime.json"));
    expect(await work.json("ann", "apply", pack)).toMatchObject({ changed: 0 });
    expect(fs.readFileSync(work.at("ann/.stet/chime.json"))).toEqual(before);
    expect((await work.run("ann", "plan", pack, "--exit-code")).code).toBe(0);
    await work.ok("ann", "uninstall", "chime");
    expect([work.exists("ann/.stet"), work.exists("ann/.claude")]).toEqual([false, false]);
  });

  it("is refused where there is no project, and where the home is the only one", async () => {
    const work = new Workplace();
    const pack = work.release("1.0.0", first);
    fs.mkdirSync(work.at("nowhere"));
    const refused = await work.run("nowhere", "apply", pack);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("--project DIR")]);
    fs.mkdirSync(path.join(work.shell.home, ".git"));
    expect((await work.run("nowhere", "apply", pack)).code).toBe(1);
    expect((await work.run("nowhere", "apply", pack, "--project", work.at("nowhere"))).code).toBe(0);
    expect(work.exists(`nowhere/${settings}`)).toBe(true);
  });

  it.each([
    ["absolute", "/etc/x.json"],
    ["in the home", "~/x.json"],
    ["above the project", "../x.json"],
    ["Git's own", ".git/hooks/post-checkout"],
    ["stet's own", ".stet/other.json"],
    ["Git's own further down", "sub/.git/config"],
    ["no name for Windows", "a:b.json"],
    ["cut off by Windows", "notes./x.json"],
    ["a path for Windows", "a\\\\b.json"],
  ])("has no target that is %s", async (_, target) => {
    const work = new Workplace();
    const pack = work.release("1.0.0", first);
    work.write(
      "chime-1.0.0/stet.yaml",
      `name: chime\nversion: 1.0.0\nscope: project\nfiles:\n  - { target: "${target}", template: templates/${settings} }\n`,
    );
    const { code, err } = await work.run("ann", "apply", pack);
    expect([code, err]).toEqual([1, expect.stringMatching(/stet\.yaml:5:\d+: target /)]);
  });

  it("takes no home for a project that HOME names through a link", async () => {
    const work = new Workplace();
    const pack = work.release("1.0.0", first);
    for (const name of ["real/.git", "real/notes"]) fs.mkdirSync(work.at(name), { recursive: true });
    fs.symlinkSync(work.at("real"), work.at("home"));
    const refused = await work.run("real/notes", "apply", pack, "--home", work.at("home"));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("--project DIR")]);
  });

  it("follows no link out of the project", async () => {
    const work = new Workplace();
    fs.mkdirSync(work.at("elsewhere"));
    fs.symlinkSync(work.at("elsewhere"), work.at("ann/.claude"));
    const { code, err } = await work.run("ann", "apply", work.release("1.0.0", first));
    expect([code, err]).toEqual([1, expect.stringContaining("leads out of the project")]);
    expect(fs.readdirSync(work.at("elsewhere"))).toEqual([]);
  });

  it("ships no link out of the project, and leaves one alone that a user points there", async () => {
    const work = new Workplace();
    work.write("outside.txt", "mine\n");
    const shipped = (link: string) => {
      work.write("linked/tool", "x\n");
      const files = `files:\n  - { target: bin/tool, template: tool }\n  - { target: now, link: ${link} }\n`;
      work.write("linked/stet.yaml", `name: linked\nversion: 1.0.0\nscope: project\n${files}`);
      return work.at("linked");
    };
    for (const link of ["../outside.txt", "bin/../../outside.txt", work.at("outside.txt"), "~/x"])
      expect((await work.run("ann", "apply", shipped(link))).err).toContain("out of the project");
    await work.ok("ann", "apply", shipped("bin/tool"));
    expect(await work.json("ann", "apply", shipped("bin/tool"))).toMatchObject({ changed: 0 });
    fs.rmSync(work.at("ann/now"));
    fs.symlinkSync(work.at("outside.txt"), work.at("ann/now"));
    expect(await work.json("ann", "apply", shipped("bin/tool"))).toMatchObject({ changed: 0, summary: { keep: 1 } });
    await work.ok("ann", "uninstall", "linked", "--all");
    expect([work.exists("ann/now"), work.read("outside.txt")]).toEqual([false, "mine\n"]);
  });

  it("ships nothing that depends on the machine, unless Git ignores it; then its records stay here", async () => {
    const work = new Workplace();
    const text = { ".claude/settings.local.json": '{ "cache": "${CACHE}/chime" }\n' };
    const pack = work.release("1.0.0", first, text, "vars: { CACHE: none }\n");
    work.shell.env.CACHE = "/var/cache/ann";
    const refused = await work.run("ann", "apply", pack);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/depends on the machine \(\$\{CACHE\}, which/),
    ]);
    work.write("ann/.gitignore", "settings.local.json\n");
    await work.ok("ann", "apply", pack);
    expect(work.read("ann/.claude/settings.local.json")).toContain("/var/cache/ann/chime");
    expect(Object.keys(JSON.parse(work.read("ann/.stet/chime.json")).files)).toEqual([settings]);
    const states = path.join(work.shell.home, ".local/state/stet/projects");
    const before = contentsBelow(states);
    expect(await work.json("ann", "apply", pack)).toMatchObject({ changed: 0 });
    expect(contentsBelow(states)).toEqual(before);
    await work.ok("ann", "uninstall", "chime");
    expect(work.exists("ann/.claude")).toBe(false);
  });

  it("names the file in the commands it suggests, where two of its files have the same key", async () => {
    const work = new Workplace();
    const both = (text: string) => ({ "agents/a.md": text, "crew/a.md": text });
    await work.ok("ann", "apply", work.release("1.0.0", first, both("one\n")));
    work.write("ann/crew/a.md", "mine\n");
    fs.rmSync(work.at("ann/agents/a.md"));
    const out = await work.ok("ann", "apply", work.release("2.0.0", first, both("two\n")));
    expect(out).toContain("stet resolve 'crew/a.md#text:a.md' --mine (or --theirs)");
    expect(out).toContain("stet disown 'agents/a.md#text:a.md'");
    // From a folder below, too, and not of a file with the same name there.
    await work.ok("ann/agents", "resolve", "crew/a.md#text:a.md", "--theirs");
    await work.ok("ann/agents", "disown", "a.md#text:a.md");
    expect(work.read("ann/crew/a.md")).toBe("two\n");
    const { owners } = await work.json("ann", "status", "-v");
    const keys = owners[0].entries.filter(({ reason }: { reason?: string }) => reason === "disowned");
    expect(keys.map(({ file }: { file: string }) => file)).toEqual([work.at("ann/agents/a.md")]);
  });

  it("narrows policies and moves to one target, spelled as its targets are", async () => {
    const work = new Workplace();
    const once = (spelling: string) => `policy:\n  - { match: "*", file: ${spelling}, create-only: true }\n`;
    const texts = (text: string) => ({ "notes.md": text, "agents/a.md": text });
    await work.ok("ann", "apply", work.release("1.0.0", first, texts("one\n"), once("notes.md")));
    const moved = `moved:\n  - { from: "setting:volume", to: "setting:loudness", file: ./${settings} }\n`;
    const { volume, ...others } = first;
    work.edit(`ann/${settings}`, '"volume": 3', '"volume": 9');
    const next = work.release("2.0.0", { ...others, loudness: 3 }, texts("two\n"), once("./notes.md") + moved);
    await work.ok("ann", "apply", next);
    expect([work.read("ann/notes.md"), work.read("ann/agents/a.md")]).toEqual(["one\n", "two\n"]);
    expect([value(work, "ann", "volume"), value(work, "ann", "loudness")]).toEqual([undefined, 9]);
  });

  it("may name in a template what is only written: of XDG names, nothing is put in there", async () => {
    const work = new Workplace();
    await work.ok("ann", "apply", work.release("1.0.0", { run: "ls ${XDG_DATA_HOME} $${HOME}" }));
    expect(value(work, "ann", "run")).toBe("ls ${XDG_DATA_HOME} ${HOME}");
  });

  it("ships scripts as they are: their ${HOME} is that of whoever runs them", async () => {
    const work = new Workplace();
    const script = '#!/usr/bin/env bash\nls "${HOME}/.config"\n';
    await work.ok("ann", "apply", work.release("1.0.0", first, { "bin/look": script, "bin/look.sh": script }));
    expect([work.read("ann/bin/look"), work.read("ann/bin/look.sh")]).toEqual([script, script]);
  });

  it("keeps values under secret names as hashes, and still knows an edit from its own value", async () => {
    const work = new Workplace();
    const withToken = (token: string) => ({ ...first, env: { API_TOKEN: token } });
    await work.ok("ann", "apply", work.release("1.0.0", withToken("one")));
    expect(work.read("ann/.stet/chime.json")).not.toContain('"one"');
    work.commit("ann", "install");
    work.git("ann", "push", "-q", "origin", "HEAD:main");
    work.clone("bob");
    await work.ok("bob", "apply", work.release("2.0.0", withToken("two")));
    expect(value(work, "bob", "env")).toEqual({ API_TOKEN: "two" });
    work.edit(`ann/${settings}`, '"one"', '"mine"');
    const { entries } = await work.json("ann", "apply", work.at("chime-2.0.0"));
    expect(entries.find(({ key }: { key: string }) => key.includes("API_TOKEN"))).toMatchObject({
      verdict: "conflict",
    });
    expect(value(work, "ann", "env")).toEqual({ API_TOKEN: "mine" });
  });
});

describe("one instance a project", () => {
  it("never touches another: not a second project, not a copy, not a worktree", async () => {
    const work = await installed();
    fs.cpSync(work.at("ann"), work.at("copy"), { recursive: true });
    work.git("ann", "worktree", "add", "-q", work.at("tree"), "-b", "tree");
    work.clone("other");
    const before = work.read(`ann/${settings}`);
    const dropped = work.release("3.0.0", {});
    for (const folder of ["copy", "tree", "other"]) {
      await work.ok(folder, "apply", dropped);
      expect(work.exists(`${folder}/.claude`) && value(work, folder, "volume")).toBeFalsy();
      expect(work.read(`ann/${settings}`)).toBe(before);
    }
    expect((await work.run("ann", "status", "--exit-code")).code).toBe(0);
  });

  it("works in a submodule and in a shallow clone", async () => {
    const work = await installed();
    work.clone("shallow", "--depth", "1");
    expect(await work.json("shallow", "apply", work.release("2.0.0", second))).toMatchObject({
      from: "1.0.0",
      changed: 2,
    });
    fs.mkdirSync(work.at("outer"));
    work.git("outer", "init", "-q");
    work.git("outer", "submodule", "--quiet", "add", work.at("origin"), "inner");
    await work.ok("outer/inner", "apply", work.at("chime-2.0.0"));
    expect(value(work, "outer/inner", "volume")).toBe(5);
    expect(work.exists("outer/.stet")).toBe(false);
  });

  it("is listed by status --all, and the project's owners by status inside it", async () => {
    const work = await installed();
    expect((await work.json("ann", "status")).owners.map(({ name }: { name: string }) => name)).toEqual(["chime"]);
    expect((await work.json("nowhere-yet/..", "status")).owners).toEqual([]);
    const { owners } = await work.json("nowhere-yet/..", "status", "--all");
    expect(owners).toMatchObject([{ name: "chime", files: [{ path: work.at(`ann/${settings}`) }] }]);
  });

  it("is listed by status --all beside projects whose records are deleted or in conflict, and beside a clone", async () => {
    const work = await installed();
    for (const name of ["bob", "cem", "deb"]) work.clone(name);
    for (const name of ["bob", "cem"]) await work.ok(name, "apply", work.release("2.0.0", second));
    fs.rmSync(work.at("bob/.stet"), { recursive: true });
    work.write("cem/.stet/chime.json", "<<<<<<< HEAD\n");
    const shown = await work.run("deb", "status", "--all");
    expect([shown.code, shown.err]).toEqual([1, expect.stringMatching(/cem\/\.stet\/chime\.json:1:1: .*resolve/)]);
    for (const name of ["ann", "deb"]) expect(shown.out).toContain(`in ~/code/${name} `);
    for (const name of ["bob", "cem"]) expect(shown.out).not.toContain(`in ~/code/${name} `);
    expect(await work.json("deb", "status", "--all")).toMatchObject({
      owners: [{ name: "chime" }, { name: "chime" }],
      diagnostics: [{ severity: "error", file: work.at("cem/.stet/chime.json") }],
    });
    const { findings } = await work.json("cem", "doctor");
    expect(findings).toMatchObject([{ code: "unreadable-registry", fix: "run: stet resolve .stet/chime.json" }]);
  });
});

it("doctor names a project that is gone, and how to clear what is kept of it", async () => {
  const work = await installed();
  fs.rmSync(work.at("ann"), { recursive: true });
  const { findings } = await work.json("origin", "doctor");
  expect(findings).toMatchObject([
    { code: "project-gone", file: work.at("ann"), fix: expect.stringMatching(/^remove .*projects\/[0-9a-f]+$/) },
  ]);
});

describe("colleagues", () => {
  it("upgrade from the records that Git brought", async () => {
    const work = await installed();
    work.clone("bob");
    work.edit(`bob/${settings}`, '"dark"', '"sepia"');
    const { entries, changed, from } = await work.json("bob", "apply", work.release("2.0.0", second));
    expect([from, changed]).toEqual(["1.0.0", 2]);
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: "setting:theme", verdict: "keep", reason: "user-modified" }),
      ]),
    );
    work.commit("bob", "upgrade");
    work.git("bob", "push", "-q", "origin", "HEAD:main");
    work.git("ann", "pull", "-q", "origin", "main");
    expect(await work.json("ann", "apply", work.at("chime-2.0.0"))).toMatchObject({ changed: 0 });
    expect((await work.run("ann", "plan", work.at("chime-2.0.0"), "--exit-code")).code).toBe(0);
  });

  it("are left alone where the records were never committed, with one line that says how to go on", async () => {
    const work = await installed();
    work.clone("bob");
    fs.rmSync(work.at("bob/.stet"), { recursive: true });
    const out = await work.ok("bob", "apply", work.at("chime-1.0.0"));
    expect(out.match(/adopt --all/g)).toHaveLength(1);
    expect(out).not.toContain("setting:theme");
    await work.ok("bob", "adopt", "--all");
    expect(await work.json("bob", "apply", work.release("2.0.0", second))).toMatchObject({ changed: 2 });
  });

  it("are taken under management by the command that a plan names, once the pack is applied", async () => {
    const work = await installed();
    work.git("ann", "rm", "-rq", ".stet");
    work.commit("ann", "without records");
    work.git("ann", "push", "-q", "origin", "HEAD:main");
    work.clone("bob");
    const pack = work.at("chime-1.0.0");
    expect(await work.ok("bob", "plan", pack)).toMatch(/once it is\s+applied:\s+stet adopt --all --owner chime/);
    for (const named of [["--owner", "chime"], []])
      expect(await work.run("bob", "adopt", "--all", ...named)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^stet: nothing is installed.*; to see what a pack would change: stet plan DIR\n$/),
      });
    await work.ok("bob", "apply", pack);
    expect(await work.ok("bob", "adopt", "--all", "--owner", "chime")).toContain("3 now managed");
    expect(await work.ok("bob", "plan", pack)).not.toContain("adopt");
  });

  it("go on with records that were deleted, or that Git ignores", async () => {
    const work = await installed();
    work.edit(`ann/${settings}`, '"dark"', '"sepia"');
    fs.rmSync(work.at("ann/.stet"), { recursive: true });
    expect(await work.ok("ann", "apply", work.at("chime-1.0.0"))).toContain("adopt --all");
    expect(value(work, "ann", "theme")).toBe("sepia");

    work.clone("bob");
    work.write("bob/.gitignore", ".stet/\n");
    work.git("bob", "rm", "-rq", "--cached", ".stet");
    work.commit("bob", "keep records to ourselves");
    expect(await work.json("bob", "apply", work.release("2.0.0", second))).toMatchObject({ changed: 2, from: "1.0.0" });
    expect(work.git("bob", "status", "--porcelain")).toBe(` M ${settings}\n`);
    expect((await work.run("bob", "plan", work.at("chime-2.0.0"), "--exit-code")).code).toBe(0);
  });

  it("rebase an upgrade on a colleague's edit, and both stand", async () => {
    const work = await installed();
    work.clone("bob");
    work.edit(`bob/${settings}`, '"dark"', '"sepia"');
    work.commit("bob", "a theme of our own");
    work.git("bob", "push", "-q", "origin", "HEAD:main");
    await work.ok("ann", "apply", work.release("2.0.0", { ...first, sound: "gong" }));
    work.commit("ann", "upgrade");
    work.git("ann", "pull", "-q", "--rebase", "origin", "main");
    expect([value(work, "ann", "theme"), value(work, "ann", "sound")]).toEqual(["sepia", "gong"]);
    expect((await work.run("ann", "plan", work.at("chime-2.0.0"), "--exit-code")).code).toBe(0);
    const { from, entries } = await work.json("ann", "apply", work.release("3.0.0", { ...first, theme: "light" }));
    expect([from, entries]).toEqual([
      "2.0.0",
      expect.arrayContaining([expect.objectContaining({ key: "setting:theme", verdict: "conflict" })]),
    ]);
    expect(value(work, "ann", "theme")).toBe("sepia");
  });

  it("merge upgrades of different entries without a conflict", async () => {
    const work = new Workplace();
    const many = (changes: object) => ({
      ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i + 10}`, i])),
      ...changes,
    });
    await work.ok("ann", "apply", work.release("1.0.0", many({})));
    work.commit("ann", "install");
    work.git("ann", "branch", "left");
    work.git("ann", "branch", "right");
    work.git("ann", "checkout", "-q", "left");
    await work.ok("ann", "apply", work.release("1.1.0", many({ k12: "left" })));
    work.commit("ann", "left");
    work.git("ann", "checkout", "-q", "right");
    await work.ok("ann", "apply", work.release("1.2.0", many({ k30: "right" })));
    work.commit("ann", "right");
    work.git("ann", "merge", "-q", "--no-edit", "left");
    expect([value(work, "ann", "k12"), value(work, "ann", "k30")]).toEqual(["left", "right"]);
    expect(await work.json("ann", "apply", work.release("1.3.0", many({ k12: "left", k30: "right" })))).toMatchObject({
      changed: 0,
      from: "1.2.0",
    });
  });

  it("are told of a conflict in the records by line, and merge both sides with one command", async () => {
    const work = await installed();
    work.git("ann", "checkout", "-q", "-b", "left");
    await work.ok("ann", "apply", work.release("1.1.0", { ...first, volume: 4 }));
    work.commit("ann", "left");
    work.git("ann", "checkout", "-q", "-b", "right", "HEAD~1");
    await work.ok("ann", "apply", work.release("1.2.0", { ...first, volume: 6, sound: "gong" }));
    work.commit("ann", "right");
    expect(() => work.git("ann", "merge", "-q", "left")).toThrow();
    work.git("ann", "checkout", "-q", "--ours", settings);
    const refused = await work.run("ann", "status");
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/\.stet\/chime\.json:\d+:1: .*stet resolve \.stet\/chime\.json/),
    ]);
    await work.ok("ann", "resolve", ".stet/chime.json");
    expect((await work.json("ann", "status")).owners[0]).toMatchObject({ version: "1.2.0" });
    expect(await work.json("ann", "apply", work.at("chime-1.2.0"))).toMatchObject({ changed: 0 });
  });

  it("go back to what the project had, bytes and records together", async () => {
    const work = await installed();
    const before = [work.read(`ann/${settings}`), work.read("ann/.stet/chime.json")];
    await work.ok("ann", "apply", work.release("2.0.0", second));
    await work.ok("ann", "rollback", "chime");
    expect(work.read(`ann/${settings}`)).toBe(before[0]);
    expect(JSON.parse(work.read("ann/.stet/chime.json")).files).toEqual(JSON.parse(before[1]!).files);
    expect(await work.ok("ann", "apply", work.at("chime-2.0.0"))).toContain("held");
  });
});

describe("a saved plan of a project", () => {
  it("is applied in the project it was made for, to just what it saw", async () => {
    const work = await installed();
    await work.ok("ann", "plan", work.release("2.0.0", second), "--out", "../upgrade.plan");
    await work.ok("ann", "apply", "../upgrade.plan");
    expect(value(work, "ann", "volume")).toBe(5);
    expect((await work.json("ann", "status")).owners[0]).toMatchObject({ version: "2.0.0" });
    expect(await work.json("ann", "apply", work.at("chime-2.0.0"))).toMatchObject({ changed: 0 });
    work.clone("bob");
    expect((await work.run("bob", "apply", "../upgrade.plan")).code).toBe(1);
    expect(value(work, "bob", "volume")).toBe(3);
  });
});

describe("records of a stranger", () => {
  const forged = async (change: (records: { name: string; files: Record<string, unknown> }) => void) => {
    const work = await installed();
    const records = JSON.parse(work.read("ann/.stet/chime.json"));
    change(records);
    work.write("ann/.stet/chime.json", JSON.stringify(records));
    return work;
  };

  it.each(["../../.bashrc", "/etc/passwd", "a/../../x", ".git/config", "", "a//b", "C:\\x"])(
    "name nothing outside: %s",
    async (target) => {
      const work = await forged((records) => {
        records.files[target] = records.files[settings];
      });
      for (const command of [["status"], ["uninstall", "chime"], ["apply", work.at("chime-1.0.0")]])
        expect(await work.run("ann", ...command)).toMatchObject({
          code: 1,
          err: expect.stringContaining("chime.json"),
        });
    },
  );

  it("are read through no link, and belong to the owner they name", async () => {
    const work = await installed();
    fs.renameSync(work.at("ann/.stet/chime.json"), work.at("records.json"));
    fs.symlinkSync(work.at("records.json"), work.at("ann/.stet/chime.json"));
    expect((await work.run("ann", "status")).err).toContain("out of the project");
    const other = await forged((records) => {
      records.name = "other";
    });
    expect((await other.run("ann", "status")).err).toContain("another owner than chime");
  });

  it("cost at worst entries of the project's own files, and these are in a generation", async () => {
    const work = await installed();
    work.write("ann/package.json", '{ "name": "shop", "private": true }\n');
    const records = JSON.parse(work.read("ann/.stet/chime.json"));
    const [[, sample]] = Object.entries<object>(records.files[settings].entries) as [[string, object]];
    records.files["package.json"] = {
      ...records.files[settings],
      entries: {
        "setting:private": {
          ...sample,
          entry_type: "setting",
          value: true,
          value_hash: "sha256:x",
          location: undefined,
          source: undefined,
        },
      },
    };
    work.write("ann/.stet/chime.json", JSON.stringify(records));
    await work.run("ann", "apply", work.at("chime-1.0.0"));
    await work.ok("ann", "rollback", "chime");
    expect(work.read("ann/package.json")).toBe('{ "name": "shop", "private": true }\n');
  });
});

it("who-runs: a project's hooks with their owner, from below it and with --all; an edited one is the user's over it", async () => {
  const work = new Workplace();
  const hook = (command: string) => [{ matcher: "Bash", hooks: [{ type: "command", command }] }];
  const hooks = { PreToolUse: hook("$CLAUDE_PROJECT_DIR/guard.sh"), Stop: hook("sh .claude/ring.sh") };
  await work.ok("ann", "apply", work.release("1.0.0", { hooks }));
  work.edit("ann/.claude/settings.json", "sh .claude/ring.sh", "nice sh .claude/ring.sh");
  work.write("ann/src/x.txt", "");
  fs.mkdirSync(work.at("elsewhere"));
  const expected = [
    {
      scope: work.at("ann"),
      when: "PreToolUse (Bash)",
      owner: "chime@1.0.0",
      problem: `it runs ${work.at("ann/guard.sh")}, which is not there`,
    },
    { when: "Stop (Bash)", what: "nice sh .claude/ring.sh", owner: "you-over-chime" },
  ];
  expect((await work.json("ann/src", "who-runs")).entries).toMatchObject(expected);
  expect((await work.json("elsewhere", "who-runs")).entries).toEqual([]);
  expect((await work.json("elsewhere", "who-runs", "--all")).entries).toMatchObject(expected);
});
