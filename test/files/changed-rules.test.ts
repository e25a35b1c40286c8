import { describe, expect, it } from "vitest";
import { verdicts, World } from "./world.ts";

/** A release may tell entries apart by other rules than the one before; what that one wrote is still its owner's. */
const target = "~/app/config.json";
const file = "app/config.json";
const own = '{\n  "own": 1\n}\n';
const hooks = { type: "hook", at: "hooks[]", key: ["command|command"] };
const x = { name: "x", command: "node x.js" };

function release(version: string, rules: object[], template: object) {
  return { name: "zylos", version, files: [{ target, template, rules }] };
}

async function upgraded(from: [object[], object], to: [object[], object], edit: (world: World) => void = () => {}) {
  const world = new World();
  world.write(file, own);
  await world.apply(release("1", ...from));
  edit(world);
  const plan = await world.apply(release("2", ...to));
  expect((await world.apply(release("2", ...to))).changed).toBe(0);
  expect(new Set(plan.entries.map(({ key }) => key)).size).toBe(plan.entries.length);
  return { world, plan };
}

describe("a release with other rules", () => {
  it.each<[what: string, to: [object[], object], said: object]>([
    ["without the rule and its entries", [[], {}], { "hook:node x.js": "remove" }],
    [
      "without the rule: the list is one value",
      [[], { hooks: [x] }],
      { "hook:node x.js": "forget", "setting:hooks": "adopt" },
    ],
    [
      "with another type",
      [[{ ...hooks, type: "task" }], { hooks: [x] }],
      { "hook:node x.js": "forget", "task:node x.js": "adopt" },
    ],
    [
      "with another key",
      [[{ ...hooks, key: ["name"] }], { hooks: [x] }],
      { "hook:node x.js": "forget", "hook:x": "adopt" },
    ],
    [
      "with the list in another place",
      [[{ ...hooks, at: "tools.hooks[]" }], { tools: { hooks: [x] } }],
      { "hook:node x.js": "move renamed" },
    ],
  ])("%s: what it wrote is not left behind, and every byte comes back", async (_, to, said) => {
    const { world, plan } = await upgraded([[hooks], { hooks: [x] }], to);
    expect(verdicts(plan)).toEqual(said);
    expect(world.json(file)).toEqual({ own: 1, ...to[1] });
    expect(plan.changed > 0).toBe(plan.files[0]!.action === "modify");
    await world.uninstall();
    expect(world.read(file)).toBe(own);
  });

  it.each<[what: string, rule: object, template: object, said: object]>([
    ["a list", hooks, { hooks: [x] }, { "setting:hooks": "remove", "hook:node x.js": "create" }],
    [
      "a map",
      { type: "server", at: "servers.{name}", key: ["name"] },
      { servers: { mem: { command: "node", args: ["a"] } } },
      { "setting:servers.mem.command": "remove", "setting:servers.mem.args": "remove", "server:mem": "create" },
    ],
  ])("with a first rule for %s: its settings become entries", async (_, rule, template, said) => {
    const { world, plan } = await upgraded([[], template], [[rule], template]);
    expect(verdicts(plan)).toEqual(said);
    expect(world.json(file)).toEqual({ own: 1, ...template });
    await world.uninstall();
    expect(world.read(file)).toBe(own);
  });

  it("what the user changed stays, and is told; what belongs to other rules goes on as before", async () => {
    const settings = { a: 1, b: 1 };
    const { world, plan } = await upgraded(
      [[hooks], { ...settings, hooks: [x, { command: "y" }] }],
      [[{ ...hooks, at: "tools.hooks[]" }], { ...settings, b: 2, tools: { hooks: [{ command: "z" }] } }],
      (each) => {
        each.edit(file, '"node x.js"', '"node x.js", "timeout": 9');
        each.edit(file, '"a": 1', '"a": 7');
      },
    );
    expect(verdicts(plan)).toEqual({
      "hook:node x.js": "keep obsolete-modified",
      "hook:y": "remove",
      "hook:z": "create",
      "setting:a": "keep user-modified",
      "setting:b": "update",
    });
    expect(world.json(file)).toMatchObject({ a: 7, b: 2, hooks: [{ ...x, timeout: 9 }] });
    expect(world.json(file).hooks).toHaveLength(1);
  });

  it("what the user took out for good stays out", async () => {
    const { world, plan } = await upgraded(
      [[hooks], { hooks: [x] }],
      [[{ ...hooks, at: "tools.hooks[]" }], { tools: { hooks: [x] } }],
      (each) => each.write(file, own),
    );
    expect(verdicts(plan)).toEqual({ "hook:node x.js": "create" });
    await world.disown("hook:node x.js");
    world.write(file, own);
    expect(verdicts(await world.apply(release("3", [hooks], { hooks: [x] })))).toEqual({
      "hook:node x.js": "keep disowned",
    });
    expect(world.read(file)).toBe(own);
  });
});

it("a document's entry that another document has from now on is one entry of the plan", async () => {
  const world = new World();
  world.write("app/web.yaml", "kind: A\n---\nkind: B\n");
  const files = (kind: string) => [{ target: "~/app/web.yaml", template: { replicas: 1 }, in: { kind } }];
  await world.apply({ name: "zylos", version: "1", files: files("A") });
  const plan = await world.apply({ name: "zylos", version: "2", files: files("B") });
  expect(verdicts(plan)).toEqual({ "setting:replicas": "move renamed" });
  expect([plan.changed, plan.summary, plan.entries]).toMatchObject([
    1,
    { move: 1 },
    [{ base: 1, actual: 1, result: 1 }],
  ]);
  expect(world.read("app/web.yaml")).toBe("kind: A\n---\nkind: B\nreplicas: 1\n");
});
