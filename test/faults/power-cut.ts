import path from "node:path";
import { type Call, pathsOf } from "./trace.ts";

/**
 * What a power cut could take, call by call: a disk keeps what was synced, and of the rest anything or nothing. Data of
 * a file is safe when the file is synced, a name when the folder it is in is.
 */
class Disk {
  readonly #data = new Set<string>();
  readonly #names = new Map<string, Set<string>>();

  written(file: string): void {
    this.#data.add(file);
  }

  renamed(from: string, to: string): void {
    if (this.#data.delete(from)) this.#data.add(to);
    this.named(from);
    this.named(to);
  }

  /** Both were there and stay: only names change. */
  exchanged(one: string, other: string): void {
    this.named(one);
    this.named(other);
  }

  /** A name that came, went or leads elsewhere. */
  named(file: string): void {
    const folder = path.dirname(file);
    this.#names.set(folder, (this.#names.get(folder) ?? new Set()).add(path.basename(file)));
  }

  removed(file: string): void {
    this.#data.delete(file);
    this.#names.delete(file);
    this.named(file);
  }

  synced(file: string): void {
    this.#data.delete(file);
    this.#names.delete(file);
  }

  /** Everything that could be lost now. */
  unsafe(): string[] {
    const names = [...this.#names].flatMap(([folder, found]) => [...found].map((name) => path.join(folder, name)));
    return [...[...this.#data].map(dataOf), ...names.map(nameOf)];
  }
}

const dataOf = (file: string) => `the data of ${file}`;
const nameOf = (file: string) => `the name ${file}`;

/**
 * Goes through the calls of a run and returns every step that comes too early: a file that is renamed into place before
 * its bytes are on the disk, a file of somebody's that is touched before the journal that decides it is, a journal that
 * goes while something could still be lost.
 */
export function earlySteps(calls: readonly Call[], folder: string): string[] {
  const disk = new Disk();
  const early: string[] = [];
  let phase = "";
  for (const call of calls.filter(hasHappened)) {
    const [from, to] = pathsOf(call).filter((file) => file.startsWith(folder) && !isIncidental(file));
    if (from === undefined) continue;
    phase = /journal\.tmp>, .*phase\\": \\"(\w+)/.exec(call.line)?.[1] ?? phase;
    early.push(...tooEarly(disk, call, { from, to, phase }).map((why) => `${call.name} ${to ?? from}: ${why}`));
    carryOut(disk, call, from, to);
  }
  return [...early, ...disk.unsafe().map((what) => `at the end ${what} is not safe`)];
}

function hasHappened({ line }: Call): boolean {
  return !/ = -1 E/.test(line);
}

/** The lock means something only while a process lives, and a torn fingerprint is one that is not there. */
function isIncidental(file: string): boolean {
  return ["lock", "fingerprint.json"].includes(path.basename(file));
}

interface Step {
  readonly from: string;
  readonly to: string | undefined;
  /** How far the journal that was last written has come: strace shows the beginning of the word. */
  readonly phase: string;
}

function tooEarly(disk: Disk, { name }: Call, { from, to, phase }: Step): string[] {
  const unsafe = disk.unsafe();
  if (name === "unlink" && path.basename(from) === "journal.json") return unsafe;
  if (name !== "rename" && name !== "renameat2" && name !== "link") return [];
  const ownData = unsafe.filter((what) => what === dataOf(from));
  if (path.basename(to!) !== "journal.json") {
    const isDecided = phase.startsWith("comm") || phase.startsWith("sett");
    return [
      ...ownData,
      ...(isDecided ? [] : ["nothing is decided yet"]),
      ...unsafe.filter((what) => what.endsWith("/journal.json")),
    ];
  }
  // A journal that decides promises that all it names is there; its own name is what is being written.
  return phase.startsWith("stag") ? ownData : unsafe.filter((what) => what !== nameOf(from));
}

function carryOut(disk: Disk, { name, line }: Call, from: string, to: string | undefined): void {
  if (name === "fsync" || name === "fdatasync") disk.synced(from);
  else if (name === "rename") disk.renamed(from, to!);
  else if (name === "renameat2") disk.exchanged(from, to!);
  else if (name === "link") disk.named(to!);
  else if (name === "unlink" || name === "rmdir") disk.removed(from);
  else if (name === "mkdir" || name === "symlink" || line.includes("O_CREAT")) disk.named(to ?? from);
  else if (/^(?:p?write|ftruncate|fchmod|fchown|fsetxattr|fremovexattr)/.test(name)) disk.written(from);
}
