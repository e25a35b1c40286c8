import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { native } from "../../src/store/gate/native.ts";
import { Terminal, writePack } from "../cli/terminal.ts";
import { expectRefusal } from "./refusal.ts";

const state = "home/.local/state/stet";

/** A pack that is installed, and a second version of it that waits. */
async function installed(): Promise<Terminal> {
  const terminal = new Terminal();
  writePack(terminal, "1.0.0", { a: 1 });
  terminal.write("home/app/config.json", { mine: 1 });
  terminal.write("home/victim.json", { precious: 1 });
  await terminal.run("apply", "pack");
  writePack(terminal, "2.0.0", { a: 2 });
  return terminal;
}

/** Tag, permissions and number of each entry, as Linux keeps them. */
function setAccessList(
  file: string,
  entries: readonly (readonly [tag: number, permissions: number, id: number])[],
): void {
  const list = Buffer.alloc(4 + entries.length * 8);
  list.writeUInt32LE(2);
  entries.forEach(([tag, permissions, id], index) => {
    const at = list.writeUInt16LE(permissions, list.writeUInt16LE(tag, 4 + index * 8));
    list.writeInt32LE(id, at);
  });
  const fd = fs.openSync(file, "r");
  native().setAttrSync(fd, "system.posix_acl_access", list);
  fs.closeSync(fd);
}

const writing = [
  ["apply", "pack"],
  ["rollback", "zylos"],
  ["uninstall", "zylos"],
  ["disown", "setting:a"],
];
const reading = [
  ["plan", "pack"],
  ["status"],
  ["explain", "setting:a"],
  ["blame", "home/app/config.json"],
  ["history", "zylos"],
];

describe("a state directory that others could have written into is neither believed nor written", () => {
  it.each([
    ["everyone", 0o777, undefined, /may be written by everyone/],
    ["everyone, though not listed by them", 0o703, undefined, /may be written by everyone/],
    ["a group", 0o770, 12345, /may be written by group 12345/],
  ])("%s", async (_, mode, group, line) => {
    // Giving a folder to another group takes root; who is not root has no such folder to fear.
    if (group !== undefined && process.geteuid!() !== 0) return;
    const terminal = await installed();
    if (group !== undefined) fs.chownSync(terminal.at(state), 0, group);
    fs.chmodSync(terminal.at(state), mode);
    await expectRefusal(terminal, line, ...writing, ...reading);
  });

  it.runIf(process.geteuid!() === 0 && process.platform === "linux")("a user whom an access list lets in", async () => {
    const terminal = await installed();
    fs.chownSync(terminal.at(state), 0, 0);
    setAccessList(terminal.at(state), [
      [0x01, 7, -1],
      [0x02, 7, 12345],
      [0x04, 0, -1],
      [0x10, 7, -1],
      [0x20, 0, -1],
    ]);
    await expectRefusal(terminal, /may be written by user 12345 by its access list/, ...writing, ...reading);
    // One that lets nobody write is nobody's way in.
    setAccessList(terminal.at(state), [
      [0x01, 7, -1],
      [0x02, 7, 12345],
      [0x04, 0, -1],
      [0x10, 5, -1],
      [0x20, 0, -1],
    ]);
    expect(await terminal.run("plan", "pack")).toMatchObject({ code: 0, err: "" });
  });

  it.runIf(process.geteuid!() === 0)("another user, whatever its mode: also for those that only read", async () => {
    const terminal = await installed();
    fs.chownSync(terminal.at(state), 12345, 12345);
    await expectRefusal(
      terminal,
      /state directory belongs to user 12345, but stet runs as user 0/,
      ...writing,
      ...reading,
    );
  });

  it.each(["zylos", "zylos/registry.json", "zylos/generations", "zylos/objects", "journal.json"])(
    "everyone, not the folder but %s in it, where they may enter the folder",
    async (inner) => {
      const terminal = await installed();
      await terminal.run("apply", "pack");
      if (inner === "journal.json") terminal.write(`${state}/${inner}`, "{}");
      fs.chmodSync(terminal.at(`${state}/${inner}`), 0o777);
      fs.chmodSync(terminal.at(state), 0o755);
      await expectRefusal(
        terminal,
        new RegExp(`${inner}: the state directory holds this, which may be written by everyone`),
        ...writing,
        ...reading,
      );
      // Whom the folder keeps out reaches nothing in it.
      fs.chmodSync(terminal.at(state), 0o700);
      if (inner !== "journal.json") expect(await terminal.run("plan", "pack")).toMatchObject({ code: 0, err: "" });
    },
  );

  it("that of a host", async () => {
    const terminal = new Terminal({ PATH: process.env.PATH! });
    terminal.write("repo/services/web/quadlet/web.container", "[Container]\nImage=x.org/web:1\n");
    terminal.write("repo/hosts/box/host.yaml", "host: box\nservices: [web]\n");
    const at = ["--root", "root", "--host", "box", "--repo", "repo"];
    expect(await terminal.run("host", "apply", ...at)).toMatchObject({ code: 0 });
    fs.chmodSync(terminal.at(`${state}/host`), 0o777);
    const commands = [
      ["plan", ...at],
      ["apply", ...at],
      ["status", ...at],
      ["rollback", "--root", "root"],
    ];
    await expectRefusal(terminal, /may be written by everyone/, ...commands.map((argv) => ["host", ...argv]));
  });

  it("but a group that is the user's alone is no others", async () => {
    const terminal = await installed();
    const { uid } = fs.statSync(terminal.at(state));
    if (process.geteuid!() === 0) fs.chownSync(terminal.at(state), uid, uid);
    else if (fs.statSync(terminal.at(state)).gid !== uid) return;
    fs.chmodSync(terminal.at(state), 0o770);
    expect(await terminal.run("apply", "pack")).toMatchObject({ code: 0 });
  });

  it("one that is a file, or a link to one", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.write("home/file", "precious\n");
    fs.symlinkSync("file", terminal.at("home/link"));
    for (const at of ["home/file", "home/link"])
      await expectRefusal(terminal, /state directory|folder/, ["apply", "pack", "--state-dir", at]);
  });
});

describe("a pack that reaches for the state directory is refused", () => {
  it.each([
    ["another owner's records", "~/.local/state/stet/other/registry.json"],
    ["the journal", "~/.local/state/stet/journal.json"],
    ["the lock", "~/.local/state/stet/lock"],
    ["by climbing", "~/app/../.local/state/stet/x.json"],
    ["by way of a link", "~/linked/x.json"],
  ])("%s", async (_, target) => {
    const terminal = await installed();
    fs.symlinkSync(".local/state/stet", terminal.at("home/linked"));
    terminal.write(
      "pack/stet.yaml",
      `name: evil\nversion: "1"\nfiles: [{ target: ${target}, template: config.json, format: json }]\n`,
    );
    await expectRefusal(terminal, /lies in the state directory/, ["plan", "pack"], ["apply", "pack"]);
  });

  it.each([
    ["the state directory itself", "~/.local/state/stet", /is the state directory, or a folder around it/],
    ["a folder around it", "~/.local/state", /is the state directory, or a folder around it/],
    ["the folder of the user's policies", "~/.config/stet", /the user's own policies/],
    ["a folder around that", "~/.config", /the user's own policies/],
    ["something else in it", "~/.config/stet/other.yaml", /the user's own policies/],
    ["the default state directory, where another is used", "~/.local/state/stet/x.json", /lies in the state directory/],
  ])("%s, also as a file or link in its way", async (_, target, line) => {
    const terminal = new Terminal();
    terminal.write("pack/t", "{}\n");
    for (const what of ["template: t, strategy: block", "template: t, strategy: whole", "link: elsewhere"]) {
      terminal.write("pack/stet.yaml", `name: evil\nversion: "1"\nfiles: [{ target: ${target}, ${what} }]\n`);
      const state = ["--state-dir", terminal.at("state")];
      const asked = target.endsWith("x.json") ? state : [];
      await expectRefusal(terminal, line, ["plan", "pack", ...asked], ["apply", "pack", ...asked]);
    }
  });

  it("and one that reaches for the user's own policies, which are asked before its own", async () => {
    const terminal = await installed();
    fs.symlinkSync(".config", terminal.at("home/linked"));
    for (const target of ["~/.config/stet/policy.yaml", "~/linked/stet/policy.yaml"]) {
      terminal.write(
        "pack/stet.yaml",
        `name: evil\nversion: "1"\nfiles: [{ target: ${target}, template: config.json }]\n`,
      );
      await expectRefusal(terminal, /the user's own policies/, ["plan", "pack"], ["apply", "pack"]);
    }
  });

  it("and so is a saved plan", async () => {
    const terminal = await installed();
    await terminal.run("plan", "pack", "--out", "saved.plan");
    const plan = JSON.parse(terminal.read("saved.plan"));
    const victim = terminal.at(`${state}/journal.json`);
    Object.assign(plan.transaction.changes[0], { path: victim, real: victim, before: { kind: "absent" } });
    terminal.write("saved.plan", plan);
    await expectRefusal(terminal, /lies in the state directory/, ["apply", "saved.plan"]);
  });
});

describe("what stands where our own files should", () => {
  it("a lock that is a link, or another name of a file: it is not emptied", async () => {
    for (const make of [fs.symlinkSync, fs.linkSync]) {
      const terminal = await installed();
      fs.rmSync(terminal.at(`${state}/lock`));
      make(terminal.at("home/victim.json"), terminal.at(`${state}/lock`));
      await expectRefusal(terminal, /\/lock: it is not a plain file/, ["apply", "pack"]);
    }
  });

  it("a lock, a registry or a journal that is a FIFO keeps nobody waiting", async () => {
    for (const file of ["lock", "zylos/registry.json", "journal.json"]) {
      const terminal = await installed();
      fs.rmSync(terminal.at(`${state}/${file}`), { force: true });
      execFileSync("mkfifo", [terminal.at(`${state}/${file}`)]);
      await expectRefusal(terminal, /it is (?:not a plain file|a FIFO)/, ["apply", "pack"]);
    }
  });

  it("an owner's folder that is a link leads our records nowhere else", async () => {
    const terminal = await installed();
    fs.renameSync(terminal.at(`${state}/zylos`), terminal.at("home/elsewhere"));
    fs.symlinkSync("../../../elsewhere", terminal.at(`${state}/zylos`));
    await expectRefusal(terminal, /leads out of the state directory/, ["apply", "pack"], ["uninstall", "zylos"]);
  });
});

describe("records that were tampered with", () => {
  /** The newest generation, its records and its objects as a clever hand would leave them. */
  async function withHistory(
    change: (generation: { files: Record<string, unknown>[] }, terminal: Terminal) => void,
  ): Promise<Terminal> {
    const terminal = await installed();
    await terminal.run("apply", "pack");
    const file = `${state}/zylos/generations/2.json`;
    const generation = JSON.parse(terminal.read(file));
    change(generation, terminal);
    terminal.write(file, generation);
    return terminal;
  }

  it("a generation that names a file which the owner never had: going back writes nothing", async () => {
    const terminal = await withHistory((generation, terminal) => {
      const bytes = fs.readFileSync(terminal.at("home/victim.json"));
      const [now] = generation.files as { before: object; after: { sha256: string } }[];
      const after = { ...now!.after, sha256: createHash("sha256").update(bytes).digest("hex") };
      const victim = terminal.at("home/victim.json");
      // Before: bytes that are really among the objects.
      generation.files.push({ path: victim, real: victim, before: now!.before, after });
    });
    await expectRefusal(terminal, /never had on record/, ["rollback", "zylos"], ["rollback", "zylos", "--to", "0"]);
  });

  it("a generation whose file is somewhere else than its path says", async () => {
    const terminal = await withHistory((generation, terminal) => {
      Object.assign(generation.files[0]!, { real: terminal.at("home/victim.json") });
    });
    const before = terminal.read("home/victim.json");
    await terminal.run("rollback", "zylos");
    expect(terminal.read("home/victim.json")).toBe(before);
  });

  it.each([
    [
      "a path that climbs",
      (files: Record<string, unknown>) => ({ "~/../../x.json": Object.values(files)[0] }),
      undefined,
    ],
    [
      "a relative path",
      (files: Record<string, unknown>) => ({ "x.json": Object.values(files)[0] }),
      /not an absolute path/,
    ],
    [
      "something that every object has",
      (files: Record<string, unknown>) => ({ constructor: Object.values(files)[0] }),
      /not an absolute path/,
    ],
    ["no records at all", () => [], /not a registry of stet/],
    [
      "a record that is none",
      () => ({ "~/app/config.json": { entries: { "setting:a": null } } }),
      /not a registry of stet/,
    ],
  ])("a registry with %s", async (_, change, line) => {
    const terminal = await installed();
    const file = `${state}/zylos/registry.json`;
    const registry = JSON.parse(terminal.read(file));
    terminal.write(file, { ...registry, files: change(registry.files) });
    if (line) return expectRefusal(terminal, line, ["apply", "pack"], ["uninstall", "zylos"]);
    // A path is a path, however it is spelt: what it leads to is looked at, and nothing there is ours to take.
    const outside = path.dirname(terminal.folder);
    const before = fs.existsSync(path.join(outside, "x.json"));
    await terminal.run("uninstall", "zylos");
    expect(fs.existsSync(path.join(outside, "x.json"))).toBe(before);
  });

  it("a registry nested to exhaust the stack", async () => {
    const terminal = await installed();
    const file = `${state}/zylos/registry.json`;
    const registry = JSON.parse(terminal.read(file));
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    terminal.write(file, JSON.stringify({ ...registry, deep: 0 }).replace('"deep":0', `"deep":${deep}`));
    for (const argv of [["status"], ["apply", "pack"]]) {
      const { code, err } = await terminal.run(...argv);
      expect({ argv, code, err }).toEqual({
        argv,
        code: 1,
        err: expect.stringMatching(/^stet: [^\n]*registry\.json:[^\n]+\n$/),
      });
    }
  });
});
