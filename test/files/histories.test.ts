import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPack } from "../../src/files/apply.ts";
import { readPack } from "../../src/files/load-manifest.ts";
import type { Machine } from "../../src/files/machine.ts";
import { changesAnything, planPack } from "../../src/files/plan.ts";
import { uninstall } from "../../src/files/uninstall.ts";
import { memoryGate } from "./memory-gate.ts";
import { flatHooks } from "./world.ts";

/** What a release ships: hooks by script (with arguments that may change), settings by name. */
interface Release {
  readonly hooks: readonly { readonly script: number; readonly args: number; readonly timeout: number }[];
  readonly settings: Readonly<Record<string, number>>;
}

const release: fc.Arbitrary<Release> = fc.record({
  hooks: fc.uniqueArray(fc.record({ script: fc.nat(4), args: fc.nat(1), timeout: fc.nat(2) }), {
    selector: (hook) => hook.script,
    maxLength: 4,
  }),
  settings: fc.dictionary(fc.constantFrom("a", "b", "c", "n.x", "n.y"), fc.nat(3), { maxKeys: 4 }),
});

type Step =
  | { readonly do: "apply"; readonly owner: number; readonly version: number }
  | { readonly do: "uninstall"; readonly owner: number }
  | { readonly do: "edit" | "wrap" | "delete"; readonly at: number }
  | { readonly do: "add" | "comment" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("apply" as const), owner: fc.nat(1), version: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("uninstall" as const), owner: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("edit" as const, "wrap" as const, "delete" as const), at: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("add" as const, "comment" as const) }) },
);

const file = "/home/u/app/config.json";

class History {
  readonly gate = memoryGate();
  readonly machine: Machine = {
    home: "/home/u",
    stateDir: "/home/u/state",
    env: {},
    platform: "linux",
    program: "stet",
    gate: this.gate,
    now: () => new Date(0),
  };
  /** Marks that only a person wrote: each must stay as long as the person leaves it. */
  readonly marks = new Set<string>();
  #count = 0;

  constructor() {
    for (const folder of ["/home", "/home/u", "/home/u/app"]) this.gate.createFolder(folder, 0o700);
  }

  get text(): string {
    return this.gate.read(file)?.toString("utf8") ?? "";
  }

  write(text: string): void {
    this.gate.remove(file);
    this.gate.createFile(file, Buffer.from(text), "private");
  }

  mark(): string {
    const mark = `mark${this.#count++}x`;
    this.marks.add(mark);
    return mark;
  }

  pack(owner: number, version: number, { hooks, settings }: Release, order: 1 | -1 = 1) {
    const shipped = hooks.map(({ script, args, timeout }) => ({
      event: "Stop",
      command: `node ~/o${owner}/s${script}.js -${args}`,
      timeout,
    }));
    const template: Record<string, unknown> = shipped.length > 0 ? { hooks: order === 1 ? shipped : shipped.toReversed() } : {};
    for (const [name, value] of order === 1 ? Object.entries(settings) : Object.entries(settings).toReversed()) {
      const [first, second] = name.split(".") as [string, string?];
      if (second === undefined) template[first] = value;
      else template[first] = { ...(template[first] as object), [second]: value };
    }
    const manifest = { name: `owner${owner}`, version: `${version}.0.0`, files: [{ target: file, template, rules: flatHooks }] };
    return readPack(this.gate, manifest);
  }

  /** Lines a person could edit by hand: one entry or field each, as the files here are written. */
  lines(pattern: RegExp): number[] {
    return this.text.split("\n").flatMap((line, i) => (pattern.test(line) ? [i] : []));
  }

  change(at: number, pattern: RegExp, edit: (line: string) => string): void {
    const lines = this.text.split("\n");
    const candidates = this.lines(pattern);
    const line = candidates[at % candidates.length];
    if (line === undefined) return;
    lines[line] = edit(lines[line]!);
    this.write(lines.join("\n"));
  }

  /** Deleting an entry with a person's mark in it takes the mark back. */
  deleteHook(at: number): void {
    const data = JSON.parse(withoutComments(this.text) || "{}") as { hooks?: { command: string }[] };
    if (!data.hooks || data.hooks.length === 0 || this.text.includes("//")) return;
    const [gone] = data.hooks.splice(at % data.hooks.length, 1);
    for (const mark of [...this.marks]) if (JSON.stringify(gone).includes(mark)) this.marks.delete(mark);
    this.write(`${JSON.stringify(data, undefined, 2)}\n`);
  }
}

const withoutComments = (text: string) => text.replace(/^\s*\/\/.*$/gm, "");

async function perform(history: History, steps: readonly Step[], releases: readonly Release[], check: () => Promise<void>): Promise<void> {
  for (const each of steps) {
    if (each.do === "apply") {
      const pack = history.pack(each.owner, each.version, releases[each.version]!);
      await applyPack(pack, history.machine);
      // Another owner's pending wish may now be granted, but never this owner's own.
      expect(changesAnything(await planPack(pack, history.machine))).toBe(false);
    } else if (each.do === "uninstall") await uninstall(`owner${each.owner}`, history.machine).catch(() => {});
    else if (each.do === "edit") history.change(each.at, /^\s+"timeout": \d+/, (line) => line.replace(/\d+/, `"${history.mark()}"`));
    else if (each.do === "wrap")
      history.change(each.at, /"command": "node ~\/o/, (line) => line.replace("node", `nice -n ${history.mark()} node`));
    else if (each.do === "delete") history.deleteHook(each.at);
    else if (each.do === "comment") history.change(0, /^\s+"(a|b|c|hooks)": /, (line) => `// ${history.mark()}\n${line}`);
    else if (history.text.trim() !== "")
      history.change(0, /^\{$/, (line) => `${line}\n  "own-${history.mark()}": 1${history.lines(/^\s+"/).length > 0 ? "," : ""}`);
    await check();
  }
}

describe("histories: install, edit, re-key, upgrade, delete, two owners, downgrade, uninstall, in any order", () => {
  it("planning after applying is empty; what a person wrote is never changed or lost; nothing appears twice", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.tuple(release, release, release), async (steps, releases) => {
        const history = new History();
        history.write("{\n}\n");
        await perform(history, steps, releases, async () => {
          for (const mark of history.marks) expect(history.text).toContain(mark);
          const { hooks = [] } = JSON.parse(withoutComments(history.text) || "{}") as { hooks?: { command: string }[] };
          // What stays behind when an owner leaves is the user's own, and the owner may well come back with the same script.
          const left = steps.some((each) => each.do === "uninstall");
          const commands = hooks.map((hook) => (left ? hook.command : hook.command.replace(/^nice -n \w+ /, "").split(" ")[1]));
          expect(new Set(commands).size).toBe(commands.length);
        });
      }),
      { numRuns: 150 },
    );
  });

  it("with nothing touched by a person: uninstalling both, in any order, gives every byte back", async () => {
    const applies = fc.array(fc.record({ do: fc.constant("apply" as const), owner: fc.nat(1), version: fc.nat(2) }), { maxLength: 8 });
    const originals = fc.constantFrom(
      "{}\n",
      "{\n}\n",
      '{ "hooks": [] }',
      '{\n\t"z": 1\n}',
      '// mine\n{\n  "hooks": [\n    { "event": "x", "command": "y" } // mine\n  ]\n}\n',
      '\uFEFF{"n":{},\r\n"q":[1,2]}\r\n',
      "",
    );
    await fc.assert(
      fc.asyncProperty(applies, fc.tuple(release, release, release), originals, fc.boolean(), async (steps, releases, original, order) => {
        const history = new History();
        history.write(original);
        await perform(history, steps, releases, async () => {});
        for (const owner of order ? ["owner0", "owner1"] : ["owner1", "owner0"]) await uninstall(owner, history.machine).catch(() => {});
        expect(history.text).toBe(original);
      }),
      { numRuns: 150 },
    );
  });

  it("skipping versions ends where stepping through them ends", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(release, { minLength: 2, maxLength: 4 }), async (releases) => {
        const [stepping, skipping] = [new History(), new History()];
        for (const [version, each] of releases.entries()) await applyPack(stepping.pack(0, version, each), stepping.machine);
        await applyPack(skipping.pack(0, 0, releases[0]!), skipping.machine);
        await applyPack(skipping.pack(0, releases.length - 1, releases.at(-1)!), skipping.machine);
        const content = (history: History) => {
          const data = JSON.parse(history.text || "{}") as { hooks?: object[] };
          return { ...data, hooks: (data.hooks ?? []).map((hook) => JSON.stringify(hook)).sort() };
        };
        expect(content(skipping)).toEqual(content(stepping));
      }),
      { numRuns: 150 },
    );
  });

  it("the order of the template decides where things stand, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.tuple(release, release, release), release, async (steps, releases, last) => {
        const history = new History();
        await perform(history, steps, releases, async () => {});
        const plans = await Promise.all(([1, -1] as const).map((order) => planPack(history.pack(0, 2, last, order), history.machine)));
        const [forwards, backwards] = plans.map(({ document }) =>
          document.entries.map(({ key, verdict, reason, result }) => ({ key, verdict, reason, result })),
        );
        expect(backwards).toEqual(forwards);
      }),
      { numRuns: 100 },
    );
  });
});
