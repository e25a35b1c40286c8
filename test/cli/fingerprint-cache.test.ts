import fs from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { Terminal, writePack } from "./terminal.ts";
import { askBoth, fastPath, unchangedWorld } from "./unchanged-world.ts";

const state = "home/.local/state/stet";
const cache = "home/.cache/stet";

/** All but what the folders of the cache hold. */
function outsideOfCache(terminal: Terminal): [string, string][] {
  return Object.entries(terminal.snapshot()).filter(([name]) => !name.startsWith(".cache"));
}

function cached(terminal: Terminal): string[] {
  return terminal.exists(cache) ? fs.readdirSync(terminal.at(cache)) : [];
}

describe("a run that finds nothing to do, and no fingerprint that says so", () => {
  let terminal: Terminal;
  beforeEach(async () => {
    terminal = await unchangedWorld();
    fs.mkdirSync(terminal.at("home/.cache"), { mode: 0o700 });
    terminal.build = "the next build";
  });

  it("keeps one in the cache where it applies, and leaves everything else as it is", async () => {
    const before = outsideOfCache(terminal);
    expect(await askBoth(terminal, "plan", "pack")).toBe("left to the long way");
    expect(cached(terminal)).toEqual([]);
    expect((await terminal.run("apply", "pack")).code).toBe(0);
    expect(cached(terminal)).toHaveLength(1);
    expect(outsideOfCache(terminal)).toEqual(before);
    const kept = terminal.snapshot();
    for (const argv of [
      ["plan", "pack"],
      ["apply", "pack"],
      ["apply", "pack", "--json"],
    ])
      expect(await askBoth(terminal, ...argv), argv.join(" ")).toBe("answered");
    for (const more of [[], ["-v"], ["--no-prune"]]) await terminal.run("apply", "pack", ...more);
    expect(terminal.snapshot()).toEqual(kept);
  });

  it("does so after each edit of a managed file", async () => {
    for (const port of [81, 82]) {
      terminal.write("home/app/config.yaml", `shared: 1\nport: ${port}\n`);
      const before = outsideOfCache(terminal);
      expect(await askBoth(terminal, "apply", "pack", "--strict")).toBe("left to the long way");
      expect((await terminal.run("apply", "pack", "--strict")).code).toBe(3);
      expect(await askBoth(terminal, "apply", "pack", "--strict")).toBe("answered");
      expect(outsideOfCache(terminal)).toEqual(before);
    }
    expect(cached(terminal)).toHaveLength(1);
  });

  it("writes nothing where this user has no folder for caches", async () => {
    fs.rmdirSync(terminal.at("home/.cache"));
    const before = terminal.snapshot();
    await terminal.run("apply", "pack");
    expect(terminal.snapshot()).toEqual(before);
    expect(await askBoth(terminal, "plan", "pack")).toBe("left to the long way");
  });

  it("is found in $XDG_CACHE_HOME", async () => {
    fs.mkdirSync(terminal.at("caches"), { mode: 0o700 });
    terminal.env.XDG_CACHE_HOME = terminal.at("caches");
    await terminal.run("apply", "pack");
    expect(fs.readdirSync(terminal.at("caches/stet"))).toHaveLength(1);
    expect(await askBoth(terminal, "plan", "pack")).toBe("answered");
  });

  const hostile: Record<string, (terminal: Terminal) => void> = {
    "a cache that others may write into": (t) => {
      fs.mkdirSync(t.at(cache));
      fs.chmodSync(t.at(cache), 0o777);
    },
    "a folder of caches that others may write into": (t) => fs.chmodSync(t.at("home/.cache"), 0o777),
    "a link to somewhere else": (t) => {
      fs.mkdirSync(t.at("elsewhere"), { mode: 0o700 });
      fs.symlinkSync(t.at("elsewhere"), t.at(cache));
    },
    "a file": (t) => t.write(cache, "mine"),
    "a folder of caches that is a file": (t) => {
      fs.rmdirSync(t.at("home/.cache"));
      t.write("home/.cache", "mine");
    },
  };
  it.each(Object.entries(hostile))("writes nothing into %s", async (_, make) => {
    make(terminal);
    const before = terminal.snapshot();
    expect((await terminal.run("apply", "pack")).code).toBe(0);
    expect(terminal.snapshot()).toEqual(before);
    expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
  });

  it.each([
    ["the cache", cache],
    ["the folder of caches", "home/.cache"],
  ])("is not believed once others may write into %s", async (_, folder) => {
    await terminal.run("apply", "pack");
    expect(fastPath(terminal, ["plan", "pack"])).toBeDefined();
    fs.chmodSync(terminal.at(folder), 0o777);
    expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
  });

  it("ends well where its file can't be written", async () => {
    await terminal.run("apply", "pack");
    const [name] = cached(terminal);
    fs.rmSync(terminal.at(`${cache}/${name}`));
    fs.mkdirSync(terminal.at(`${cache}/${name}`));
    expect((await terminal.run("apply", "pack")).code).toBe(0);
    expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
  });

  it("goes with an upgrade, which keeps its own, and with the owner", async () => {
    await terminal.run("apply", "pack");
    await terminal.run("apply", "other");
    expect(cached(terminal)).toHaveLength(2);
    terminal.write("pack/config.yaml", "shared: 1\nport: 82\n");
    await terminal.run("apply", "pack");
    expect(cached(terminal)).toHaveLength(1);
    expect(await askBoth(terminal, "plan", "pack")).toBe("answered");
    await terminal.run("uninstall", "other");
    expect(cached(terminal)).toEqual([]);
  });

  it("plans once where none can be kept, and remembers that", async () => {
    terminal.write("home/app/config.toml", `${terminal.read("home/app/config.toml")}# ${"x".repeat(1 << 20)}\n`);
    await terminal.run("apply", "pack");
    const before = terminal.snapshot();
    expect(cached(terminal)).toHaveLength(1);
    await terminal.run("apply", "pack");
    expect(terminal.snapshot()).toEqual(before);
    expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
  });
});

describe("in a clone whose records say that all is done", () => {
  it("is kept by the first apply, for this clone", async () => {
    const terminal = new Terminal();
    terminal.build = "a build";
    fs.mkdirSync(terminal.at("home/.cache"), { recursive: true, mode: 0o700 });
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.write(
      "pack/stet.yaml",
      "name: crew\nversion: 1.0.0\nscope: project\nfiles:\n  - { target: .claude/agents/, template: agents/ }\n",
    );
    terminal.write("pack/agents/a.md", "# a\n");
    fs.mkdirSync(terminal.at("one/.git"), { recursive: true });
    await terminal.run("apply", "pack", "--project", "one");
    fs.cpSync(terminal.at("one"), terminal.at("two"), { recursive: true });
    const asked = ["apply", "pack", "--project", "two"];
    const before = outsideOfCache(terminal);
    expect(await askBoth(terminal, "plan", ...asked.slice(1))).toBe("left to the long way");
    await terminal.run(...asked);
    expect(outsideOfCache(terminal)).toEqual(before);
    expect(await askBoth(terminal, ...asked)).toBe("answered");
    expect(terminal.exists(`${state}/projects`)).toBe(true);
  });
});
