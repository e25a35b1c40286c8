import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { Terminal, writePack } from "../cli/terminal.ts";
import { expectRefusal } from "./refusal.ts";

interface Saved {
  document: { files: { path: string }[] };
  seen: { path: string }[];
  transaction: {
    stateDir: string;
    name: string;
    changes: { path: string; real: string; removeFolders: string[]; after: { kind: string; text?: string } }[];
    registry: { path: string; after: string };
  };
}

/** A plan that somebody else had in their hands between saving and applying. */
async function tampered(change: (plan: Saved, terminal: Terminal) => void): Promise<Terminal> {
  const terminal = new Terminal();
  writePack(terminal, "1.0.0", { a: 1 });
  terminal.write("home/app/config.json", { mine: 1 });
  terminal.write("home/victim", "precious\n");
  await terminal.run("plan", "pack", "--out", "saved.plan");
  const plan = JSON.parse(terminal.read("saved.plan")) as Saved;
  change(plan, terminal);
  terminal.write("saved.plan", plan);
  return terminal;
}

describe("a saved plan that was tampered with is refused", () => {
  const cases: [what: string, change: (plan: Saved, terminal: Terminal) => void, line: RegExp][] = [
    ["an owner that climbs", ({ transaction }) => Object.assign(transaction, { name: "../../x" }), /transaction\.name: not a name/],
    [
      "a state directory of its own",
      (plan, terminal) => Object.assign(plan.transaction, { stateDir: terminal.at("home/else") }),
      /made for the state directory/,
    ],
    [
      "a registry elsewhere",
      (plan, terminal) => Object.assign(plan.transaction.registry, { path: terminal.at("home/victim") }),
      /made for the state directory/,
    ],
    [
      "a relative file",
      ({ transaction }) => Object.assign(transaction.changes[0]!, { path: "../victim", real: "../victim" }),
      /not an absolute path/,
    ],
    [
      "a path that climbs",
      ({ transaction }) => Object.assign(transaction.changes[0]!, { real: `${transaction.changes[0]!.real}/../../victim` }),
      /not an absolute path/,
    ],
    ["a NUL", ({ transaction }) => Object.assign(transaction.changes[0]!, { path: "/a\0b" }), /not an absolute path/],
    ["a folder to remove that climbs", ({ transaction }) => transaction.changes[0]!.removeFolders.push("/tmp/.."), /not an absolute path/],
    [
      "records that are none",
      ({ transaction }) => Object.assign(transaction.registry, { after: "{}" }),
      /transaction\.registry\.after: not the records of zylos/,
    ],
    [
      "records of another owner",
      ({ transaction }) => Object.assign(transaction.registry, { after: transaction.registry.after.replace('"zylos"', '"other"') }),
      /transaction\.registry\.after: not the records of zylos/,
    ],
    ["something it does not know", ({ transaction }) => Object.assign(transaction, { run: "rm -rf /" }), /transaction\.run/],
    ["something under __proto__", (plan) => Object.defineProperty(plan, "__proto__", { value: { x: 1 }, enumerable: true }), /__proto__/],
  ];
  it.each(cases)("%s", async (_, change, line) => {
    await expectRefusal(await tampered(change), line, ["apply", "saved.plan"]);
  });

  it("another file than the one it was made for: what it saw there is not what is there", async () => {
    const terminal = await tampered((plan, { home }) => {
      Object.assign(plan.transaction.changes[0]!, { path: `${home}/victim`, real: `${home}/victim` });
    });
    const { code, out, err } = await terminal.run("apply", "saved.plan");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^stet: [^\n]*victim[^\n]*\n$/);
    expect(terminal.read("home/victim")).toBe("precious\n");
    expect(JSON.parse(terminal.read("home/app/config.json"))).toEqual({ mine: 1 });
  });
});

describe("a history that was tampered with is refused", () => {
  it.each([
    ["a generation", "generations/1.json", (text: string) => text.replace('"sha256":', '"sha256x":')],
    ["the bytes it keeps", "objects", () => "something else"],
  ])("%s", async (_, file, change) => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.write("home/app/config.json", { mine: 1 });
    await terminal.run("apply", "pack");
    const folder = `home/.local/state/stet/zylos/${file}`;
    const victims = fs.statSync(terminal.at(folder)).isDirectory()
      ? fs.readdirSync(terminal.at(folder)).map((name) => `${folder}/${name}`)
      : [folder];
    for (const victim of victims) terminal.write(victim, change(terminal.read(victim)));
    await expectRefusal(terminal, /history is damaged/, ["rollback", "zylos"]);
  });

  it("a journal that names somebody else's file", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.write("home/victim", "precious\n");
    await terminal.run("apply", "pack");
    writePack(terminal, "2.0.0", { a: 2 });
    const state = terminal.at("home/.local/state/stet");
    const journal = {
      format: 1,
      phase: "committed",
      name: "../..",
      generation: null,
      changes: [],
      registry: null,
      folders: [],
      added: [],
      dropped: [],
    };
    terminal.write("home/.local/state/stet/journal.json", journal);
    await expectRefusal(terminal, /journal\.json: .*name: not a name for an owner/, ["apply", "pack"], ["plan", "pack"]);
    terminal.write("home/.local/state/stet/journal.json", { ...journal, name: "zylos", dropped: ["../../../victim"] });
    await expectRefusal(terminal, /journal\.json: .*dropped\.0/, ["apply", "pack"], ["plan", "pack"]);
    expect(fs.existsSync(state)).toBe(true);
  });
});
