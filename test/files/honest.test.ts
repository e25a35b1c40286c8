import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/diagnostic.ts";
import { listGenerations } from "../../src/store/records/generations.ts";
import { hook, pack, World } from "./world.ts";

const file = "app/config.json";

describe("when-edited: overwrite", () => {
  it("says that an edit was overwritten, and where it is kept", async () => {
    const world = new World();
    const policy = { policy: [{ match: "*", "when-edited": "overwrite" }] };
    await world.apply(pack("1", { a: 1, b: 1 }, policy));
    world.edit(file, '"a": 1', '"a": 9');
    const { diagnostics } = await world.apply(pack("1", { a: 1, b: 1 }, policy));
    expect(diagnostics).toMatchObject([
      {
        code: "overwritten",
        severity: "warning",
        key: "setting:a",
        message: expect.stringContaining("stet history zylos"),
      },
    ]);
    expect((await world.apply(pack("1", { a: 1, b: 1 }, policy))).diagnostics).toEqual([]);
  });
});

describe("ignored fields", () => {
  it("survive resolve --theirs, as their entry stays", async () => {
    const world = new World();
    const ignore = { policy: [{ match: "hook:*", ignore: ["timeout"] }] };
    await world.apply(pack("1", { hooks: [hook("S", "x", { timeout: 1, a: 1 })] }, ignore));
    world.edit(file, '"timeout": 1', '"timeout": 60');
    world.edit(file, '"a": 1', '"a": 5');
    await world.apply(pack("2", { hooks: [hook("S", "x", { timeout: 2, a: 2 })] }, ignore));
    await world.resolve("hook:S:x", "theirs");
    expect(world.json(file).hooks).toEqual([hook("S", "x", { timeout: 60, a: 2 })]);
  });
});

describe("a list that both sides appended to", () => {
  it("stays a conflict, and --theirs says what it drops where no rule takes it apart", async () => {
    const world = new World();
    await world.apply(pack("1", { args: ["a"] }));
    world.write(file, { args: ["a", "mine", "mine too"] });
    const { summary } = await world.apply(pack("2", { args: ["a", "theirs"] }));
    expect(summary).toEqual({ conflict: 1 });
    const [plan] = await world.resolve("setting:args", "theirs");
    expect(world.json(file)).toEqual({ args: ["a", "theirs"] });
    expect(plan!.document.diagnostics).toMatchObject([
      { code: "items-dropped", message: expect.stringContaining("2 items of yours") },
    ]);
  });

  it("is united where a rule takes its items apart", async () => {
    const world = new World();
    await world.apply(pack("1", { permissions: { allow: ["a"] } }));
    world.write(file, { permissions: { allow: ["a", "mine"] } });
    await world.apply(pack("2", { permissions: { allow: ["a", "theirs"] } }));
    await world.resolve(`~/${file}`, "theirs");
    expect(world.json(file).permissions.allow.sort()).toEqual(["a", "mine", "theirs"]);
  });
});

describe("status", () => {
  it("of one malformed file does not hide the others", async () => {
    const world = new World();
    const files = ["~/a.json", "~/b.json"].map((target) => ({ target, template: { k: 1 } }));
    await world.apply({ name: "zylos", version: "1", files });
    world.write("a.json", '{ "k": 1,, }');
    const [document] = await world.status();
    expect(document!.entries.map(({ file: path, verdict }) => [path, verdict])).toEqual([
      [world.at("b.json"), "unchanged"],
    ]);
    expect(document!.diagnostics).toMatchObject([
      { code: "malformed-target", severity: "error", file: world.at("a.json"), line: 1 },
    ]);
  });

  it.each([
    ["a.json", '{\n<<<<<<< HEAD\n  "k": 2\n=======\n  "k": 3\n>>>>>>> theirs\n}\n'],
    ["a.yaml", "<<<<<<< HEAD\nk: 2\n=======\nk: 3\n>>>>>>> theirs\n"],
    ["a.toml", "<<<<<<< HEAD\nk = 2\n=======\nk = 3\n>>>>>>> theirs\n"],
  ])("says of %s that Git left conflict markers in it", async (name, text) => {
    const world = new World();
    await world.apply({ name: "zylos", version: "1", files: [{ target: `~/${name}`, template: { k: 1 } }] });
    world.write(name, text);
    const [document] = await world.status();
    const line = text.startsWith("{") ? 2 : 1;
    const message = "Git left conflict markers here; settle that conflict first";
    expect(document!.diagnostics).toMatchObject([{ code: "malformed-target", message, line, column: 1 }]);
  });
});

describe("a wrong clock", () => {
  it("does not erase the history", async () => {
    const world = new World();
    for (const version of ["1", "2", "3"]) await world.apply(pack(version, { a: version }));
    const { now } = world.machine;
    Object.assign(world.machine, { now: () => new Date(Date.UTC(2099, 0, 1)) });
    await world.apply(pack("4", { a: "4" }));
    Object.assign(world.machine, { now });
    const { gate, stateDir } = world.machine;
    expect(listGenerations(gate, stateDir, "zylos").map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    await world.rollback("zylos", 1);
    expect(world.json(file)).toEqual({ a: "1" });
  });
});

describe("a manifest with several mistakes", () => {
  it("says a line for each, and refuses a list where names are wanted", async () => {
    const world = new World();
    const wrong = {
      name: "zylos",
      version: "1",
      files: [{ target: 1, template: {}, os: ["plan9"] }],
      earlier: [],
      nonsense: true,
    };
    const error = await world.plan(wrong).catch((caught: unknown) => caught as InputError);
    expect(error).toBeInstanceOf(InputError);
    const said = (error as InputError).diagnostics.map(({ message }) => message);
    expect(said).toHaveLength(4);
    expect(said.join("\n")).toMatch(/earlier must be a map/);
  });

  it("with the place of each in its text", async () => {
    const world = new World();
    world.write(
      "pack/stet.yaml",
      'name: zylos\nversion: "1"\nfiles:\n  - target: ~/a.json\n    template: a.json\n    os: [plan9]\n    colour: red\nearlier: [old]\nmoved: {}\n',
    );
    const { readPack } = await import("../../src/files/manifest/load-manifest.ts");
    let error: unknown;
    try {
      readPack(world.machine.gate, world.at("pack"));
    } catch (caught) {
      error = caught;
    }
    expect((error as InputError).diagnostics.map(({ line }) => line)).toEqual([6, 7, 8, 9]);
  });
});
