import type { Machine } from "../../src/engine/machine.ts";
import type { OwnerPlan } from "../../src/engine/plan-owner.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { applyPack, planPack } from "../../src/files/plan.ts";
import { uninstallOwner } from "../../src/files/uninstall.ts";
import { memoryGate } from "./memory-gate.ts";

/**
 * One file in a home in memory that owners write into, with a person beside them: quick enough for hundreds of
 * histories.
 */
export class SharedFile {
  readonly #gate = memoryGate();
  readonly #path: string;
  readonly #strategy: "entries" | "block";
  readonly #machine: Machine = {
    home: "/home/u",
    stateDir: "/home/u/state",
    env: {},
    platform: "linux",
    program: "stet",
    gate: this.#gate,
    now: () => new Date(0),
  };
  #version = 0;

  /** `text` undefined: the first owner makes the file. */
  constructor(name: string, strategy: "entries" | "block", text: string | undefined) {
    for (const folder of ["/home", "/home/u"]) this.#gate.createFolder(folder, 0o700);
    this.#path = `/home/u/${name}`;
    this.#strategy = strategy;
    if (text !== undefined) this.write(text);
  }

  get text(): string | undefined {
    return this.#gate.read(this.#path)?.toString("utf8");
  }

  write(text: string): void {
    if (this.text !== undefined) this.#gate.remove(this.#path);
    this.#gate.createFile(this.#path, Buffer.from(text), "private");
  }

  /** A release of an owner that wants just this, as a version of its own. */
  release(owner: string, template: string | object, strategy = this.#strategy) {
    const files = [{ target: this.#path, template, strategy }];
    return readPack(this.#gate, { name: owner, version: `${++this.#version}.0.0`, files });
  }

  apply(pack: ReturnType<typeof readPack>): Promise<OwnerPlan> {
    return applyPack(pack, this.#machine);
  }

  plan(pack: ReturnType<typeof readPack>): Promise<OwnerPlan> {
    return planPack(pack, this.#machine);
  }

  leave(owner: string): Promise<OwnerPlan> {
    return uninstallOwner(owner, this.#machine);
  }
}
