import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { applyStable, packOf } from "./stable.ts";
import { World } from "./world.ts";

const file = "app/config.json";
const target = `~/${file}`;
const registryFile = ".local/state/stet/zylos/registry.json";

/** Names that a key has to quote or escape: where an entry belongs is read from its key alone. */
const names = ["a.b", 'say "x"', "back\\slash", "co:lon", "", 'all."of\\it:"', "__proto__", "7", "ü 🙂"];

function template(value: number): object {
  return { plain: { deep: value }, odd: Object.fromEntries(names.map((name) => [name, { [name]: value }])) };
}

describe("the record of a setting", () => {
  it("says no more than its key leaves open", async () => {
    const world = new World();
    await world.apply(packOf(target, "1", { a: { b: 1 } }));
    expect(Object.keys(world.registry().files[target].entries["setting:a.b"])).toEqual([
      "entry_type",
      "added_in_version",
      "last_updated_in_version",
      "value_hash",
      "value",
    ]);
  });

  it("finds it again under any name: to update, to put back, to roll back, to take out", async () => {
    const world = new World();
    world.write(file, '{ "mine": 1 }\n');
    await applyStable(world, packOf(target, "1", template(1)));
    const installed = world.read(file);
    await applyStable(world, packOf(target, "2", template(2)));
    expect(world.json(file)).toEqual({ mine: 1, ...template(2) });
    world.write(file, '{ "mine": 1 }\n');
    const restored = await applyStable(world, packOf(target, "2", template(2)));
    expect(new Set(Object.values(restored))).toEqual(new Set(["restore"]));
    expect(world.json(file)).toEqual({ mine: 1, ...template(2) });
    await world.rollback("zylos", 1);
    expect(world.read(file)).toBe(installed);
    await world.uninstall();
    expect(world.read(file)).toBe('{ "mine": 1 }\n');
  });

  it("as older records have it, with its place, means the same", async () => {
    const world = new World();
    world.write(file, '{ "mine": 1 }\n');
    await world.apply(packOf(target, "1", { a: { "b.c": 1 } }));
    const registry = world.registry();
    Object.assign(registry.files[target].entries['setting:a."b.c"'], {
      source: { path: 'a."b.c"' },
      location: ["a", "b.c"],
    });
    world.write(registryFile, registry);
    await applyStable(world, packOf(target, "2", { a: { "b.c": 2 } }));
    expect(world.json(file)).toEqual({ mine: 1, a: { "b.c": 2 } });
    await world.uninstall();
    expect(world.read(file)).toBe('{ "mine": 1 }\n');
  });

  it.each([
    ["co:lon", "setting:co:lon"],
    ["back\\slash", "setting:back\\slash"],
    ["plain", 'setting:"plain"'],
  ])("of %s is the same under the key %s, which says it in other words", async (name, spelling) => {
    const world = new World();
    world.write(file, '{ "mine": 1 }\n');
    await world.apply(packOf(target, "1", { [name]: 1 }));
    const registry = world.registry();
    registry.files[target].entries = { [spelling]: Object.values(registry.files[target].entries)[0] };
    world.write(registryFile, registry);
    expect(Object.values(await applyStable(world, packOf(target, "2", { [name]: 2 })))).toEqual(["update"]);
    expect(world.json(file)).toEqual({ mine: 1, [name]: 2 });
    await world.uninstall();
    expect(world.read(file)).toBe('{ "mine": 1 }\n');
  });
});

it("a registry that is no UTF-8 is refused, and stays as it is", async () => {
  const world = new World();
  await world.apply(packOf(target, "1", { a: "text" }));
  const damaged = fs.readFileSync(world.at(registryFile));
  // Inside a text, where a reader that replaces it would still see JSON.
  damaged[damaged.indexOf('"text"') + 1] = 0xff;
  fs.writeFileSync(world.at(registryFile), damaged);
  await expect(world.apply(packOf(target, "2", { a: "y" }))).rejects.toMatchObject({
    diagnostic: { code: "invalid-registry" },
  });
  expect(fs.readFileSync(world.at(registryFile))).toEqual(damaged);
});
