import { describe, expect, it } from "vitest";
import { listGenerations } from "../../src/store/records/generations.ts";
import { applyStable } from "./stable.ts";
import { hook, pack, verdicts, World } from "./world.ts";

const file = "app/config.json";

describe("rollback", () => {
  it("gives the bytes back where files are as stet left them", async () => {
    const world = new World();
    const original = '{ "mine": 1, // note\n\t"x":[1,2] }\n';
    world.write(file, original);
    await world.apply(pack("1.0.0", { a: 1 }));
    const first = world.read(file);
    await world.apply(pack("2.0.0", { a: 2, b: 1 }));
    expect(verdicts(await world.rollback())).toEqual({ "setting:a": "update", "setting:b": "remove" });
    expect(world.read(file)).toBe(first);
    await world.rollback("zylos", 0);
    expect(world.read(file)).toBe(original);
  });

  it("reports what really stood in the file, where its user had changed it", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1, b: 1, c: 1 }));
    world.edit(file, '"a": 1', '"a": 11');
    await world.apply(pack("2.0.0", { a: 2, b: 2, c: 1 }));
    await world.resolve("setting:a", "theirs");
    const { entries } = await world.rollback("zylos", 1);
    expect(world.json(file)).toEqual({ a: 11, b: 1, c: 1 });
    expect(entries.filter(({ verdict }) => verdict !== "unchanged")).toMatchObject([
      { key: "setting:a", verdict: "update", actual: 2, result: 11 },
      { key: "setting:b", verdict: "update", actual: 2, result: 1 },
    ]);
  });

  it("leaves an edit that both releases met as an edit, and no conflict", async () => {
    const world = new World();
    const timed = (timeout: number) => ({ a: 1, hooks: [hook("S", "x", { timeout, note: `${timeout}` })] });
    await world.apply(pack("1.0.0", timed(1)));
    world.edit(file, '"timeout": 1', '"timeout": 9');
    await world.apply(pack("2.0.0", timed(2)));
    world.edit(file, '"a": 1', '"a": 1, "mine": true');
    expect(verdicts(await world.rollback())).toMatchObject({ "hook:S:x": "merge" });
    expect(world.json(file)).toEqual({ a: 1, mine: true, hooks: [hook("S", "x", { timeout: 9, note: "1" })] });
    const { entries } = await world.plan(pack("1.0.0", timed(1)));
    expect(entries.find(({ key }) => key === "hook:S:x")).toMatchObject({ verdict: "keep", reason: "user-modified" });
  });

  it("holds a version that was applied again with other contents, and not one that only records were changed under", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1 }));
    await world.apply(pack("1.0.0", { a: 2 }));
    await world.rollback();
    expect(world.json(file)).toEqual({ a: 1 });
    expect(await world.apply(pack("1.0.0", { a: 2 }))).toMatchObject({ changed: 0, diagnostics: [{ code: "held" }] });
    expect(world.json(file)).toEqual({ a: 1 });
    await world.apply(pack("1.0.1", { a: 2 }));
    await world.disown("setting:a");
    await world.rollback();
    expect(await world.apply(pack("1.0.1", { a: 3 }))).toMatchObject({ changed: 1, diagnostics: [] });
  });

  it("goes on backwards when it is called again, and holds every version it left", async () => {
    const world = new World();
    for (const version of [1, 2, 3, 4]) await world.apply(pack(`${version}.0.0`, { a: version }));
    for (const expected of [3, 2, 1]) {
      await world.rollback();
      expect([world.json(file).a, world.registry().version]).toEqual([expected, `${expected}.0.0`]);
    }
    for (const version of ["2.0.0", "3.0.0", "4.0.0"]) {
      const document = await world.apply(pack(version, { a: 9 }));
      expect([version, document.diagnostics.map(({ code }) => code), document.changed]).toEqual([version, ["held"], 0]);
    }
    await world.rollback("zylos", 4);
    expect(world.json(file)).toEqual({ a: 4 });
    expect((await world.apply(pack("4.0.0", { a: 4 }))).diagnostics).toEqual([]);
    expect((await world.apply(pack("5.0.0", { a: 5 }))).changed).toBe(1);
    expect(world.registry()).not.toHaveProperty("held");
  });

  it("holds the version it leaves until --unhold", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1 }));
    await world.apply(pack("2.0.0", { a: 2 }));
    await world.rollback();
    const before = world.snapshot();
    const held = await world.apply(pack("2.0.0", { a: 2 }));
    expect(held).toMatchObject({
      changed: 0,
      entries: [{ verdict: "keep", reason: "held" }],
      diagnostics: [{ code: "held" }],
    });
    expect(world.snapshot()).toEqual(before);
    expect(await applyStable(world, pack("2.0.0", { a: 2 }), { unhold: true })).toEqual({ "setting:a": "update" });
  });

  it("goes entry by entry where the user or another owner wrote since, and leaves their parts", async () => {
    const world = new World();
    world.write(file, '{ "mine": 1 }\n');
    const v1 = pack("1.0.0", { a: 1, hooks: [hook("S", "x")] });
    await world.apply(v1);
    await world.apply(pack("2.0.0", { a: 2, b: 1, hooks: [hook("S", "x", { t: 1 })] }));
    world.edit(file, '"mine": 1', '"mine": 5');
    await world.apply({ name: "other", version: "1", files: [{ target: `~/${file}`, template: { o: 1 } }] });
    await world.rollback("zylos");
    expect(world.json(file)).toEqual({ mine: 5, a: 1, hooks: [hook("S", "x")], o: 1 });
    expect(new Set(Object.values(await applyStable(world, v1)))).toEqual(new Set(["unchanged"]));
  });

  it("leaves an edit of an entry it would take back, and says so", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1 }));
    await world.apply(pack("2.0.0", { a: 2, b: 1 }));
    world.edit(file, '"a": 2', '"a": 9');
    const document = await world.rollback();
    expect(verdicts(document)).toEqual({ "setting:a": "keep user-modified", "setting:b": "remove" });
    expect(world.json(file)).toEqual({ a: 9 });
  });

  it("takes back what was only a change of records", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1, b: 1 }));
    await world.disown("setting:a");
    await world.rollback();
    expect(await applyStable(world, pack("1.0.0", { a: 1, b: 1 }))).toEqual({
      "setting:a": "unchanged",
      "setting:b": "unchanged",
    });
  });

  it("undoes an uninstall, records and all", async () => {
    const world = new World();
    world.write(file, '{ "mine": 1 }\n');
    const v1 = pack("1.0.0", { a: 1 });
    await world.apply(v1);
    const [text, registry] = [world.read(file), world.registry()];
    await world.uninstall();
    await world.rollback();
    expect([world.read(file), world.registry()]).toEqual([text, registry]);
    expect(await applyStable(world, v1)).toEqual({ "setting:a": "unchanged" });
  });

  it("undoes an uninstall also in a file that was edited since", async () => {
    const world = new World();
    world.write(file, '{ "mine": 1 }\n');
    await world.apply(pack("1.0.0", { a: 1 }));
    await world.uninstall();
    world.edit(file, "1", "2");
    await world.rollback();
    expect(world.json(file)).toEqual({ mine: 2, a: 1 });
    expect(await applyStable(world, pack("1.0.0", { a: 1 }))).toEqual({ "setting:a": "unchanged" });
  });

  it("takes the folders of a file along that it takes away", async () => {
    const world = new World();
    const files = (...names: string[]) => names.map((name) => ({ target: `~/${name}`, template: { a: 1 } }));
    await world.apply({ name: "zylos", version: "1", files: files("x/y/a.json") });
    await world.apply({ name: "zylos", version: "2", files: files("x/y/a.json", "n/m/b.json") });
    await world.rollback();
    expect([world.exists("n"), world.exists("x/y/a.json")]).toEqual([false, true]);
    await world.rollback("zylos", 0);
    expect(world.exists("x")).toBe(false);
  });

  it("shows the lines it puts back", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1 }));
    await world.apply(pack("2.0.0", { a: 2 }));
    const { files } = await world.rollback();
    expect(files).toMatchObject([{ action: "modify", diff: expect.stringMatching(/-\s+"a": 2\n\+\s+"a": 1/) }]);
  });

  it("refuses a generation that is not there, and an owner nobody knows", async () => {
    const world = new World();
    await expect(world.rollback("nobody")).rejects.toThrow(/nothing is installed under the name nobody/);
    await world.apply(pack("1.0.0", { a: 1 }));
    await expect(world.rollback("zylos", 7)).rejects.toThrow(/there is no generation 7/);
    await world.rollback();
    await expect(world.rollback()).resolves.toMatchObject({ changed: 0 });
    expect(listGenerations(world.machine.gate, world.machine.stateDir, "zylos").map(({ note }) => note)).toEqual([
      "apply",
      "rollback to 0",
    ]);
  });
});

describe("pre-releases", () => {
  const release = (version: string, a: number) => pack(version, { a });

  it("a newer release candidate lifts the hold of an older one, also past the ninth", async () => {
    const world = new World();
    await world.apply(release("1.0.0-rc.8", 8));
    await world.apply(release("1.0.0-rc.9", 9));
    await world.rollback();
    expect((await world.apply(release("1.0.0-rc.10", 10))).diagnostics).toEqual([]);
    expect((await world.apply(release("1.0.0-rc.9", 9))).diagnostics.map(({ code }) => code)).toEqual(["downgrade"]);
    expect(world.json("app/config.json")).toEqual({ a: 9 });
  });
});
