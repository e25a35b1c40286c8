import { posix } from "node:path";
import type { FileOrLink } from "../../core/content.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { deliveredFile, type Layout } from "../evaluate/evaluation.ts";
import { placeUnder } from "../target.ts";
import { referencesOf } from "../units/references.ts";
import {
  compareBytes,
  isValidUnitName,
  parseDropInFolder,
  parseUnitName,
  runtimeUnit,
  templateOf,
  type UnitName,
} from "../units/unit-kind.ts";
import { effectiveUnit } from "../units/unit-text.ts";

/** What a folder holds that a repository can be made of. Paths are relative to the folder. */
export interface Collected {
  readonly units: readonly CollectedUnit[];
  readonly dropIns: readonly CollectedDropIn[];
  /** Every other file: payload, if a unit names it. */
  readonly others: ReadonlyMap<string, FileOrLink>;
  /** What can't be taken along, with the reason. */
  readonly leftOut: readonly LeftOut[];
}

export interface CollectedUnit {
  readonly unit: UnitName;
  readonly folder: string;
  readonly content: FileOrLink;
  /** The unit's text, also where it is a link to its template. */
  readonly bytes: Uint8Array;
}

export interface CollectedDropIn {
  readonly unit: UnitName;
  readonly folder: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

interface Walk {
  readonly reader: Reader;
  readonly root: string;
  readonly units: CollectedUnit[];
  readonly dropIns: CollectedDropIn[];
  readonly others: Map<string, FileOrLink>;
  readonly leftOut: LeftOut[];
}

const skipped = new Set([".git", ".github", ".gitlab", "node_modules", ".venv"]);
/** A tree of configuration is small. What is larger is something else, and not ours to copy. */
const [deepest, mostFiles, largest] = [12, 20_000, 4 * 1024 * 1024];

/** Looks through a folder of units, however they are arranged in it. Links are followed to what they show. */
export function collect(reader: Reader, root: string): Collected {
  const walk: Walk = { reader, root, units: [], dropIns: [], others: new Map(), leftOut: [] };
  visitFolder(walk, "", 0);
  return walk;
}

function visitFolder(walk: Walk, folder: string, depth: number): void {
  if (depth > deepest || walk.others.size > mostFiles) return;
  const names = [...(walk.reader.list(posix.join(walk.root, folder)) ?? [])].sort(compareBytes);
  for (const name of names) if (!skipped.has(name)) visit(walk, folder, name, depth);
}

function visit(walk: Walk, folder: string, name: string, depth: number): void {
  const path = posix.join(folder, name);
  const real = walk.reader.realPath(posix.join(walk.root, path));
  const status = walk.reader.stat(real);
  const target = parseDropInFolder(name);
  if (status?.kind === "folder" && target.kind === "unit") visitDropIns(walk, path, target.unit);
  else if (status?.kind === "folder" && target.kind === "foreign")
    walk.leftOut.push({ path, why: "it changes every unit of its kind, including those of others" });
  else if (status?.kind === "folder") visitFolder(walk, path, depth + 1);
  else if (status?.kind === "file" && status.size <= largest)
    visitFile(walk, folder, name, real, (status.mode & 0o111) !== 0);
  else if (status?.kind !== "file" && parseUnitName(name) !== undefined) {
    const isMasked = walk.reader.readLink(posix.join(walk.root, path)) === "/dev/null";
    walk.leftOut.push({ path, why: isMasked ? "is masked: a link to /dev/null" : "leads to no file" });
  }
}

function visitFile(walk: Walk, folder: string, name: string, real: string, executable: boolean): void {
  const path = posix.join(folder, name);
  const bytes = walk.reader.read(real) ?? new Uint8Array(0);
  const unit = parseUnitName(name);
  if (unit === undefined || !isValidUnitName(unit)) {
    walk.others.set(path, deliveredFile(bytes, executable));
    return;
  }
  // `web@1.container -> web@.container` is how a template is instantiated: such a link has to stay one.
  const link = walk.reader.readLink(posix.join(walk.root, path));
  const isInstance = link !== undefined && link === templateOf(unit);
  const target = posix.basename(real);
  // systemd runs what such a link leads to once, under both names.
  if (link !== undefined && !isInstance && unit.family === "native" && target !== name && parseUnitName(target)) {
    walk.leftOut.push({ path, why: `is another name of ${target}` });
    return;
  }
  const content: FileOrLink = isInstance ? { kind: "link", target: link } : deliveredFile(bytes);
  walk.units.push({ unit, folder, content, bytes });
}

function visitDropIns(walk: Walk, folder: string, unit: UnitName): void {
  for (const name of walk.reader.list(posix.join(walk.root, folder)) ?? []) {
    const path = posix.join(folder, name);
    const bytes = name.endsWith(".conf") ? walk.reader.read(posix.join(walk.root, path)) : undefined;
    if (bytes === undefined) walk.leftOut.push({ path, why: "podman and systemd read only .conf files there" });
    else walk.dropIns.push({ unit, folder: posix.dirname(folder), name, bytes });
  }
}

/**
 * What runs on this machine: its Quadlet files, the sockets and timers that start them, and the files in /etc that they
 * name.
 */
export function collectMachine(machine: Reader, root: string, layout: Layout): Collected {
  const reader = below(machine, root);
  const quadlets = collect(reader, layout.quadletFolder);
  const runtimes = new Set(quadlets.units.map(({ unit }) => runtimeUnit(unit, undefined)));
  const native = collect(reader, layout.unitFolder);
  const units = native.units.filter((unit) => unit.folder === "" && isTrigger(unit) && startsOneOf(unit, runtimes));
  const changed = new Set([...runtimes, ...units.map(({ unit }) => unit.name)]);
  const payload = collectPayload(reader, layout, quadlets.units);
  return {
    units: [...quadlets.units, ...units],
    dropIns: [...quadlets.dropIns, ...native.dropIns.filter(({ unit }) => changed.has(unit.name))],
    others: new Map([...quadlets.others, ...payload.others]),
    leftOut: [...quadlets.leftOut, ...payload.leftOut],
  };
}

/** The same file system, seen from a folder that stands for its root. */
function below(reader: Reader, root: string): Reader {
  if (root === "/") return reader;
  const at = (path: string) => placeUnder(root, path);
  return {
    read: (path) => reader.read(at(path)),
    stat: (path) => reader.stat(at(path)),
    realPath: (path) => path,
    list: (path) => reader.list(at(path)),
    readLink: (path) => reader.readLink(at(path)),
  };
}

function isTrigger({ unit, content }: CollectedUnit): boolean {
  return content.kind === "file" && ["socket", "timer", "path"].includes(unit.type);
}

function startsOneOf({ unit, bytes }: CollectedUnit, runtimes: ReadonlySet<string>): boolean {
  const effective = effectiveUnit(unit, [{ source: unit.name, bytes }]);
  const lines = effective.sections.flatMap(({ lines }) => lines);
  const named = lines.findLast(({ key }) => key === "Service" || key === "Unit")?.value ?? `${unit.stem}.service`;
  return runtimes.has(named);
}

/**
 * The folders below /etc that units name. One that holds what only its owner may read is left out as a whole: secrets
 * stay out of Git.
 */
function collectPayload(
  reader: Reader,
  layout: Layout,
  units: readonly CollectedUnit[],
): Pick<Collected, "others" | "leftOut"> {
  const below = `${layout.configFolder}/`;
  const names = units.flatMap(({ unit, bytes }) =>
    referencesOf(unit, effectiveUnit(unit, [{ source: unit.name, bytes }]))
      .filter(({ kind, name }) => kind === "path" && name.startsWith(below) && !name.startsWith(layout.quadletFolder))
      .map(({ name }) => name.slice(below.length).split("/"))
      .filter((segments) => segments.length > 1)
      .map(([service]) => service!),
  );
  const leftOut: LeftOut[] = [];
  const others = [...new Set(names)].flatMap((name): [string, FileOrLink][] => {
    const found = collect(reader, below + name);
    const files = new Map([
      ...found.others,
      ...found.units.map((unit) => [posix.join(unit.folder, unit.unit.name), unit.content] as const),
    ]);
    const secret = [...files.keys()].find(
      (path) => ((reader.stat(reader.realPath(`${below}${name}/${path}`))?.mode ?? 0) & 0o044) === 0,
    );
    if (secret === undefined) return [...files].map(([path, content]) => [`etc/${name}/${path}`, content]);
    leftOut.push({ path: below + name, why: `only its owner may read ${secret}, and secrets stay out of Git` });
    return [];
  });
  return { others: new Map(others), leftOut };
}
