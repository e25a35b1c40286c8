import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { applyStable } from "./stable.ts";
import { World } from "./world.ts";

/** Servers that share settings, as a pack's author would write them. */
const template = (timeout: number) => `defaults: &defaults
  timeout: ${timeout}
  env: {LANG: C}
servers:
  first:
    <<: *defaults
    command: one
  second:
    <<: *defaults
    command: two
    timeout: 99
copy: *defaults
`;
const release = (version: string, timeout: number) => ({
  name: "zylos",
  version,
  files: [{ target: "~/app/config.yaml", template: template(timeout) }],
});

describe("a YAML template with anchors, aliases and merge keys", () => {
  it("is written out in full, and upgrades what it shares everywhere", async () => {
    const world = new World();
    const mine = "# mine\nservers:\n  own: {command: three}\n";
    world.write("app/config.yaml", mine);
    await applyStable(world, release("1.0.0", 5));
    expect(world.read("app/config.yaml")).not.toMatch(/[&*]defaults|<</);
    expect(load(world.read("app/config.yaml"))).toEqual({
      defaults: { timeout: 5, env: { LANG: "C" } },
      servers: {
        own: { command: "three" },
        first: { timeout: 5, env: { LANG: "C" }, command: "one" },
        second: { timeout: 99, env: { LANG: "C" }, command: "two" },
      },
      copy: { timeout: 5, env: { LANG: "C" } },
    });
    world.edit("app/config.yaml", "command: one", "command: edited");
    await applyStable(world, release("1.1.0", 7));
    expect(load(world.read("app/config.yaml"))).toMatchObject({
      servers: { first: { timeout: 7, command: "edited" }, second: { timeout: 99 } },
      copy: { timeout: 7 },
    });
    world.edit("app/config.yaml", "command: edited", "command: one");
    await world.uninstall();
    expect(world.read("app/config.yaml")).toBe(mine);
  });

  it("is refused with its place where it merges something that is no map", async () => {
    const world = new World();
    const wrong = {
      name: "zylos",
      version: "1.0.0",
      files: [{ target: "~/app/config.yaml", template: "a:\n  <<: 1\n" }],
    };
    await expect(world.plan(wrong)).rejects.toMatchObject({
      diagnostic: { code: "malformed-template", line: 2, column: 3 },
    });
    expect(world.exists("app/config.yaml")).toBe(false);
  });
});
