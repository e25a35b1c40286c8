import { describe, expect, it } from "vitest";
import { applyStable } from "./stable.ts";
import { verdicts, World } from "./world.ts";

describe("a file with several YAML documents", () => {
  const two = `# both
apiVersion: v1
kind: Service
metadata:
  name: web
spec: { ports: [80] }
--- # the web
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1 # mine
  note: |
    --- not a mark
---
kind: Deployment
metadata: {name: db}
spec: {replicas: 3}
`;
  const pack = (
    version: string,
    template: string,
    selector: object = { kind: "Deployment", "metadata.name": "web" },
  ) => ({
    name: "zylos",
    version,
    files: [{ target: "~/k.yaml", template, in: selector }],
  });

  it("is changed in the one that is meant, and gets every byte back", async () => {
    const world = new World();
    world.write("k.yaml", two);
    await applyStable(world, pack("1", "spec:\n  paused: true\nmetadata:\n  labels:\n    app: web\n"));
    expect(world.read("k.yaml")).toBe(
      two
        .replace("  name: web\nspec:\n", "  name: web\n  labels:\n    app: web\nspec:\n")
        .replace("    --- not a mark\n", "    --- not a mark\n  paused: true\n"),
    );
    world.edit("k.yaml", "replicas: 3", "replicas: 4");
    await applyStable(world, pack("2", "spec:\n  paused: false\n"));
    expect(world.read("k.yaml")).toContain(
      "  paused: false\n---\nkind: Deployment\nmetadata: {name: db}\nspec: {replicas: 4}\n",
    );
    await world.uninstall();
    expect(world.read("k.yaml")).toBe(two.replace("replicas: 3", "replicas: 4"));
  });

  it("says the line of what is wrong, and is refused where none or two are meant", async () => {
    const world = new World();
    world.write("k.yaml", two);
    await expect(world.plan(pack("1", "a: 1\n", { kind: "Job" }))).rejects.toThrow(
      "no document of this file has kind: Job",
    );
    await expect(world.plan(pack("1", "a: 1\n", { kind: "Deployment" }))).rejects.toThrow(
      /k\.yaml:15:1: a second document/,
    );
    await applyStable(world, pack("1", "spec: {replicas: 2}\n"));
    expect((await world.plan(pack("1", "spec: {replicas: 2}\n"))).diagnostics).toMatchObject([
      { code: "user-owned", line: 12, column: 3 },
    ]);
    expect(world.read("k.yaml")).toBe(two);
  });

  it("is made with just these fields where there is none, and goes again", async () => {
    const world = new World();
    await applyStable(world, pack("1", "spec:\n  replicas: 2\n"));
    expect(world.read("k.yaml")).toBe("kind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 2\n");
    await world.uninstall();
    expect(world.exists("k.yaml")).toBe(false);
  });
});

describe("a list at the root", () => {
  const rules = [{ type: "task", at: "[]", key: ["name"] }];
  const pack = (version: string, template: object | string, target: string) => ({
    name: "zylos",
    version,
    files: [{ target: `~/${target}`, template, rules }],
  });

  it.each([
    ["a.json", '[\n  { "name": "mine" }\n]\n', [{ name: "ours", x: 1 }]],
    ["a.yaml", "# mine\n- name: mine # keep\n  x: 2\n", "- name: ours\n  x: 1\n"],
  ])("of %s has entries, item by item", async (file, text, template) => {
    const world = new World();
    world.write(file, text);
    expect(await applyStable(world, pack("1", template, file))).toEqual({ "task:ours": "create" });
    expect(world.read(file)).toContain("ours");
    world.write(file, world.read(file).replace("mine", "own"));
    await applyStable(world, pack("2", JSON.parse(JSON.stringify([{ name: "ours", x: 2 }])), file));
    await world.uninstall();
    expect(world.read(file)).toBe(text.replace("mine", "own"));
  });

  const inYaml = "- name: ours\n  x: 1\n- name: more\n";
  const inJson = '[\n  {\n    "name": "ours",\n    "x": 1\n  },\n  {\n    "name": "more"\n  }\n]\n';
  it.each([
    ["b.yaml", undefined, inYaml],
    ["b.yaml", "", inYaml],
    ["b.yaml", "# mine\n", `# mine\n${inYaml}`],
    ["b.yaml", "# mine\n---\n# below\n...\n", `# mine\n---\n# below\n${inYaml}...\n`],
    ["b.json", undefined, inJson],
    ["b.json", "", inJson],
    ["b.json", "// mine\n", `// mine\n${inJson}`],
  ])("is made in %s where there is no file or nothing in it (%j), and goes again", async (file, before, after) => {
    const world = new World();
    if (before !== undefined) world.write(file, before);
    await applyStable(world, pack("1", [{ name: "ours", x: 1 }, { name: "more" }], file));
    expect(world.read(file)).toBe(after);
    await world.uninstall();
    expect(world.exists(file) ? world.read(file) : undefined).toBe(before);
  });

  it("is not made of a map, however empty, and that is said", async () => {
    const world = new World();
    world.write("a.yaml", "{}\n");
    const { diagnostics } = await world.plan(pack("1", [{ name: "x" }], "a.yaml"));
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "task:x can't be added: the file holds a map where a list is needed; change it by hand",
    ]);
  });

  it("is refused without such a rule, and a map with one", async () => {
    const world = new World();
    world.write("a.json", "[1]\n");
    await expect(
      world.plan({ name: "zylos", version: "1", files: [{ target: "~/a.json", template: { a: 1 } }] }),
    ).rejects.toThrow("holds a list, not a map");
    world.write("a.json", '{ "a": 1 }\n');
    await expect(world.plan(pack("1", [{ name: "x" }], "a.json"))).rejects.toThrow("holds a map, not a list");
    expect(verdicts(await new World().plan(pack("1", [{ name: "x" }], "a.json")))).toEqual({ "task:x": "create" });
  });
});
