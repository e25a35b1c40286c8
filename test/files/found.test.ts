import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { pack, verdicts, World } from "./world.ts";

/** The same story in every format: the user's text, and what two releases want beside it. */
const formats = [
  { target: "app/a.json", text: '{ "theme": "dark" }\n', one: { k: 1 }, two: { k: 1, theme: "dark" } },
  { target: "app/a.jsonc", text: '{\n\t"theme": "dark", // mine\n}\n', one: { k: 1 }, two: { k: 1, theme: "dark" } },
  { target: "app/a.yaml", text: "theme:   'dark' # mine\n", one: { k: 1 }, two: { k: 1, theme: "dark" } },
  { target: "app/a.toml", text: "theme = 'dark'\n", one: { k: 1 }, two: { k: 1, theme: "dark" } },
  { target: "app/.env", text: "export THEME='dark'\n", one: { K: "1" }, two: { K: "1", THEME: "dark" } },
  {
    target: "app/d.json",
    text: '{"permissions":{"deny":["Bash(rm)"]}}\n',
    one: { k: 1 },
    two: { k: 1, permissions: { deny: ["Bash(rm)"] } },
  },
] as const;

const release = (target: string, version: string, template: object | string, more: object = {}) => ({
  name: "zylos",
  version,
  files: [{ target: `~/${target}`, template, ...more }],
});
const text = (template: object) =>
  `${Object.entries(template)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n")}\n`;

describe("what was there before is nobody's but the user's", () => {
  for (const { target, text: original, one, two } of formats) {
    const written = (template: object) => (target.endsWith(".env") ? text(template) : template);
    const v1 = release(target, "1.0", written(one));
    const v2 = release(target, "1.1", written(two));

    it(`${target}: an equal wish of a later release takes nothing over, and is not worth a line`, async () => {
      const world = new World();
      world.write(target, original);
      await world.apply(v1);
      const upgraded = await world.apply(v2);
      expect(Object.values(verdicts(upgraded)).sort()).toEqual(["keep user-owned", "unchanged"]);
      expect(upgraded.diagnostics).toEqual([]);
      await world.uninstall();
      expect(world.read(target)).toBe(original);
    });

    it(`${target}: a downgrade, a dropped entry and a rollback leave it`, async () => {
      const world = new World();
      world.write(target, original);
      await world.apply(v1);
      await world.apply(v2);
      await world.apply(v1);
      expect(world.read(target)).toContain(target.endsWith("d.json") ? "Bash(rm)" : "dark");
      await world.apply(v2);
      await world.rollback("zylos", 0);
      expect(world.read(target)).toBe(original);
    });
  }

  it("an entry that another owner records is shared: a claim, without a word", async () => {
    const world = new World();
    await world.apply(pack("1", { a: 1 }));
    const other = { ...pack("1", { a: 1 }), name: "other" };
    expect(verdicts(await world.apply(other))).toEqual({ "setting:a": "adopt" });
    await world.uninstall();
    expect(world.json("app/config.json")).toEqual({ a: 1 });
    await world.uninstall("other");
    expect(world.exists("app/config.json")).toBe(false);
  });
});

describe("what is adopted on request is given back as it was found", () => {
  const adopting = { policy: [{ match: "*", "when-present": "adopt" }] };
  const overwriting = { policy: [{ match: "*", "when-present": "adopt", "when-edited": "overwrite" }] };
  const values = [
    { target: "app/a.json", text: '{ "size": 1.50, "own": 1 }\n', one: { size: 1.5 }, two: { size: 2 }, more: {} },
    {
      target: "app/a.jsonc",
      text: '{\n  "a": {"x":  1},  // why\n}\n',
      one: { a: { x: 1 } },
      two: { a: { x: 2 } },
      more: {},
    },
    {
      target: "app/a.yaml",
      text: "theme:   'dark' # mine\nl: [ 1,2 ]\n",
      one: { theme: "dark", l: [1, 2] },
      two: { theme: "x", l: [3] },
      more: {},
    },
    {
      target: "app/b.yaml",
      text: "a:\n    l:\n    -   1\n    -   2 \nz: 1\n",
      one: { a: { l: [1, 2] } },
      two: { a: { l: [9] } },
      more: {},
    },
    {
      target: "app/a.toml",
      text: "theme = 'dark'\nn = 1_000\n",
      one: { theme: "dark", n: 1000 },
      two: { theme: "x", n: 2 },
      more: {},
    },
    { target: "app/.env", text: "export THEME='dark' # mine\n", one: "THEME=dark\n", two: "THEME=light\n", more: {} },
    { target: "app/notes.txt", text: "mine\r\nalso mine\r\n", one: "mine\nalso mine\n", two: "theirs\n", more: {} },
    {
      target: "app/rc",
      text: "before\n# BEGIN ZYLOS MANAGED\nold\n# END ZYLOS MANAGED\nafter\n",
      one: "old\n",
      two: "new\n",
      more: { strategy: "block" },
    },
  ] as const;

  for (const { target, text: original, one, two, more } of values) {
    for (const [how, last] of [
      ["uninstall", (world: World) => world.uninstall()],
      ["a release that drops it", (world: World) => world.apply({ name: "zylos", version: "3", files: [] })],
      ["rollback", (world: World) => world.rollback("zylos", 0)],
    ] as const) {
      it(`${target}: ${how}`, async () => {
        const world = new World();
        world.write(target, original);
        await world.apply({ ...release(target, "1", one, more), ...adopting });
        expect(world.read(target)).toBe(original);
        await world.apply({ ...release(target, "2", two, more), ...adopting });
        expect(world.read(target)).not.toBe(original);
        await last(world);
        expect(world.read(target)).toBe(original);
      });
    }

    it(`${target}: also where edits are overwritten, from the first moment`, async () => {
      const world = new World();
      world.write(target, original);
      await world.apply({ ...release(target, "1", two, more), ...overwriting });
      expect(world.read(target)).not.toBe(original);
      await world.uninstall();
      expect(world.read(target)).toBe(original);
    });

    it(`${target}: entry by entry, where the file changed since`, async () => {
      if (target.endsWith(".txt")) return;
      const world = new World();
      world.write(target, original);
      await world.apply({ ...release(target, "1", one, more), ...adopting });
      await world.apply({ ...release(target, "2", two, more), ...adopting });
      const mark = target.endsWith("json") || target.endsWith("jsonc") ? "\n" : "\n# later\n";
      world.write(target, world.read(target) + mark);
      await world.rollback("zylos", 0);
      expect(world.read(target)).toBe(original + mark);
    });
  }

  it("stet adopt: what differs is an edit, stands, and goes nowhere when the owner does", async () => {
    const world = new World();
    world.write("app/config.json", '{ "theme": "dark", "mode": "mine" }\n');
    await world.apply(pack("1", { theme: "dark", mode: "ours" }));
    await world.adopt();
    await world.apply(pack("2", { theme: "light", mode: "ours" }));
    expect(world.json("app/config.json")).toEqual({ theme: "light", mode: "mine" });
    expect(verdicts(await world.uninstall())).toEqual({
      "setting:mode": "forget found",
      "setting:theme": "update found",
    });
    expect(world.read("app/config.json")).toBe('{ "theme": "dark", "mode": "mine" }\n');
  });

  it("resolve --theirs of a found entry gives it back, too", async () => {
    const world = new World();
    world.write("app/config.json", '{ "mode": "mine" }\n');
    await world.apply(pack("1", { mode: "ours" }));
    await world.resolve("setting:mode", "theirs");
    expect(world.json("app/config.json")).toEqual({ mode: "ours" });
    await world.uninstall();
    expect(world.read("app/config.json")).toBe('{ "mode": "mine" }\n');
  });

  it("what the user changed since stands", async () => {
    const world = new World();
    world.write("app/config.json", { theme: "dark" });
    await world.apply(pack("1", { theme: "dark" }, adopting));
    await world.apply(pack("2", { theme: "light" }, adopting));
    world.edit("app/config.json", "light", "sepia");
    expect(verdicts(await world.uninstall())).toEqual({ "setting:theme": "keep obsolete-modified" });
    expect(world.json("app/config.json")).toEqual({ theme: "sepia" });
  });

  it("what the user deleted since stays out", async () => {
    const world = new World();
    world.write("app/config.json", { theme: "dark", own: 1 });
    await world.apply(pack("1", { theme: "dark" }, adopting));
    world.write("app/config.json", { own: 1 });
    await world.apply(pack("1", { theme: "dark" }, adopting));
    expect(world.json("app/config.json")).toEqual({ own: 1, theme: "dark" });
    await world.uninstall();
    expect(world.json("app/config.json")).toEqual({ own: 1 });
  });

  it("travels with the last claim where owners share an entry", async () => {
    for (const order of [
      ["zylos", "other"],
      ["other", "zylos"],
    ]) {
      const world = new World();
      world.write("app/config.json", '{ "theme": "dark" }\n');
      await world.apply(pack("1", { theme: "dark" }, adopting));
      await world.apply({ ...pack("1", { theme: "dark" }), name: "other" });
      for (const name of ["zylos", "other"]) await world.apply({ ...pack("2", { theme: "light" }, adopting), name });
      for (const name of ["zylos", "other"]) await world.apply({ ...pack("2", { theme: "light" }, adopting), name });
      expect(world.json("app/config.json")).toEqual({ theme: "light" });
      await world.uninstall(order[0]);
      expect(world.json("app/config.json")).toEqual({ theme: "light" });
      await world.uninstall(order[1]);
      expect(world.read("app/config.json")).toBe('{ "theme": "dark" }\n');
    }
  });

  it("disowned and adopted again, an entry that the owner wrote is still the owner's", async () => {
    const world = new World();
    await world.apply(pack("1", { theme: "dark" }));
    await world.disown("setting:theme");
    await world.adopt("setting:theme");
    await world.uninstall();
    expect(world.exists("app/config.json")).toBe(false);
  });

  it("copies that the user has of it are not taken out", async () => {
    const world = new World();
    const mine = { permissions: { allow: ["Bash(ls)", "Bash(ls)"] } };
    world.write("app/config.json", mine);
    const v1 = pack("1", { permissions: { allow: ["Bash(ls)"] } }, adopting);
    await world.apply(v1);
    await world.apply(v1);
    expect(world.json("app/config.json")).toEqual(mine);
  });

  it("uninstall --all takes it, and what the user edited", async () => {
    const world = new World();
    world.write("app/config.json", { theme: "dark", own: 1 });
    await world.apply(pack("1", { theme: "dark", mode: "ours" }, adopting));
    world.edit("app/config.json", "ours", "mine");
    await world.uninstall("zylos", { all: true });
    expect(world.json("app/config.json")).toEqual({ own: 1 });
    await world.rollback("zylos");
    expect(world.json("app/config.json")).toEqual({ theme: "dark", own: 1, mode: "mine" });
  });

  for (const [what, bytes] of [
    ["a text", Buffer.from("#!/bin/sh\necho mine\n")],
    ["no text", Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x01])],
  ] as const) {
    it(`a whole file that is ${what}`, async () => {
      const world = new World();
      fs.mkdirSync(world.at("bin"));
      fs.writeFileSync(world.at("bin/ring"), bytes, { mode: 0o755 });
      const v1 = release("bin/ring", "1", "#!/bin/sh\necho ours\n", { strategy: "whole", mode: "0755" });
      await world.apply({ ...v1, ...overwriting });
      expect(world.read("bin/ring")).toBe("#!/bin/sh\necho ours\n");
      await world.uninstall();
      expect(fs.readFileSync(world.at("bin/ring"))).toEqual(bytes);
    });
  }
});
