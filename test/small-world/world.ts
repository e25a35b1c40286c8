import type { Machine } from "../../src/engine/machine.ts";
import { changesAnything } from "../../src/engine/plan-owner.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import type { Pack } from "../../src/files/manifest/pack.ts";
import { applyPack, planPack } from "../../src/files/plan.ts";
import { rollbackOwner } from "../../src/files/rollback.ts";
import { adoptEntries, disownEntries } from "../../src/files/settle.ts";
import { uninstallOwner } from "../../src/files/uninstall.ts";
import { memoryGate } from "../files/memory-gate.ts";
import type { Standing, Values, Wish } from "./model.ts";

/** A version that an owner ships, as its manifest says it. */
export interface Version extends Wish {
  readonly name: string;
  /** What releases before it shipped. */
  readonly earlier?: Readonly<Record<string, string>>;
}

export const keys = ["a", "b"] as const;
const file = "/home/u/config.json";
const stateDir = "/home/u/state";

/** All files of a home in memory. A value that can be kept and gone back to. */
export type Snapshot = ReadonlyMap<string, Buffer>;

/** A home with one shared file, on which the files domain works as it does on a disk. */
export class World {
  readonly #gate = memoryGate();
  readonly #machine: Machine;

  constructor() {
    for (const folder of ["/home", "/home/u"]) this.#gate.createFolder(folder, 0o700);
    this.#machine = {
      home: "/home/u",
      stateDir,
      env: {},
      platform: "linux",
      program: "stet",
      gate: this.#gate,
      now: () => new Date(0),
    };
  }

  get snapshot(): Snapshot {
    return this.#gate.contents();
  }

  restore(snapshot: Snapshot): void {
    this.#gate.reset(snapshot);
  }

  get values(): Values {
    const found = [...this.#text.matchAll(/"([a-z])":\s*(\[[^\]]*\])/g)].map(([, key, value]) => [
      key!,
      value!.replace(/\s+/g, ""),
    ]);
    return { ...Object.fromEntries(keys.map((key) => [key, undefined])), ...Object.fromEntries(found) };
  }

  get #text(): string {
    return this.#gate.read(file)?.toString("utf8") ?? "";
  }

  /** As a person with an editor: the other key stays where it is. */
  write(key: string, value: Standing): void {
    const pairs = new Map(
      Object.entries(this.values).flatMap(([name, each]) => (each === undefined ? [] : [[name, each] as const])),
    );
    if (value === undefined) pairs.delete(key);
    else pairs.set(key, value);
    this.#gate.remove(file);
    this.#gate.createFile(file, Buffer.from(textOf(Object.fromEntries([...pairs].sort()))), "private");
  }

  /** Makes a version true. `held`: it had been rolled back from, so nothing happened. */
  async apply(owner: string, version: Version): Promise<{ held: boolean; again: boolean }> {
    const pack = packOf(owner, version);
    const { document } = await applyPack(pack, this.#machine);
    const held = document.diagnostics.some(({ code }) => code === "held");
    return { held, again: changesAnything(await planPack(pack, this.#machine)) };
  }

  async uninstall(owner: string): Promise<void> {
    await uninstallOwner(owner, this.#machine);
  }

  async rollback(owner: string): Promise<void> {
    await rollbackOwner(owner, this.#machine);
  }

  async adopt(owner: string, key: string): Promise<void> {
    await adoptEntries([{ text: `setting:${key}`, owner }], this.#machine);
  }

  async disown(owner: string, key: string): Promise<void> {
    await disownEntries([{ text: `setting:${key}`, owner }], this.#machine);
  }

  loseRecords(owner: string): void {
    this.#gate.remove(`${stateDir}/${owner}/registry.json`);
  }

  /** So that ways which end alike are one: nothing but going back asks for what was before. */
  forgetHistory(): void {
    for (const path of this.#gate.contents().keys())
      if (/\/generations\/|\/objects\//.test(path)) this.#gate.remove(path);
  }
}

const packs = new Map<string, Pack>();

/** Read from files, as a pack that a framework ships is. */
function packOf(owner: string, { name, values, renames = {}, earlier, overwrites }: Version): Pack {
  const known = packs.get(`${owner} ${name}`);
  if (known) return known;
  const gate = memoryGate();
  for (const folder of ["/pack", "/pack/earlier"]) gate.createFolder(folder, 0o700);
  const put = (path: string, text: string) => gate.createFile(`/pack/${path}`, Buffer.from(text), "private");
  const manifest = {
    name: owner,
    version: name,
    files: [{ target: file, template: "config.json" }],
    policy: overwrites ? [{ match: "*", "when-present": "adopt", "when-edited": "overwrite" }] : [],
    moved: Object.entries(renames).map(([from, to]) => ({ from: `setting:${from}`, to: `setting:${to}` })),
    ...(earlier ? { earlier: { "0.9.0": "earlier" } } : {}),
  };
  put("stet.yaml", JSON.stringify(manifest));
  put("config.json", textOf(values));
  if (earlier) put("earlier/config.json", textOf(earlier));
  const pack = readPack(gate, "/pack/stet.yaml");
  packs.set(`${owner} ${name}`, pack);
  return pack;
}

function textOf(values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([key, value]) => `  "${key}": ${value}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}
