import { expect, it } from "vitest";
import { verdicts, World } from "./world.ts";

const pack = (version: string, template: object, target = "~/c.json") => ({
  name: "zylos",
  version,
  files: [{ target, template }],
});

it("a name that stands twice is changed where it counts, and not taken out, which blocks nobody else", async () => {
  const world = new World();
  await world.apply(pack("1", { a: 1, b: 1 }));
  world.write("c.json", '{ "a": 0, "a": 1, "b": 1 }\n');
  expect(verdicts(await world.apply(pack("2", { a: 2, b: 1 })))).toEqual({
    "setting:a": "update",
    "setting:b": "unchanged",
  });
  expect(world.read("c.json")).toBe('{ "a": 0, "a": 2, "b": 1 }\n');
  const document = await world.apply(pack("3", {}));
  expect(verdicts(document)).toEqual({ "setting:a": "keep locked", "setting:b": "remove" });
  expect(document.diagnostics[0]).toMatchObject({ code: "locked", line: 1, column: 11 });
  expect(world.read("c.json")).toBe('{ "a": 0, "a": 2 }\n');
});

it("likewise a dotenv name with several values", async () => {
  const world = new World();
  await world.apply(pack("1", { A: "1", B: "2" }, "~/.env"));
  world.write(".env", "A=0\nA=1\nB=2\n");
  expect(verdicts(await world.apply(pack("2", {}, "~/.env")))).toEqual({
    "setting:A": "keep locked",
    "setting:B": "remove",
  });
  expect(world.read(".env")).toBe("A=0\nA=1\n");
});
