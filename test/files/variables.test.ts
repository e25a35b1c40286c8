import { describe, expect, it } from "vitest";
import type { Machine } from "../../src/engine/machine.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { targetVariables, variablesOf } from "../../src/files/manifest/variables.ts";
import { substitute } from "../../src/readings/template.ts";
import { applyStable } from "./stable.ts";
import { World } from "./world.ts";

const pack = (vars: object, template: object | string, target = "~/a.json") => ({
  name: "zylos",
  version: "1",
  vars,
  files: [{ target, template }],
});

describe("a variable", () => {
  it("whose value begins with ~ is a path, and written absolutely; ~ in a template stays", async () => {
    const world = new World({ env: { FROM_ENV: "~/e" } });
    const vars = { ZYLOS_HOME: "~/zylos", BIN: "${ZYLOS_HOME}/bin", FROM_ENV: "", PLAIN: "a~b" };
    await applyStable(
      world,
      pack(vars, { args: ["${ZYLOS_HOME}/x.js", "${BIN}", "${FROM_ENV}", "${PLAIN}", "~/y", "${HOME}/z"] }),
    );
    const { home } = world;
    expect(world.json("a.json")).toEqual({
      args: [`${home}/zylos/x.js`, `${home}/zylos/bin`, `${home}/e`, "a~b", "~/y", `${home}/z`],
    });
  });

  it("is written with slashes on Windows", () => {
    const machine: Machine = { ...new World().machine, home: "C:\\Users\\alice", platform: "win32" };
    const variables = variablesOf(readPack(machine.gate, pack({ Z: "~\\zylos\\x", Y: "~", X: "a\\b" }, {})), machine);
    expect(Object.fromEntries(variables)).toEqual({
      HOME: "C:/Users/alice",
      Z: "C:/Users/alice/zylos/x",
      Y: "C:/Users/alice",
      X: "a\\b",
    });
  });

  it("may differ by platform, with a default or without", () => {
    const of = (platform: Machine["platform"]) => {
      const machine = { ...new World().machine, platform };
      return variablesOf(
        readPack(machine.gate, pack({ PREFIX: { win32: "& ", default: "" }, ONLY: { darwin: 1 } }, {})),
        machine,
      );
    };
    expect([of("win32").get("PREFIX"), of("linux").get("PREFIX")]).toEqual(["& ", ""]);
    expect([of("darwin").get("ONLY"), of("linux").has("ONLY")]).toEqual(["1", false]);
    expect(() => readPack(new World().machine.gate, pack({ A: { solaris: "x" } }, {}))).toThrow(/vars\.A/);
  });

  it("without a value on this platform is refused where a template uses it, and may be given one", async () => {
    const world = new World();
    const vars = { ONLY: { win32: "x" } };
    await expect(world.plan(pack(vars, { a: "${ONLY}" }))).rejects.toThrow("${ONLY}, which has no value on linux");
    await applyStable(new World({ env: { ONLY: "y" } }), pack(vars, { a: "${ONLY}" }));
    await applyStable(world, pack(vars, { a: "$${ONLY}" }));
    const elsewhere = {
      ...pack(vars, { a: 1 }),
      files: [{ target: "~/b.json", template: { a: "${ONLY}" }, os: ["win32"] }],
    };
    expect((await world.plan(elsewhere)).entries.filter(({ verdict }) => verdict === "create")).toEqual([]);
  });

  it("of the XDG specification stands for itself in a template, and for its folder in a target", async () => {
    const world = new World({ env: { XDG_DATA_HOME: "/elsewhere" } });
    await applyStable(world, pack({}, { run: 'cat "${XDG_DATA_HOME}/x"' }, "${XDG_CONFIG_HOME}/a.json"));
    expect(world.json(".config/a.json")).toEqual({ run: 'cat "${XDG_DATA_HOME}/x"' });
    const variables = variablesOf(readPack(world.machine.gate, pack({ XDG_DATA_HOME: "mine" }, {})), world.machine);
    expect(targetVariables(variables, world.machine).get("XDG_DATA_HOME")).toBe("/elsewhere");
  });

  it("is written as it stands behind another dollar, whatever its name", () => {
    const variables = new Map([["A", "1"]]);
    expect(substitute("$${A} ${A} $${B} ${B} $$${A} $A $$A ${A", variables)).toBe("${A} 1 ${B} ${B} $${A} $A $$A ${A");
  });

  it("that is empty makes no target of the root", async () => {
    const world = new World({ env: { ZYLOS_HOME: "" } });
    const wrong = world.plan(pack({ ZYLOS_HOME: "~/z" }, {}, "${ZYLOS_HOME}/a.json"));
    await expect(wrong).rejects.toThrow("${ZYLOS_HOME} is empty, so this would be /a.json, at the root");
    await expect(world.plan(pack({ ZYLOS_HOME: "~/z" }, {}, "${ZYLOS_HOME}${HOME}/a.json"))).resolves.toBeDefined();
    await expect(world.plan(pack({ ZYLOS_HOME: "~/z" }, {}, "~/${ZYLOS_HOME}/a.json"))).resolves.toBeDefined();
  });

  it("whose file is dropped may be empty", async () => {
    const world = new World();
    const both = { ...pack({ Z: "~/z" }, { a: 1 }), files: [{ target: "${Z}/a.json", template: { a: 1 } }] };
    await world.apply(both);
    const dropped = { ...both, version: "2", vars: { Z: "" }, files: [{ target: "~/b.json", template: { a: 1 } }] };
    expect((await world.plan(dropped)).entries.map(({ key, reason }) => `${key} ${reason}`)).toContain(
      "setting:a elsewhere",
    );
  });

  it("that a target needs and nobody declares is an error, with what was probably meant", async () => {
    const wrong = new World().plan(pack({ ZYLOS_HOME: "~/z" }, {}, "${ZYLOS_HOMME}/a.json"));
    await expect(wrong).rejects.toThrow("${ZYLOS_HOMME} is not defined (did you mean ZYLOS_HOME?)");
  });
});
