import fc from "fast-check";
import type { Machine } from "../../src/engine/machine.ts";
import { changesAnything } from "../../src/engine/plan-owner.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { applyPack, planPack } from "../../src/files/plan.ts";
import { uninstallOwner } from "../../src/files/uninstall.ts";
import { memoryGate } from "./memory-gate.ts";
import { flatHooks } from "./world.ts";

/**
 * What a release ships: hooks by script (with arguments that may change), settings by name, and which of its new names
 * are old ones renamed.
 */
export interface Release {
  readonly hooks: readonly { readonly script: number; readonly args: number; readonly timeout: number }[];
  readonly settings: Readonly<Record<string, number>>;
  readonly renames: readonly (readonly [number, number])[];
}

export const release: fc.Arbitrary<Release> = fc.record({
  hooks: fc.uniqueArray(fc.record({ script: fc.nat(5), args: fc.nat(1), timeout: fc.nat(2) }), {
    selector: (hook) => hook.script,
    maxLength: 4,
  }),
  settings: fc.dictionary(fc.constantFrom("a", "b", "c", "d", "n.x", "n.y"), fc.nat(3), { maxKeys: 4 }),
  renames: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 2 }),
});

/** Settings that stood there before any framework came: what a user and a framework both like is not rare. */
export const foundSettings = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.nat(3), { maxKeys: 3 });

/** In order. Some are pre-releases: ten of them are more than nine. */
const versionNames = ["1.0.0-rc.9", "1.0.0-rc.10", "1.0.0", "1.1.0"];

export type Step =
  | { readonly do: "apply"; readonly owner: number; readonly version: number }
  | { readonly do: "uninstall"; readonly owner: number }
  | { readonly do: "edit" | "set" | "wrap" | "delete" | "unset"; readonly at: number }
  | { readonly do: "add" | "comment" };

/**
 * Installing, upgrading and going back are one: a version is applied, whichever was before. Renames are in the
 * releases.
 */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("apply" as const), owner: fc.nat(1), version: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("uninstall" as const), owner: fc.nat(1) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("edit" as const, "set", "wrap", "delete", "unset"), at: fc.nat(20) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("add" as const, "comment") }) },
);

const file = "/home/u/app/config.json";

/** A home in memory, with a person who edits the one file that frameworks share in it. */
export class History {
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
  /**
   * Marks that only a person wrote, with what stood in the line around it: each must stay as long as the person leaves
   * it.
   */
  readonly marks = new Map<string, string>();
  /** Settings that were found: each must stay as it is, under its name, as long as the person leaves it. */
  readonly found = new Map<string, number>();
  /** The version that each owner last applied. */
  readonly #applied = new Map<number, number>();
  #count = 0;

  constructor() {
    for (const folder of ["/home", "/home/u", "/home/u/app"]) this.gate.createFolder(folder, 0o700);
  }

  get text(): string {
    return this.gate.read(file)?.toString("utf8") ?? "";
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever a file holds
  get data(): any {
    return JSON.parse(this.text.replace(/^\s*\/\/.*$/gm, "") || "{}");
  }

  write(text: string): void {
    this.gate.remove(file);
    this.gate.createFile(file, Buffer.from(text), "private");
  }

  /** A file that a person had before. */
  begin(found: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(found)) this.found.set(name, value);
    this.write(this.found.size === 0 ? "{\n}\n" : `${JSON.stringify(found, undefined, 2)}\n`);
  }

  /**
   * A change by a person to one of the lines that match, which is one entry or field each as the files here are
   * written.
   */
  change(at: number, pattern: RegExp, edit: (line: string, mark: string) => string): void {
    const lines = this.text.split("\n");
    const candidates = lines.flatMap((line, i) => (pattern.test(line) ? [i] : []));
    const line = candidates[at % candidates.length];
    if (line === undefined) return;
    const mark = `mark${this.#count++}x`;
    for (const lost of this.marks.keys()) if (lines[line]!.includes(lost)) this.marks.delete(lost);
    const [, name] = /^ {2}"([a-d])": /.exec(lines[line]!) ?? [];
    lines[line] = edit(lines[line]!, mark);
    if (name !== undefined && !/^\/\//.test(lines[line])) this.found.delete(name);
    this.write(lines.join("\n"));
    const marked = lines[line].split("\n").find((each) => each.includes(mark))!;
    this.marks.set(mark, content(marked));
  }

  /** Deleting an entry with a person's mark in it takes the mark back. A file with comments is not rewritten so. */
  remove(entriesOf: (data: History["data"]) => { gone: unknown; left: object } | undefined): void {
    if (this.text.includes("//")) return;
    const removed = entriesOf(this.data);
    if (removed === undefined) return;
    for (const name of [...this.found.keys()]) if (!Object.hasOwn(removed.left, name)) this.found.delete(name);
    for (const mark of [...this.marks.keys()]) if (JSON.stringify(removed.gone).includes(mark)) this.marks.delete(mark);
    this.write(`${JSON.stringify(removed.left, undefined, 2)}\n`);
  }

  async apply(owner: number, version: number, releases: readonly Release[]): Promise<void> {
    const pack = packOf(this.machine, owner, version, releases);
    const { document } = await applyPack(pack, this.machine);
    const told = document.diagnostics.some(({ code }) => code === "downgrade");
    const back = document.from !== null && version < (this.#applied.get(owner) ?? 0);
    if (told !== back) throw new Error("a downgrade is told where there is one, and nowhere else");
    this.#applied.set(owner, version);
    // Another owner's pending wish may now be granted, but never this owner's own.
    if (changesAnything(await planPack(pack, this.machine))) throw new Error("planning after applying is not empty");
  }

  async perform(each: Step, releases: readonly Release[]): Promise<void> {
    if (each.do === "apply") return this.apply(each.owner, each.version, releases);
    if (each.do === "uninstall") this.#applied.delete(each.owner);
    if (each.do === "uninstall") return void (await uninstallOwner(`owner${each.owner}`, this.machine).catch(() => {}));
    if (each.do === "edit")
      this.change(each.at, /^\s+"timeout": \d+/, (line, mark) => line.replace(/\d+/, `"${mark}"`));
    else if (each.do === "set")
      this.change(each.at, /^\s+"[a-dxy]": \d+/, (line, mark) => line.replace(/\d+/, `"${mark}"`));
    else if (each.do === "wrap")
      this.change(each.at, /"command": "node ~\/o/, (line, mark) => line.replace("node", `nice -n ${mark} node`));
    else if (each.do === "delete") this.remove((data) => withoutHook(data, each.at));
    else if (each.do === "unset") this.remove((data) => withoutSetting(data, each.at));
    else if (each.do === "comment") this.change(0, /^\s+"(a|b|c|hooks)": /, (line, mark) => `// ${mark}\n${line}`);
    else if (this.text.trim() !== "")
      this.change(0, /^\{$/, (line, mark) => `${line}\n  "own-${mark}": 1${/^\s+"/m.test(this.text) ? "," : ""}`);
  }

  /** What a person wrote and that is no longer there as written. A name of ours may change around it. */
  get lost(): string[] {
    const lines = new Set(this.text.split("\n").map(content));
    const found = [...this.found].filter(([name, value]) => this.data[name] !== value).map(([name]) => name);
    return [...[...this.marks.values()].filter((line) => !lines.has(line)), ...found];
  }
}

/** A line without what the lines around it have a say in; of a setting, whose name its owner may change, the value. */
function content(line: string): string {
  return line
    .trim()
    .replace(/,$/, "")
    .replace(/^"[a-dxy]": /, "");
}

function withoutHook(data: History["data"], at: number): { gone: unknown; left: object } | undefined {
  const hooks: unknown[] = data.hooks ?? [];
  if (hooks.length === 0) return undefined;
  const i = at % hooks.length;
  return { gone: hooks[i], left: { ...data, hooks: hooks.toSpliced(i, 1) } };
}

function withoutSetting(data: History["data"], at: number): { gone: unknown; left: object } | undefined {
  const names = Object.keys(data).filter((name) => /^[a-d]$/.test(name));
  const name = names[at % names.length];
  if (name === undefined) return undefined;
  const { [name]: gone, ...left } = data;
  return { gone, left };
}

const commandOf = (owner: number, { script, args }: Release["hooks"][number]) =>
  `node ~/o${owner}/s${script}.js -${args}`;

function keysOf(owner: number, { hooks, settings }: Release): string[] {
  return [
    ...hooks.map((hook) => `hook:Stop:${commandOf(owner, hook)}`),
    ...Object.keys(settings).map((name) => `setting:${name}`),
  ];
}

/** What a key names whatever is done to the entry: a script, or a setting. */
export function subjectOf(key: string): string {
  return /s\d\.js/.exec(key)?.[0] ?? key.replace(/^setting:/, "");
}

/**
 * Every release names what was renamed up to it: from what the one before it had and it has not, to what only it has.
 */
export function movesOf(owner: number, releases: readonly Release[]): { from: string; to: string }[] {
  return releases.flatMap((each, version) => {
    const [before, now] = [version === 0 ? [] : keysOf(owner, releases[version - 1]!), keysOf(owner, each)];
    const gone = before.filter((key) => !now.includes(key));
    const come = now.filter((key) => !before.includes(key));
    if (gone.length === 0 || come.length === 0) return [];
    const moves = each.renames.map(([from, to]) => ({ from: gone[from % gone.length]!, to: come[to % come.length]! }));
    // Nobody renames one script to another that was shipped beside it, or one that is still shipped with other options.
    const shipped = new Set(
      releases.slice(0, version).flatMap(({ hooks }) => hooks.map(({ script }) => `s${script}.js`)),
    );
    const still = new Set(now.map(subjectOf));
    return moves.filter(
      ({ from, to }) =>
        from.split(":")[0] === to.split(":")[0] && !shipped.has(subjectOf(to)) && !still.has(subjectOf(from)),
    );
  });
}

export function packOf(
  { gate }: Machine,
  owner: number,
  version: number,
  releases: readonly Release[],
  order: 1 | -1 = 1,
) {
  const { hooks, settings } = releases[version]!;
  const inOrder = <T>(items: readonly T[]) => (order === 1 ? items : items.toReversed());
  const shipped = hooks.map((hook) => ({ event: "Stop", command: commandOf(owner, hook), timeout: hook.timeout }));
  const template: Record<string, unknown> = shipped.length > 0 ? { hooks: inOrder(shipped) } : {};
  for (const [name, value] of inOrder(Object.entries(settings))) {
    const [first, second] = name.split(".") as [string, string?];
    if (second === undefined) template[first] = value;
    else template[first] = { ...(template[first] as object), [second]: value };
  }
  const moved = movesOf(owner, releases.slice(0, version + 1));
  return readPack(gate, {
    name: `owner${owner}`,
    version: versionNames[version]!,
    files: [{ target: file, template, rules: flatHooks }],
    moved,
  });
}
