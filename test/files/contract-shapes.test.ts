import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { applyStable, packOf } from "./stable.ts";
import { flatHooks, hook, pack, World } from "./world.ts";

/** What a release may make of one name: a value, an empty or filled map or list, a list of entries. */
const shapes = [1, "x", {}, [], [1], { b: 1 }, { b: { c: 1 } }, { b: {} }, { b: [] }, { b: 2, d: 3 }];
const releases = fc.array(
  fc.record({
    a: fc.constantFrom(undefined, ...shapes),
    z: fc.constantFrom(undefined, ...shapes),
    hooks: fc.constantFrom(undefined, "none", [], [hook("S", "x")]),
  }),
  { minLength: 2, maxLength: 4 },
);

const formats: { name: string; original: string; parse(text: string): unknown }[] = [
  {
    name: "json",
    original: '{\n  // mine\n  "mine": { "a": 1 }\n}\n',
    parse: (text: string) => JSON.parse(text.replace(/\/\/.*/, "")),
  },
  { name: "yaml", original: "# mine\nmine:\n  a: 1\n", parse: parseYaml },
  { name: "toml", original: "# mine\n[mine]\na = 1\n", parse: parseToml },
];

describe("a name whose value turns from one kind into another between releases", () => {
  it.each(formats)(
    "is in $name what the newest release says, at once, and goes without a trace",
    async ({ name, original, parse }) => {
      await fc.assert(
        fc.asyncProperty(releases, async (all) => {
          const world = new World();
          world.write(`config.${name}`, original);
          for (const [i, release] of all.entries()) {
            const template = Object.fromEntries(Object.entries(release).filter(([, value]) => value !== undefined));
            await applyStable(world, {
              name: "zylos",
              version: `1.${i}.0`,
              files: [{ target: `~/config.${name}`, template, rules: flatHooks }],
            });
            const wanted =
              Array.isArray(template.hooks) && template.hooks.length === 0
                ? { ...template, hooks: undefined }
                : template;
            expect(JSON.parse(JSON.stringify(parse(world.read(`config.${name}`))))).toMatchObject(
              JSON.parse(JSON.stringify(wanted)),
            );
          }
          await world.uninstall();
          expect(world.read(`config.${name}`)).toBe(original);
        }),
        { numRuns: 12 },
      );
    },
  );

  it("waits for nothing that the user has a part in", async () => {
    const world = new World();
    await applyStable(world, pack("1.0.0", { a: { b: 1 } }));
    world.write("app/config.json", { a: { b: 1, mine: 2 } });
    expect(await applyStable(world, pack("2.0.0", { a: 1 }))).toEqual({
      "setting:a": "keep user-owned",
      "setting:a.b": "remove",
    });
    expect(world.json("app/config.json")).toEqual({ a: { mine: 2 } });
    await applyStable(world, pack("3.0.0", { a: { b: 2 } }));
    expect(world.json("app/config.json")).toEqual({ a: { mine: 2, b: 2 } });
  });

  it("leaves what the user made of it, and says what is in the way", async () => {
    const world = new World();
    await applyStable(world, pack("1.0.0", { a: 1 }));
    world.edit("app/config.json", '"a": 1', '"a": 5');
    const v2 = pack("2.0.0", { a: { b: 1 } });
    expect(await applyStable(world, v2)).toEqual({
      "setting:a": "keep obsolete-modified",
      "setting:a.b": "keep blocked",
    });
    const { diagnostics } = await world.plan(v2);
    expect(diagnostics.map(({ code, message }) => [code, message])).toContainEqual([
      "blocked",
      expect.stringContaining("a holds a single value"),
    ]);
    expect(world.json("app/config.json")).toEqual({ a: 5 });
  });

  it("can't be moved into itself: the move is left out of account", async () => {
    const world = new World();
    await applyStable(world, pack("1.0.0", { a: 1 }));
    await applyStable(world, pack("2.0.0", { a: { b: 1 } }, { moved: [{ from: "setting:a", to: "setting:a.b" }] }));
    expect(world.json("app/config.json")).toEqual({ a: { b: 1 } });
    await applyStable(world, pack("3.0.0", { a: 1 }, { moved: [{ from: "setting:a.b", to: "setting:a" }] }));
    expect(world.json("app/config.json")).toEqual({ a: 1 });
  });
});

it.each([
  ["json", '{ "hooks": { "Stop": [{ "hooks": [] }, { "matcher": "A", "hooks": 5 }] } }\n'],
  ["yaml", "hooks:\n  Stop:\n    - hooks: []\n    - matcher: A\n      hooks: 5\n"],
  ["toml", '[[hooks.Stop]]\nhooks = []\n[[hooks.Stop]]\nmatcher = "A"\nhooks = 5\n'],
])(
  "an entry whose group holds something else than a list, in %s, stays out and blocks nobody else",
  async (format, text) => {
    const world = new World();
    world.write(`f.${format}`, text);
    const template = {
      a: 1,
      hooks: {
        Stop: [
          { matcher: "A", hooks: [{ command: "one" }, { command: "two" }] },
          { matcher: "B", hooks: [{ command: "one" }] },
        ],
      },
    };
    const rules = [{ type: "hook", at: "hooks.{event}[].hooks[]", key: ["event", "matcher|matcher", "command"] }];
    const grouped = { name: "zylos", version: "1", files: [{ target: `~/f.${format}`, template, rules }] };
    const expected = {
      "setting:a": "create",
      "hook:Stop:A:one": "keep blocked",
      "hook:Stop:A:two": "keep blocked",
      "hook:Stop:B:one": "create",
    };
    expect(await applyStable(world, grouped)).toEqual(expected);
    const { diagnostics } = await world.plan(grouped);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: "blocked",
        message: expect.stringContaining("hooks.Stop.hooks holds a single value where a list is needed"),
      }),
    );
    await world.uninstall();
    expect(world.read(`f.${format}`)).toBe(text);
  },
);

describe("a file that a release reads in another way", () => {
  const reading = (version: string, template: unknown, how: object) => ({
    name: "zylos",
    version,
    files: [{ target: "~/f.md", template, ...how }],
  });
  const ways = [
    { how: { strategy: "block" }, template: "ours\n" },
    { how: { format: "yaml" }, template: { ours: 1 } },
  ];

  it.each([
    [0, 1],
    [1, 0],
  ])("is rid of the old way at once, and of the new one in the end (%i to %i)", async (from, to) => {
    const world = new World();
    world.write("f.md", "mine: 1\n");
    await applyStable(world, reading("1", ways[from]!.template, ways[from]!.how));
    const decided = await applyStable(world, reading("2", ways[to]!.template, ways[to]!.how));
    expect(Object.values(decided).sort()).toEqual(["create", "remove"]);
    await world.uninstall();
    expect(world.read("f.md")).toBe("mine: 1\n");
  });

  it("goes over from a file of ours to a text of ours", async () => {
    const world = new World();
    await applyStable(world, packOf("~/n/f.json", "1", { a: 1 }));
    await applyStable(world, {
      name: "zylos",
      version: "2",
      files: [{ target: "~/n/f.json", template: "{}\n", format: "text" }],
    });
    expect(world.read("n/f.json")).toBe("{}\n");
    await world.uninstall();
    expect(world.exists("n")).toBe(false);
  });

  it("tells items of a list apart from now on, or no longer", async () => {
    const world = new World();
    const rules = flatHooks.slice(0, 1);
    const manifest = (version: string, own: object[]) => ({
      name: "zylos",
      version,
      files: [{ target: "~/f.json", template: { hooks: [hook("S", "x")] }, rules: own }],
    });
    for (const [version, own] of [
      ["1", rules],
      ["2", []],
      ["3", rules],
    ] as const) {
      await applyStable(world, manifest(version, [...own]));
      expect([version, world.json("f.json")]).toEqual([version, { hooks: [hook("S", "x")] }]);
    }
  });
});

describe("names that mean something to somebody", () => {
  const names = [
    "a:b",
    "c\\d",
    "e.f",
    "",
    'q"q',
    "it's",
    "😀",
    "\u0001\n\t",
    "__proto__",
    "constructor",
    "toString",
    "[x]",
    "#",
    "$HOME",
    "~",
    " ",
    "ключ",
    "a b",
  ];

  it.each(["json", "yaml"])("are names like any other in %s", async (format) => {
    const world = new World();
    const text = JSON.stringify(Object.fromEntries([["mine", 1]]));
    world.write(`c.${format}`, `${text}\n`);
    const template = `{${names.map((name, i) => `${JSON.stringify(name)}: {${JSON.stringify(name)}: ${i}}`).join(", ")}}`;
    await applyStable(world, packOf(`~/c.${format}`, "1", template));
    const data =
      format === "json" ? JSON.parse(world.read("c.json")) : parseYaml(world.read("c.yaml"), { mapAsMap: true });
    for (const [i, name] of names.entries()) {
      const inner = format === "json" ? Object.getOwnPropertyDescriptor(data, name)?.value : data.get(name);
      expect([name, format === "json" ? Object.getOwnPropertyDescriptor(inner, name)?.value : inner.get(name)]).toEqual(
        [name, i],
      );
    }
    const doubled = template.replace(/: (\d+)\}/g, ": 2$1}");
    expect(new Set(Object.values(await applyStable(world, packOf(`~/c.${format}`, "2", doubled))))).toEqual(
      new Set(["update"]),
    );
    await world.uninstall();
    expect(world.read(`c.${format}`)).toBe(`${text}\n`);
  });

  it("can be asked for by the key that reports show", async () => {
    const world = new World();
    await world.apply(packOf("~/c.json", "1", JSON.stringify({ "a:b": { "c.d": 1 } })));
    const [entry] = (await world.plan(packOf("~/c.json", "1", JSON.stringify({ "a:b": { "c.d": 1 } })))).entries;
    expect(entry!.key).toBe('setting:a\\:b."c.d"');
    await world.disown(entry!.key);
    expect((await world.status())[0]!.entries).toMatchObject([{ verdict: "keep", reason: "disowned" }]);
  });
});
