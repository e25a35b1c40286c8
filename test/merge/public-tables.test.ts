import { describe, expect, it } from "vitest";
import { mergeTexts } from "../../src/merge/merge-texts.ts";
import { loadFormat } from "../../src/readings/open-reading.ts";
import { decideOne, record, there, wanted } from "../core/entries.ts";
import { verdicts, World } from "../files/world.ts";

/**
 * What others promise about merging configuration, as cases of our own. Where we differ on purpose, the row says so and
 * why.
 */

describe("kyaml's three-way merge: origin, update, local", () => {
  const conflict = "conflict";
  const rows: readonly [what: string, origin: string, update: string, local: string, ours: string][] = [
    ["the update adds a field", "a: 1\n", "a: 1\nb: 2\n", "a: 1\n", "a: 1\nb: 2\n"],
    ["a field that only the local file has stays", "a: 1\n", "a: 1\n", "a: 1\nmine: 2\n", "a: 1\nmine: 2\n"],
    ["the update changes a field", "a: 1\n", "a: 2\n", "a: 1\n", "a: 2\n"],
    ["the local file changed a field, the update did not", "a: 1\n", "a: 1\n", "a: 3\n", "a: 3\n"],
    ["both changed a field alike", "a: 1\n", "a: 2\n", "a: 2\n", "a: 2\n"],
    // kyaml: the update wins, and the local value is gone without a word.
    ["both changed a field", "a: 1\n", "a: 2\n", "a: 3\n", conflict],
    ["the update takes a field out", "a: 1\nb: 1\n", "a: 1\n", "a: 1\nb: 1\n", "a: 1\n"],
    // kyaml: it goes, also where the local file had changed it.
    ["the update takes out what the local file changed", "a: 1\nb: 1\n", "a: 1\n", "a: 1\nb: 3\n", conflict],
    // kyaml: null in the update takes the field out. For us null is a value like any other.
    ["the update sets null", "a: 1\n", "a: null\n", "a: 1\n", "a: null\n"],
    ["the local file took a field out, the update left it", "a: 1\nb: 1\n", "a: 1\nb: 1\n", "a: 1\n", "a: 1\n"],
    [
      "a map below a map",
      "m:\n  n:\n    a: 1\n",
      "m:\n  n:\n    a: 2\n",
      "m:\n  n:\n    a: 1\n    b: 1\n",
      "m:\n  n:\n    a: 2\n    b: 1\n",
    ],
    ["containers by name: the update adds one", box("a:1"), box("a:1", "b:1"), box("a:1"), box("a:1", "b:1")],
    [
      "containers by name: the local file's own stays",
      box("a:1"),
      box("a:2"),
      box("a:1", "mine:1"),
      box("a:2", "mine:1"),
    ],
    ["containers by name: the update takes one out", box("a:1", "b:1"), box("a:1"), box("a:1", "b:1"), box("a:1")],
    [
      "containers by name: each changes another",
      box("a:1", "b:1"),
      box("a:2", "b:1"),
      box("a:1", "b:3"),
      box("a:2", "b:3"),
    ],
    // kyaml replaces a list that has no names by the update's. We join changes of different items.
    ["a list without names", "l: [1, 2, 3]\n", "l: [1, 2, 4]\n", "l: [0, 2, 3]\n", "l: [0, 2, 4]\n"],
    ["a map that becomes a scalar, unchanged locally", "m:\n  a: 1\n", "m: 1\n", "m:\n  a: 1\n", "m: 1\n"],
    ["a map that becomes a scalar, changed locally", "m:\n  a: 1\n", "m: 1\n", "m:\n  a: 2\n", conflict],
  ];
  function box(...items: string[]): string {
    const lines = items
      .map((item) => item.split(":"))
      .map(([name, image]) => `  - name: ${name}\n    image: ${image}\n`);
    return `containers:\n${lines.join("")}`;
  }
  it.each(rows)("%s", async (_, origin, update, local, ours) => {
    const result = mergeTexts(origin, local, update, {
      format: await loadFormat("yaml"),
      markers: { mine: "", theirs: "" },
    });
    expect(result.kind === "conflict" ? conflict : result.text).toBe(ours);
  });
});

describe("ostree's and bootc's merge of /etc: old default, new default, what is there; file by file", () => {
  const file = "file:x";
  const respect = { policies: [{ match: "*", whenDeleted: "respect" as const }] };
  const whole = { joining: "whole" as const };
  const rows: readonly [
    what: string,
    old: string | undefined,
    next: string | undefined,
    now: string | undefined,
    then: string | undefined,
    verdict: string,
  ][] = [
    ["unchanged, and a new default", "a", "b", "a", "b", "update"],
    ["changed by the admin, the same default", "a", "a", "m", "m", "keep user-modified"],
    ["changed by the admin, and a new default: the admin's stands", "a", "b", "m", "m", "conflict both-changed"],
    ["taken out by the admin stays out", "a", "a", undefined, undefined, "keep user-deleted"],
    ["taken out by the admin, and a new default: stays out", "a", "b", undefined, undefined, "keep user-deleted"],
    ["no longer a default, and unchanged: goes", "a", undefined, "a", undefined, "remove"],
    ["no longer a default, and changed: stays", "a", undefined, "m", "m", "keep obsolete-modified"],
    ["a new default", undefined, "b", undefined, "b", "create"],
    ["the admin made a file that is a default now: the admin's stands", undefined, "b", "m", "m", "keep user-owned"],
    ["the admin changed it to what the new default is", "a", "b", "b", "b", "adopt"],
  ];
  it.each(rows)("%s", (_, old, next, now, then, verdict) => {
    const decided = decideOne({
      desired: next === undefined ? [] : [wanted(file, next, whole)],
      recorded: old === undefined ? [] : [record(file, old, "managed", whole)],
      actual: now === undefined ? [] : [there(file, now, whole)],
      ...respect,
    });
    expect([`${decided.verdict}${decided.reason ? ` ${decided.reason}` : ""}`, decided.result]).toEqual([
      verdict,
      then,
    ]);
  });
});

describe("dpkg's conffiles: what the old and the new package ship, what is there", () => {
  const file = "file:x";
  const whole = { joining: "whole" as const };
  const rows: readonly [
    what: string,
    old: string,
    next: string | undefined,
    now: string | undefined,
    verdict: string,
  ][] = [
    ["not edited, a new version: installed without a question", "a", "b", "a", "update"],
    ["edited, the same version: kept without a question", "a", "a", "m", "keep user-modified"],
    ["edited, a new version: dpkg asks; ours stands as a conflict", "a", "b", "m", "conflict both-changed"],
    ["edited to what the new version ships: nothing to ask", "a", "b", "b", "adopt"],
    // dpkg leaves a deleted conffile out, and asks where a new version comes. The document that stet follows says that
    // what is not found is added; `when-deleted: respect` is dpkg's way.
    ["deleted", "a", "a", undefined, "restore"],
    // dpkg leaves what is no longer a conffile where it is. Nobody reads it any more, so we take it out; an edited one
    // stays.
    ["no longer shipped", "a", undefined, "a", "remove"],
    ["no longer shipped, and edited", "a", undefined, "m", "keep obsolete-modified"],
  ];
  it.each(rows)("%s", (_, old, next, now, verdict) => {
    const { verdict: found, reason } = decideOne({
      desired: next === undefined ? [] : [wanted(file, next, whole)],
      recorded: [record(file, old, "managed", whole)],
      actual: now === undefined ? [] : [there(file, now, whole)],
    });
    expect(reason ? `${found} ${reason}` : found).toBe(verdict);
  });
});

describe("structured-merge-diff: appliers that share an object", () => {
  const of = (name: string, template: object) => ({ name, version: "1", files: [{ target: "~/o.yaml", template }] });

  it("the same value by two: both own it, and it stays until the last of them gives it up", async () => {
    const world = new World();
    await world.apply(of("one", { a: 1 }));
    expect(verdicts(await world.apply(of("two", { a: 1 })))).toEqual({ "setting:a": "adopt" });
    await world.apply(of("one", {}));
    expect(world.read("o.yaml")).toBe("a: 1\n");
    await world.apply(of("two", {}));
    expect(world.exists("o.yaml") ? world.read("o.yaml").trim() : "").not.toContain("a");
  });

  it("another value by the second: a conflict that changes nothing; forced, it is the second's", async () => {
    const world = new World();
    await world.apply(of("one", { a: 1 }));
    expect(verdicts(await world.apply(of("two", { a: 2 })))).toEqual({ "setting:a": "conflict owners-differ" });
    expect(world.read("o.yaml")).toBe("a: 1\n");
    await world.resolve("setting:a", "theirs", "two");
    expect(world.read("o.yaml")).toBe("a: 2\n");
  });

  it("fields of one map by two, and each takes out its own only", async () => {
    const world = new World();
    await world.apply(of("one", { m: { a: 1 } }));
    await world.apply(of("two", { m: { b: 2 } }));
    await world.apply(of("one", {}));
    expect(world.read("o.yaml")).toBe("m:\n  b: 2\n");
  });
});

describe("home-manager's mutable settings: what is declared is merged into a file that its program writes too", () => {
  const declared = { theme: "dark", features: { copilot: false } };
  const live = '{\n  "theme": "light",\n  "vim_mode": true,\n  "features": { "edit": 1 }\n}\n';
  const pack = (policy: object[]) => ({
    name: "hm",
    version: "1",
    files: [{ target: "~/settings.json", template: declared }],
    policy,
  });

  it("what the program or the user added stays, what is declared is added; what differs is the user's unless the policy says otherwise", async () => {
    const world = new World();
    world.write("settings.json", live);
    await world.apply(pack([]));
    expect(world.json("settings.json")).toEqual({
      theme: "light",
      vim_mode: true,
      features: { edit: 1, copilot: false },
    });
  });

  it("as home-manager has it, what is declared wins; going away gives back what was found, which it can't", async () => {
    const world = new World();
    world.write("settings.json", live);
    await world.apply(pack([{ match: "*", "when-present": "adopt", "when-edited": "overwrite" }]));
    expect(world.json("settings.json")).toEqual({
      theme: "dark",
      vim_mode: true,
      features: { edit: 1, copilot: false },
    });
    await world.uninstall("hm");
    expect(world.read("settings.json")).toBe(live);
  });
});
