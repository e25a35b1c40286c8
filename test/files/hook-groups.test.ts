import { describe, expect, it } from "vitest";
import { applyStable } from "./stable.ts";
import { World } from "./world.ts";

const gemini = ".gemini/settings.json";
const run = (command: string, more: object = {}) => ({ type: "command", command, ...more });
const groups = (...all: object[]) => ({ hooks: { BeforeTool: all } });
const pack = (version: string, template: object, more: object = {}, target = gemini) => ({
  name: "zylos",
  version,
  files: [{ target: `~/${target}`, template }],
  ...more,
});
const field = (name: string, group = "BeforeTool:*") => `hook-group:${group}:${name}`;

describe("a group keeps the list that makes it one", () => {
  it.each([
    ["claude", ".claude/settings.json"],
    ["gemini", gemini],
  ])("with what the user wrote into it, when the last of ours goes (%s)", async (_name, target) => {
    const world = new World();
    world.write(target, '{\n  "mine": 1\n}\n');
    await applyStable(world, pack("1", groups({ hooks: [run("a")] }), {}, target));
    world.write(target, { mine: 1, ...groups({ description: "of the user", hooks: [run("a")] }) });
    await world.uninstall();
    expect(world.json(target)).toEqual({ mine: 1, ...groups({ description: "of the user", hooks: [] }) });
  });

  it("with comments in it", async () => {
    const world = new World();
    await applyStable(world, pack("1", groups({ hooks: [run("a")] })));
    world.edit(gemini, '"hooks": [\n          {', '// why\n        "hooks": [\n          {');
    await world.uninstall();
    expect(world.read(gemini)).toMatch(/\/\/ why\s+"hooks": \[\]/);
  });

  it("in YAML and TOML too", async () => {
    const rules = [
      { type: "hook", at: "hooks.{event}[].hooks[]", key: ["event", "matcher|matcher", "command|command"] },
    ];
    for (const [file, note, left] of [
      ["a.yaml", "note: mine\n", /note: mine\n\s+hooks:\s+\[\]/],
      ["a.toml", 'note = "mine"\n', /note = "mine"\nhooks = \[\]/],
    ] as const) {
      const world = new World();
      const manifest = {
        name: "zylos",
        version: "1",
        files: [{ target: `~/${file}`, template: groups({ matcher: "x", hooks: [run("a")] }), rules }],
      };
      await applyStable(world, manifest);
      const text = world.read(file);
      const line = /^( *(?:- )?)matcher.*\n/m.exec(text)!;
      world.write(file, text.replace(line[0], `${line[0]}${" ".repeat(line[1]!.length)}${note}`));
      await world.uninstall();
      expect(world.read(file)).toMatch(left);
    }
  });
});

describe("a field of a group that a template ships", () => {
  const one = (fields: object, ...commands: string[]) =>
    groups({ ...fields, hooks: commands.map((each) => run(each)) });

  it("comes with the group, is updated, and goes with it, or before it", async () => {
    const world = new World();
    world.write(gemini, '{\n  "mine": 1\n}\n');
    const first = await applyStable(world, pack("1", one({ matcher: "x", sequential: true }, "a")));
    expect(first).toEqual({ "hook:BeforeTool:x:command=a": "create", [field("sequential", "BeforeTool:x")]: "create" });
    expect(Object.keys(world.json(gemini).hooks.BeforeTool[0])).toEqual(["matcher", "sequential", "hooks"]);
    await applyStable(world, pack("2", one({ matcher: "x", sequential: false, description: "d" }, "a")));
    expect(world.json(gemini)).toEqual({ mine: 1, ...one({ matcher: "x", sequential: false, description: "d" }, "a") });
    expect(Object.keys(world.json(gemini).hooks.BeforeTool[0])).toEqual([
      "matcher",
      "sequential",
      "description",
      "hooks",
    ]);
    await applyStable(world, pack("3", one({ matcher: "x" }, "a", "b")));
    expect(world.json(gemini)).toEqual({ mine: 1, ...one({ matcher: "x" }, "a", "b") });
    await world.uninstall();
    expect(world.read(gemini)).toBe('{\n  "mine": 1\n}\n');
  });

  it("stays as the user changed it, and keeps its group then", async () => {
    const world = new World();
    await applyStable(world, pack("1", one({ sequential: true }, "a")));
    world.edit(gemini, "true", "false");
    expect(await applyStable(world, pack("1", one({ sequential: true }, "a")))).toMatchObject({
      [field("sequential")]: "keep user-modified",
    });
    await world.uninstall();
    expect(world.json(gemini)).toEqual(one({ sequential: false }));
  });

  it("is put back where only it was deleted, and not where its group was", async () => {
    const world = new World();
    const respected = { policy: [{ match: "hook:*", "when-deleted": "respect" }] };
    await applyStable(world, pack("1", one({ sequential: true }, "a"), respected));
    world.write(gemini, one({}, "a"));
    expect(await applyStable(world, pack("1", one({ sequential: true }, "a"), respected))).toMatchObject({
      [field("sequential")]: "restore",
    });
    world.write(gemini, {});
    await applyStable(world, pack("1", one({ sequential: true }, "a"), respected));
    expect(world.json(gemini)).toEqual({});
    const again = new World();
    await applyStable(again, pack("1", one({ sequential: true }, "a")));
    again.write(gemini, {});
    await applyStable(again, pack("1", one({ sequential: true }, "a")));
    expect(again.json(gemini)).toEqual(one({ sequential: true }, "a"));
  });

  it("makes two groups of a template two groups", async () => {
    const world = new World();
    const both = groups(
      { matcher: "x", sequential: true, hooks: [run("a")] },
      { matcher: "x", hooks: [run("b")] },
      { matcher: "x", sequential: false, description: "d", hooks: [run("c")] },
    );
    world.write(
      gemini,
      '{\n  "hooks": {\n    "BeforeTool": [\n      {\n        "matcher": "x",\n        "hooks": []\n      }\n    ]\n  }\n}\n',
    );
    const before = world.read(gemini);
    await applyStable(world, pack("1", both));
    expect(world.json(gemini)).toEqual(
      groups(
        { matcher: "x", sequential: true, hooks: [run("a")] },
        { matcher: "x", hooks: [run("b")] },
        { matcher: "x", sequential: false, description: "d", hooks: [run("c")] },
      ),
    );
    await applyStable(
      world,
      pack("2", groups({ matcher: "x", sequential: false, description: "e", hooks: [run("c"), run("d")] })),
    );
    expect(world.json(gemini)).toEqual(
      groups(
        { matcher: "x", hooks: [] },
        { matcher: "x", sequential: false, description: "e", hooks: [run("c"), run("d")] },
      ),
    );
    await world.uninstall();
    expect(world.read(gemini)).toBe(before);
  });

  it("is not put into a group of the user's, nor ours into a group that differs in one", async () => {
    const world = new World();
    world.write(gemini, one({ sequential: true }, "mine"));
    await applyStable(world, pack("1", one({}, "a")));
    expect(world.json(gemini)).toEqual(groups({ sequential: true, hooks: [run("mine")] }, { hooks: [run("a")] }));
    world.write(gemini, groups({ hooks: [run("a"), run("mine")] }));
    expect(await applyStable(world, pack("2", one({ sequential: true }, "a")))).toMatchObject({
      [field("sequential")]: "keep blocked",
    });
    expect(world.json(gemini)).toEqual(groups({ hooks: [run("a"), run("mine")] }));
  });

  it("comes back with what a rollback puts back", async () => {
    const world = new World();
    world.write(gemini, '{\n  "mine": 1\n}\n');
    await applyStable(world, pack("1", one({ sequential: true }, "a")));
    await applyStable(world, pack("2", {}));
    world.edit(gemini, "1", "2");
    await world.rollback();
    expect(world.json(gemini)).toEqual({ mine: 2, ...one({ sequential: true }, "a") });
  });
});

describe("two owners that share a hook", () => {
  const of = (name: string, version: string, ...all: object[]) => ({ ...pack(version, groups(...all)), name });
  const [a, b] = [run("a"), run("b")];

  it.each([
    [
      "a group that has the same key as the other's goes with the last of its own",
      [
        of("beta", "1", { matcher: "*", hooks: [b] }),
        of("alpha", "1", { description: "one", hooks: [b, a] }),
        { ...of("beta", "2"), files: [{ target: `~/${gemini}`, template: {} }] },
      ],
    ],
    [
      "a field goes with the hooks that are new, not into the group that is shared",
      [
        of("alpha", "1", { hooks: [b, a] }),
        of("beta", "1", { hooks: [b] }),
        of("beta", "2", { sequential: true, hooks: [b, run("c")] }),
      ],
    ],
    [
      "a group that comes to say what another's says is not that one",
      [
        of("beta", "1", { sequential: true, description: "one", hooks: [b] }),
        of("alpha", "1", { hooks: [b] }),
        of("alpha", "2", { sequential: true, description: "one", hooks: [a] }),
      ],
    ],
  ])("%s", async (_, releases) => {
    for (const order of [
      ["alpha", "beta"],
      ["beta", "alpha"],
    ]) {
      const world = new World();
      world.write(gemini, '{\n  "mine": 1\n}\n');
      for (const release of releases) {
        await world.apply(release);
        expect((await world.plan(release)).changed, world.read(gemini)).toBe(0);
      }
      for (const name of order) await world.uninstall(name);
      expect(world.read(gemini)).toBe('{\n  "mine": 1\n}\n');
    }
  });
});

describe("two owners that share a hook, each in a group with other fields", () => {
  const b = run("b");
  const of = (name: string, ...all: object[]) => ({ ...pack("1", groups(...all)), name });
  const [one, two] = [{ matcher: "x", sequential: false }, { description: "one" }];

  it.each([
    ["a field of theirs stays theirs", [{ ...one, ...two, hooks: [b] }], [{ ...one, hooks: [b, run("a")] }]],
    [
      "no group is left without its list",
      [{ matcher: "x", hooks: [b] }],
      [
        { matcher: "x", hooks: [run("a")] },
        { matcher: "x", ...two, hooks: [b] },
      ],
    ],
    [
      "a group that one of them made goes with the last",
      [{ matcher: "x", hooks: [b] }],
      [
        { matcher: "x", ...two, hooks: [run("a")] },
        { ...one, hooks: [b] },
      ],
    ],
    [
      "the group that says the same is ours",
      [{ ...one, ...two, hooks: [b] }],
      [{ ...one, ...two, sequential: true, hooks: [run("a"), b] }],
    ],
  ] as const)("%s", async (_, first, second) => {
    for (const order of [
      ["first", "second"],
      ["second", "first"],
    ]) {
      const world = new World();
      world.write(gemini, '{\n  "mine": 1\n}\n');
      await world.apply(of("first", ...first));
      const alone = world.json(gemini);
      await world.apply(of("second", ...second));
      for (const [i, name] of order.entries()) {
        await world.uninstall(name);
        if (i === 0 && name === "second") expect(world.json(gemini)).toEqual(alone);
      }
      expect(world.read(gemini)).toBe('{\n  "mine": 1\n}\n');
    }
  });
});
