import { describe, expect, it } from "vitest";
import { flatHooks, hook, verdicts, World } from "./world.ts";

const file = "app/config.json";

/** A release of one of two frameworks that share a settings file. */
function of(name: "alpha" | "beta", version: string, template: object, more: object = {}) {
  return { name, version, files: [{ target: `~/${file}`, template, rules: flatHooks }], ...more };
}

const shared = hook("Stop", "node ~/shared/stop.js");

describe("two frameworks in one settings file", () => {
  it.each([
    ["alpha", "beta"],
    ["beta", "alpha"],
  ] as const)("installed %s first, both are content, and both leave no trace", async (first, second) => {
    const world = new World();
    const original = '{\n  // mine\n  "own": [1, 2]\n}\n';
    world.write(file, original);
    const packs = {
      alpha: of("alpha", "1", { hooks: [shared, hook("Start", "a")], theme: "dark" }),
      beta: of("beta", "1", { hooks: [hook("Start", "b"), shared], theme: "dark" }),
    };
    await world.apply(packs[first]);
    await world.apply(packs[second]);
    expect(world.read(file).match(/shared\/stop\.js/g)).toHaveLength(1);
    for (const pack of Object.values(packs)) expect((await world.plan(pack)).changed).toBe(0);
    await world.uninstall(first);
    expect(world.read(file)).toContain("shared/stop.js");
    expect((await world.plan(packs[second])).changed).toBe(0);
    await world.uninstall(second);
    expect(world.read(file)).toBe(original);
  });

  it("a file that one of them made goes with the last of them, and its folders too", async () => {
    for (const order of [
      ["alpha", "beta"],
      ["beta", "alpha"],
    ] as const) {
      const world = new World();
      await world.apply(of("alpha", "1", { a: 1 }));
      await world.apply(of("beta", "1", { b: 1 }));
      await world.uninstall(order[0]);
      expect(world.exists(file)).toBe(true);
      await world.uninstall(order[1]);
      expect([order, world.exists("app")]).toEqual([order, false]);
    }
  });

  it("upgrades of one do not touch the other's entries", async () => {
    const world = new World();
    await world.apply(of("alpha", "1", { hooks: [hook("Stop", "a1")], a: 1 }));
    await world.apply(of("beta", "1", { hooks: [hook("Stop", "b1")], b: 1 }));
    const document = await world.apply(of("alpha", "2", { hooks: [hook("Stop", "a2")], a: 2 }));
    expect(document.entries.map(({ key }) => key).sort()).toEqual(["hook:Stop:a1", "hook:Stop:a2", "setting:a"]);
    expect(world.json(file)).toMatchObject({ a: 2, b: 1 });
    expect(world.json(file).hooks).toEqual(expect.arrayContaining([hook("Stop", "b1"), hook("Stop", "a2")]));
    expect(verdicts((await world.status("beta"))[0]!)).toEqual({
      "hook:Stop:b1": "unchanged",
      "setting:b": "unchanged",
    });
  });

  it("one that no longer ships a shared entry leaves it to the other", async () => {
    const world = new World();
    await world.apply(of("alpha", "1", { theme: "dark", a: 1 }));
    await world.apply(of("beta", "1", { theme: "dark" }));
    await world.apply(of("alpha", "2", { a: 1 }));
    expect(world.json(file).theme).toBe("dark");
    expect(verdicts((await world.status("beta"))[0]!)).toEqual({ "setting:theme": "unchanged" });
    await world.uninstall("beta");
    expect(world.json(file)).toEqual({ a: 1 });
  });
});

describe("different wishes", () => {
  it("are a conflict that names both, the one already there stands, and one of them can be chosen", async () => {
    const world = new World();
    await world.apply(of("alpha", "1", { theme: "dark" }));
    const document = await world.apply(of("beta", "1", { theme: "light" }));
    expect(verdicts(document)).toEqual({ "setting:theme": "conflict owners-differ" });
    expect(document.diagnostics[0]!.message).toMatch(
      /beta and alpha want different values for .*; the one that is there stays.*--owner beta/,
    );
    expect(world.json(file).theme).toBe("dark");
    await world.resolve("setting:theme", "theirs", "beta");
    expect(world.json(file).theme).toBe("light");
    expect(verdicts(await world.plan(of("beta", "1", { theme: "light" })))).toEqual({ "setting:theme": "unchanged" });
    expect(verdicts(await world.plan(of("alpha", "1", { theme: "dark" })))).toEqual({
      "setting:theme": "keep user-modified",
    });
  });

  it("an upgrade of a shared value waits while the other still claims the old one, and goes through once it agrees", async () => {
    const world = new World();
    await world.apply(of("alpha", "1", { theme: "dark" }));
    await world.apply(of("beta", "1", { theme: "dark" }));
    expect(verdicts(await world.apply(of("alpha", "2", { theme: "light" })))).toEqual({
      "setting:theme": "conflict owners-differ",
    });
    expect(world.json(file).theme).toBe("dark");
    expect(verdicts(await world.apply(of("beta", "2", { theme: "light" })))).toEqual({ "setting:theme": "update" });
    expect(world.json(file).theme).toBe("light");
    expect(verdicts(await world.apply(of("alpha", "2", { theme: "light" })))).toEqual({ "setting:theme": "adopt" });
    expect(verdicts(await world.plan(of("beta", "2", { theme: "light" })))).toEqual({ "setting:theme": "unchanged" });
    await world.uninstall("alpha");
    expect(world.json(file).theme).toBe("light");
    await world.uninstall("beta");
    expect(world.exists(file)).toBe(false);
  });

  it("goes through too when the other leaves", async () => {
    const world = new World();
    await world.apply(of("alpha", "1", { theme: "dark" }));
    await world.apply(of("beta", "1", { theme: "dark" }));
    await world.apply(of("alpha", "2", { theme: "light" }));
    await world.uninstall("beta");
    expect(verdicts(await world.apply(of("alpha", "2", { theme: "light" })))).toEqual({ "setting:theme": "update" });
    expect(world.json(file).theme).toBe("light");
  });

  it("the user's edit of a shared entry stands against both", async () => {
    const world = new World();
    await world.apply(of("alpha", "1", { theme: "dark" }));
    await world.apply(of("beta", "1", { theme: "dark" }));
    world.edit(file, "dark", "sepia");
    for (const name of ["alpha", "beta"] as const) {
      expect(verdicts(await world.apply(of(name, "2", { theme: "light" })))["setting:theme"]).toMatch(/^conflict/);
      await world.uninstall(name);
      expect(world.json(file).theme).toBe("sepia");
    }
  });
});

it("rolling one back leaves the other's entries, also those that came later", async () => {
  const world = new World();
  await world.apply(of("alpha", "1", { a: 1 }));
  await world.apply(of("alpha", "2", { a: 2, x: 1 }));
  await world.apply(of("beta", "1", { b: 1 }));
  await world.rollback("alpha");
  expect(world.json(file)).toEqual({ a: 1, b: 1 });
  await world.uninstall("alpha");
  expect(world.json(file)).toEqual({ b: 1 });
});

it("blocks of two owners stand in one shell file, and go one by one", async () => {
  const world = new World();
  const original = "alias a=b\n\nexport X=1\n";
  world.write(".bashrc", original);
  const block = (name: string, text: string) => ({
    name,
    version: "1",
    files: [{ target: "~/.bashrc", template: text, strategy: "block" }],
  });
  await world.apply(block("alpha", "one\n"));
  await world.apply(block("beta", "two\n"));
  expect(world.read(".bashrc")).toMatch(/ALPHA MANAGED[\s\S]*one[\s\S]*BETA MANAGED[\s\S]*two/);
  await world.uninstall("alpha");
  expect(world.read(".bashrc")).toMatch(/^alias a=b\n\nexport X=1\n[\s\S]*two/);
  await world.uninstall("beta");
  expect(world.read(".bashrc")).toBe(original);
});

it("one disowned entry is the user's for that owner, and stays the other's", async () => {
  const world = new World();
  await world.apply(of("alpha", "1", { theme: "dark" }));
  await world.apply(of("beta", "1", { theme: "dark" }));
  const { disownEntries } = await import("../../src/files/settle.ts");
  await disownEntries([{ text: "setting:theme", owner: "alpha" }], world.machine);
  expect(verdicts(await world.plan(of("alpha", "2", { theme: "light" })))).toEqual({
    "setting:theme": "keep disowned",
  });
  expect(verdicts(await world.apply(of("beta", "2", { theme: "light" })))).toEqual({ "setting:theme": "update" });
});
