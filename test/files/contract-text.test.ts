import { describe, expect, it } from "vitest";
import { applyStable, packOf } from "./stable.ts";
import { World } from "./world.ts";

const file = "AGENTS.md";
const release = (version: string, text: string) => packOf(`~/${file}`, version, text);

describe("a text whose template was checked out with other line ends", () => {
  it.each([
    ["CRLF", "a\r\nb\r\n", "a\r\nb\r\nc\r\n"],
    ["a byte-order mark", "\uFEFFa\nb\n", "\uFEFFa\nb\nc\n"],
    ["both", "\uFEFFa\r\nb\r\n", "\uFEFFa\r\nb\r\nc\r\n"],
  ])("is written so (%s), is nobody's edit, and is updated", async (_, first, second) => {
    const world = new World();
    await applyStable(world, release("1", first));
    expect(world.read(file)).toBe(first);
    expect(await applyStable(world, release("1", first))).toEqual({ [`text:${file}`]: "unchanged" });
    expect(await applyStable(world, release("2", second))).toEqual({ [`text:${file}`]: "update" });
    expect(world.read(file)).toBe(second);
  });

  it("is the same text as with line feeds, and a file keeps the ends it has", async () => {
    const world = new World();
    await applyStable(world, release("1", "a\nb\nc\nd\n"));
    world.write(file, "a\r\nb\r\nc\r\nd, mine\r\n");
    expect(await applyStable(world, release("2", "A\r\nb\r\nc\r\nd\r\n"))).toEqual({ [`text:${file}`]: "merge" });
    expect(world.read(file)).toBe("A\r\nb\r\nc\r\nd, mine\r\n");
  });

  it("leaves a text with both kinds of line ends as it is where nothing changes", async () => {
    const world = new World();
    await applyStable(world, release("1", "a\nb\nc\nd\ne\n"));
    world.write(file, "a\r\nb\nc\nd\ne, mine\n");
    await applyStable(world, release("2", "a\nb\nC\nd\ne\n"));
    expect(world.read(file)).toBe("a\r\nb\nC\nd\ne, mine\n");
  });
});

describe("a text conflict", () => {
  it("leaves the user's lines, shows both sides, stays pending, and is settled by --mine or --theirs for good", async () => {
    for (const [choice, line] of [
      ["mine", "b, mine"],
      ["theirs", "b, theirs"],
    ] as const) {
      const world = new World();
      await applyStable(world, release("1", "a\nb\nc\nd\n"));
      world.edit(file, "b", "b, mine");
      for (const version of ["2", "3"]) {
        const document = await world.apply(release(version, "a\nb, theirs\nc\nD\n"));
        expect(document.entries).toMatchObject([{ verdict: "conflict", result: "a\nb, mine\nc\nD\n" }]);
      }
      await world.resolve(`~/${file}`, choice);
      expect(world.read(file)).toBe(`a\n${line}\nc\nD\n`);
      await applyStable(world, release("4", "a\nb, theirs\nc\nD, new\n"));
      expect(world.read(file)).toBe(`a\n${line}\nc\nD, new\n`);
    }
  });

  it("keeps a text of ours that the user emptied, and takes an untouched one away with its folder", async () => {
    const world = new World();
    await applyStable(world, packOf("~/new/x.md", "1", "a\n"));
    world.write("new/x.md", "");
    expect(await applyStable(world, packOf("~/new/x.md", "1", "a\n"))).toEqual({ "text:x.md": "keep user-modified" });
    world.write("new/x.md", "a\n");
    await world.uninstall();
    expect(world.exists("new")).toBe(false);
  });
});
