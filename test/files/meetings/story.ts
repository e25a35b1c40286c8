import type { Machine } from "../../../src/engine/machine.ts";
import { changesAnything } from "../../../src/engine/plan-owner.ts";
import { readPack } from "../../../src/files/manifest/load-manifest.ts";
import { applyPack, planPack } from "../../../src/files/plan.ts";
import { rollbackOwner as rollBack } from "../../../src/files/rollback.ts";
import { disownEntries, resolveConflict } from "../../../src/files/settle.ts";
import { uninstallOwner } from "../../../src/files/uninstall.ts";
import { memoryGate } from "../memory-gate.ts";
import { flatHooks, pack, verdicts } from "../world.ts";

/** What only shows on a file: versions that go back, versions that are held, and containers that are made and go. */
export const fileBullets = ["downgrade", "held", "containers"] as const;

/** Something that happens to a machine; a release that is applied tells what it did. */
export type Step = (machine: Machine) => Promise<Told | undefined>;

export interface Told {
  readonly verdicts: Record<string, string>;
  readonly codes: readonly string[];
  readonly changed: number;
  /** Whether planning once more would still write files or records. */
  readonly again: boolean;
}

/**
 * The story, what happens, what the last release said of each entry, and what then stands in the file: as data, or byte
 * for byte.
 */
export type FileStory = readonly [
  story: string,
  steps: readonly Step[],
  then: Record<string, string>,
  file: object | string | undefined,
];
export type FileMeetings = Readonly<Record<string, readonly FileStory[] | string>>;

const file = "/home/u/app/config.json";

/** A release: of the framework itself, or of another that shares the file. */
export function ship(version: string, template: object, more: object = {}): Step {
  return shipped(pack(version, template, more), {});
}

export function unhold(version: string, template: object, more: object = {}): Step {
  return shipped(pack(version, template, more), { unhold: true });
}

export function other(version: string, template: object): Step {
  return shipped({ name: "other", version, files: [{ target: file, template, rules: flatHooks }] }, {});
}

/** A release whose file is YAML: there values can be shared, and are then locked. */
export function shipYaml(version: string, template: object): Step {
  return shipped({ name: "zylos", version, files: [{ target: file, format: "yaml", template }] }, {});
}

function shipped(manifest: object, options: { unhold?: boolean }): Step {
  return async (machine) => {
    const release = readPack(machine.gate, manifest);
    const { document } = await applyPack(release, machine, options);
    const again = changesAnything(await planPack(release, machine));
    return {
      verdicts: verdicts(document),
      codes: document.diagnostics.map(({ code }) => code),
      changed: document.changed,
      again,
    };
  };
}

const quiet =
  (act: (machine: Machine) => unknown): Step =>
  async (machine) => {
    await act(machine);
    return undefined;
  };

const textIn = ({ gate }: Machine) => gate.read(file)?.toString("utf8");

function put({ gate }: Machine, text: string): void {
  if (gate.read(file)) gate.remove(file);
  gate.createFile(file, Buffer.from(text), "private");
}

/** The user, in an editor and on the command line. */
export const write = (content: string | object): Step =>
  quiet((machine) =>
    put(machine, typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`),
  );
export const edit = (from: string, to: string): Step =>
  quiet((machine) => {
    const text = textIn(machine) ?? "";
    if (!text.includes(from)) throw new Error(`the file does not hold ${from}`);
    put(machine, text.replace(from, to));
  });
export const rollback: Step = quiet((machine) => rollBack("zylos", machine));
export const leave = (name: "zylos" | "other"): Step => quiet((machine) => uninstallOwner(name, machine));
export const disown = (text: string): Step => quiet((machine) => disownEntries([{ text, owner: "zylos" }], machine));
export const accept = (text: string): Step =>
  quiet((machine) => resolveConflict({ text, owner: "zylos" }, "mine", machine));

export const policy = (rules: object): object => ({ policy: [{ match: "*", ...rules }] });

/** What the last release told, and the file as it then is. */
export async function play(steps: readonly Step[]): Promise<{ last: Told; text: string | undefined }> {
  const gate = memoryGate();
  for (const folder of ["/home", "/home/u", "/home/u/app"]) gate.createFolder(folder, 0o700);
  const machine: Machine = {
    home: "/home/u",
    stateDir: "/home/u/state",
    env: {},
    platform: "linux",
    program: "stet",
    gate,
    now: () => new Date(0),
  };
  let last: Told | undefined;
  for (const step of steps) last = (await step(machine)) ?? last;
  return { last: last!, text: textIn(machine) };
}
