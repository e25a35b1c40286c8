import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Machine } from "../../src/engine/machine.ts";
import type { PlanOptions } from "../../src/engine/plan-owner.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { applyPack, planPack } from "../../src/files/plan.ts";
import { rollbackOwner } from "../../src/files/rollback.ts";
import { adoptAll, adoptEntries, disownEntries, resolveConflict } from "../../src/files/settle.ts";
import { statusOf } from "../../src/files/status.ts";
import { uninstallOwner } from "../../src/files/uninstall.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { writeAtRest } from "../write-at-rest.ts";

/** A home of its own on the real disk, with packs that are written as objects. */
export class World {
  readonly home: string;
  readonly machine: Machine;
  #clock = Date.UTC(2026, 0, 1);

  constructor(options: { env?: Record<string, string>; stateDir?: string; home?: string } = {}) {
    this.home = options.home ?? fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-world-")));
    if (!options.home) onTestFinished(() => fs.rmSync(this.home, { recursive: true, force: true }));
    this.machine = {
      home: this.home,
      stateDir: options.stateDir ?? path.join(this.home, ".local/state/stet"),
      env: options.env ?? {},
      platform: "linux",
      program: "stet",
      gate: diskGate(),
      // A clock that never stands still: times must not be what makes two runs equal.
      now: () => {
        this.#clock += 1000;
        return new Date(this.#clock);
      },
    };
  }

  at(file: string): string {
    return path.join(this.home, file);
  }

  write(file: string, content: string | object): void {
    fs.mkdirSync(path.dirname(this.at(file)), { recursive: true });
    writeAtRest(this.at(file), typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`);
  }

  read(file: string): string {
    return fs.readFileSync(this.at(file), "utf8");
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever a file holds
  json(file: string): any {
    return JSON.parse(this.read(file));
  }

  exists(file: string): boolean {
    return fs.existsSync(this.at(file));
  }

  /** Change a file as a person in an editor would. */
  edit(file: string, from: string, to: string): void {
    const text = this.read(file);
    if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
    this.write(file, text.replace(from, to));
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever a file holds
  registry(name = "zylos"): any {
    return this.json(`.local/state/stet/${name}/registry.json`);
  }

  async plan(manifest: object, options: PlanOptions = {}) {
    return (await planPack(readPack(this.machine.gate, manifest), this.machine, options)).document;
  }

  async apply(manifest: object, options: PlanOptions = {}) {
    return (await applyPack(readPack(this.machine.gate, manifest), this.machine, options)).document;
  }

  async uninstall(name = "zylos", options: { all?: boolean } = {}) {
    return (await uninstallOwner(name, this.machine, options)).document;
  }

  async rollback(name = "zylos", to?: number) {
    return (await rollbackOwner(name, this.machine, to)).document;
  }

  async status(name?: string) {
    return (await statusOf(this.machine, name)).map((plan) => plan.document);
  }

  resolve(text: string, choice: "mine" | "theirs", owner?: string) {
    return resolveConflict({ text, owner }, choice, this.machine);
  }

  adopt(...keys: string[]) {
    return keys.length === 0
      ? adoptAll(this.machine, undefined)
      : adoptEntries(
          keys.map((text) => ({ text })),
          this.machine,
        );
  }

  disown(...keys: string[]) {
    return disownEntries(
      keys.map((text) => ({ text })),
      this.machine,
    );
  }

  /** Every file below a folder with its bytes and times: what a run that changes nothing must leave alone. */
  snapshot(folder = "."): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of fs.readdirSync(this.at(folder), { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      const { mtimeMs, mode } = fs.lstatSync(file);
      found[path.relative(this.home, file)] =
        `${mode} ${mtimeMs} ${entry.isFile() ? fs.readFileSync(file, "base64") : ""}`;
    }
    return found;
  }
}

/** A pack of one JSON file with the document's own rules: a flat list of hooks, and settings. */
export function pack(version: string, template: object, more: object = {}): object {
  return { name: "zylos", version, files: [{ target: "~/app/config.json", template, rules: flatHooks }], ...more };
}

export const flatHooks = [
  { type: "hook", at: "hooks[]", key: ["event", "command|command"], pair: ["event", "command|script"] },
  { type: "permission", at: "permissions.{list}[]", key: ["list", "value|path"] },
];

export const hook = (event: string, command: string, more: object = {}) => ({ event, command, ...more });

export function verdicts(document: {
  entries: readonly { key: string; verdict: string; reason?: string }[];
}): Record<string, string> {
  return Object.fromEntries(
    document.entries.map((entry) => [entry.key, entry.reason ? `${entry.verdict} ${entry.reason}` : entry.verdict]),
  );
}
