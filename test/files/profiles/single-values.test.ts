import { expect, it } from "vitest";
import { applyStable, packOf } from "../stable.ts";
import { World } from "../world.ts";

const target = ".aider.conf.yml";
const release = (world: World, version: string, template: object, name = "zylos") =>
  applyStable(world, { ...packOf(`~/${target}`, version, template), name });

function worldWith(text: string): World {
  const world = new World();
  world.write(target, text);
  return world;
}

it.each([
  ["read: CONVENTIONS.md # mine\nmodel: x\n", "read: [CONVENTIONS.md, zylos.md] # mine\nmodel: x\n"],
  ["model: x\nread: 'a, b.md'", "model: x\nread: ['a, b.md', 'zylos.md']"],
  ["read: a, b.md\n", 'read: ["a, b.md", zylos.md]\n'],
  ["read:\n  - CONVENTIONS.md\n", "read:\n  - CONVENTIONS.md\n  - zylos.md\n"],
])(
  "%j: a single value becomes a list when something is added to it, and one again when that goes",
  async (text, expected) => {
    const world = worldWith(text);
    expect(await release(world, "1.0.0", { read: ["zylos.md"] })).toMatchObject({ "read:zylos.md": "create" });
    expect(world.read(target)).toBe(expected);
    await world.uninstall();
    expect(world.read(target)).toBe(text);
  },
);

it("a template may have a single value, too, and what is there already is the user's", async () => {
  const text = "read: zylos.md\n";
  const world = worldWith(text);
  expect(await release(world, "1.0.0", { read: "zylos.md" })).toMatchObject({ "read:zylos.md": "keep user-owned" });
  expect(world.read(target)).toBe(text);
  await release(world, "2.0.0", { read: "more.md" });
  expect(world.read(target)).toBe("read: [zylos.md, more.md]\n");
  await release(world, "3.0.0", { read: ["other.md"] });
  expect(world.read(target)).toBe("read: [zylos.md, other.md]\n");
  await world.uninstall();
  expect(world.read(target)).toBe(text);
});

it("what the user made of the list since stands", async () => {
  const world = worldWith("read: a.md\n");
  await release(world, "1.0.0", { read: ["zylos.md"] });
  world.edit(target, "a.md", "b.md");
  await world.uninstall();
  expect(world.read(target)).toBe("read: b.md\n");
  await release(world, "1.0.0", { read: ["zylos.md"] });
  world.edit(target, "b.md", "b.md, c.md");
  await world.uninstall();
  expect(world.read(target)).toBe("read: [b.md, c.md]\n");
});

it("the last of two owners gives the single value back", async () => {
  const world = worldWith("read: a.md\n");
  await release(world, "1.0.0", { read: ["one.md"] }, "one");
  await release(world, "1.0.0", { read: ["two.md"] }, "two");
  expect(world.read(target)).toBe("read: [a.md, one.md, two.md]\n");
  await world.uninstall("one");
  expect(world.read(target)).toBe("read: [a.md, two.md]\n");
  await world.uninstall("two");
  expect(world.read(target)).toBe("read: a.md\n");
});
