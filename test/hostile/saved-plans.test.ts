import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { Terminal, writePack } from "../cli/terminal.ts";
import { expectRefusal } from "./refusal.ts";

const isRoot = process.geteuid?.() === 0;

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
    [
      "an owner that climbs",
      ({ transaction }) => Object.assign(transaction, { name: "../../x" }),
      /transaction\.name: not a name/,
    ],
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
      ({ transaction }) =>
        Object.assign(transaction.changes[0]!, { real: `${transaction.changes[0]!.real}/../../victim` }),
      /not an absolute path/,
    ],
    ["a NUL", ({ transaction }) => Object.assign(transaction.changes[0]!, { path: "/a\0b" }), /not an absolute path/],
    [
      "a folder to remove that climbs",
      ({ transaction }) => transaction.changes[0]!.removeFolders.push("/tmp/.."),
      /not an absolute path/,
    ],
    [
      "records that are none",
      ({ transaction }) => Object.assign(transaction.registry, { after: "{}" }),
      /transaction\.registry\.after: not the records of zylos/,
    ],
    [
      "records of another owner",
      ({ transaction }) =>
        Object.assign(transaction.registry, { after: transaction.registry.after.replace('"zylos"', '"other"') }),
      /transaction\.registry\.after: not the records of zylos/,
    ],
    [
      "the user's policies",
      ({ transaction }, { home }) => {
        const place = `${home}/.config/stet/policy.yaml`;
        const [first] = transaction.changes;
        transaction.changes.push({ ...first!, ...{ path: place, real: place, before: { kind: "absent" } } });
      },
      /policy\.yaml: this is the folder of the user's own policies, or stands in its way/,
    ],
    [
      "something it does not know",
      ({ transaction }) => Object.assign(transaction, { run: "rm -rf /" }),
      /transaction\.run/,
    ],
    [
      "something under __proto__",
      (plan) => Object.defineProperty(plan, "__proto__", { value: { x: 1 }, enumerable: true }),
      /__proto__/,
    ],
  ];
  it.each(cases)("%s", async (_, change, line) => {
    await expectRefusal(await tampered(change), line, ["apply", "saved.plan"]);
  });

  const other =
    /this plan was changed, or not made by you on this machine, and planning \S*pack again gives another result/;
  const changed: [what: string, change: (plan: Saved, terminal: Terminal) => void][] = [
    [
      "another file than the one it was made for",
      ({ transaction }, { home }) =>
        Object.assign(transaction.changes[0]!, { path: `${home}/victim`, real: `${home}/victim` }),
    ],
    [
      "one more file, which the report does not name",
      ({ transaction }, { home }) => {
        const place = `${home}/.bashrc`;
        const [first] = transaction.changes;
        transaction.changes.push({
          ...first!,
          ...{ path: place, real: place, before: { kind: "absent" }, section: undefined },
        });
      },
    ],
    [
      "a text that does not parse",
      ({ transaction }) => Object.assign(transaction.changes[0]!.after, { text: "{ broken" }),
    ],
    [
      "another value",
      ({ transaction }) => Object.assign(transaction.changes[0]!.after, { text: '{ "mine": 1, "a": 2 }\n' }),
    ],
    ["another report", ({ document }) => document.files.splice(0)],
  ];
  it.each(changed)("%s", async (_, change) => {
    const terminal = await tampered(change);
    await expectRefusal(terminal, other, ["apply", "saved.plan"]);
    expect([terminal.read("home/victim"), JSON.parse(terminal.read("home/app/config.json"))]).toEqual([
      "precious\n",
      { mine: 1 },
    ]);
  });

  it("without a pack that it was made from, nothing but its seal speaks for it", async () => {
    const terminal = await tampered((plan) => Object.assign(plan, { source: null }));
    await expectRefusal(terminal, /does not say from which pack; plan again/, ["apply", "saved.plan"]);
  });

  it.runIf(isRoot)("and with one that somebody else may write", async () => {
    const terminal = await tampered((plan) => Object.assign(plan, { seal: null }));
    fs.chownSync(terminal.at("pack/stet.yaml"), 12345, 12345);
    await expectRefusal(terminal, /and its pack \S*pack belongs to user 12345/, ["apply", "saved.plan"]);
  });
});

describe("a saved plan that somebody else could have changed is refused, sealed or not", () => {
  async function saved(): Promise<Terminal> {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    await terminal.ok("plan", "pack", "--out", "saved.plan");
    return terminal;
  }

  it("everyone", async () => {
    const terminal = await saved();
    fs.chmodSync(terminal.at("saved.plan"), 0o666);
    await expectRefusal(terminal, /this plan may be written by everyone/, ["apply", "saved.plan"]);
  });

  it.runIf(isRoot)("another user, also by a link", async () => {
    const terminal = await saved();
    fs.symlinkSync("saved.plan", terminal.at("link"));
    fs.lchownSync(terminal.at("link"), 12345, 12345);
    await expectRefusal(terminal, /user 12345 made the link/, ["apply", "link"]);
    fs.chownSync(terminal.at("saved.plan"), 12345, 12345);
    await expectRefusal(terminal, /this plan belongs to user 12345/, ["apply", "saved.plan"]);
  });
});

describe("a saved plan that is believed", () => {
  it("was sealed here: it is applied although its pack is gone", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    await terminal.ok("plan", "pack", "--out", "saved.plan");
    fs.rmSync(terminal.at("pack"), { recursive: true });
    await terminal.ok("apply", "saved.plan");
    expect(JSON.parse(terminal.read("home/app/config.json"))).toEqual({ a: 1 });
  });

  it("was made elsewhere, and comes to the same: what is applied was planned here", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: "${WHO}" }, "vars: { WHO: nobody }\n");
    await terminal.ok("plan", "pack", "--set", "WHO=me", "--out", "saved.plan");
    // As on another machine: its key is another.
    fs.rmSync(terminal.at("home/.local/state/stet"), { recursive: true });
    await terminal.ok("apply", "saved.plan");
    expect(JSON.parse(terminal.read("home/app/config.json"))).toEqual({ a: "me" });
  });

  it("keeps its key to itself", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    await terminal.ok("plan", "pack", "--out", "saved.plan");
    const key = terminal.at("home/.local/state/stet/seal-key");
    expect(fs.statSync(key).mode & 0o777).toBe(0o600);
    expect(terminal.read("saved.plan")).not.toContain(fs.readFileSync(key, "utf8").trim());
    // One that others could read seals nothing any more.
    fs.chmodSync(key, 0o644);
    fs.rmSync(terminal.at("pack"), { recursive: true });
    expect((await terminal.run("apply", "saved.plan")).code).toBe(1);
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
    await expectRefusal(
      terminal,
      /journal\.json: .*name: not a name for an owner/,
      ["apply", "pack"],
      ["plan", "pack"],
    );
    terminal.write("home/.local/state/stet/journal.json", { ...journal, name: "zylos", dropped: ["../../../victim"] });
    await expectRefusal(terminal, /journal\.json: .*dropped\.0/, ["apply", "pack"], ["plan", "pack"]);
    expect(fs.existsSync(state)).toBe(true);
  });
});
