import { resolve } from "node:path";
import { closest, didYouMean, InputError } from "../../core/diagnostic.ts";
import { expandHome, type Machine, pathContext } from "../../engine/machine.ts";
import { ownersOf, readRecords } from "../../engine/records.ts";
import { canonicalPath } from "../../identity/paths/paths.ts";

/** An entry that some owner records, or wants and waits for. */
export interface KnownEntry {
  readonly owner: string;
  /** The registry's name of the file. */
  readonly section: string;
  readonly key: string;
}

export interface Query {
  /** `KEY`, `FILE#KEY`, an unambiguous part of a key, or a file. */
  readonly text: string;
  readonly owner?: string | undefined;
  /** Where file names begin that are not absolute. */
  readonly folder?: string | undefined;
}

/** Every entry on record, in order. */
export function knownEntries(machine: Machine, owner?: string): KnownEntry[] {
  const owners = owner === undefined ? ownersOf(machine) : [owner];
  const context = pathContext(machine, []);
  return owners.flatMap((name) => {
    const registry = readRecords(machine.gate, machine, name, context);
    return Object.entries(registry?.files ?? {}).flatMap(([section, record]) =>
      [...new Set([...Object.keys(record.entries), ...Object.keys(record.wanted ?? {})])].map((key) => ({
        owner: name,
        section,
        key,
      })),
    );
  });
}

/** The one entry a query means; an error lists what it could mean. */
export function findEntry(machine: Machine, query: Query): KnownEntry {
  const found = matching(machine, query);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw nothingFound(machine, query);
  const shown = found.slice(0, 6).map((entry) => `${entry.section}#${entry.key} (${entry.owner})`);
  const owners = new Set(found.map((entry) => entry.owner)).size > 1 ? ", or --owner NAME" : "";
  const message = `${query.text} could mean ${shown.join(", ")}${found.length > 6 ? ", …" : ""}; name one of them as FILE#KEY${owners}`;
  throw new InputError({ code: "ambiguous-key", message });
}

/** The one entry a query means, once for each owner that has it in the same file. */
export function findKnown(machine: Machine, query: Query): KnownEntry[] {
  const found = matching(machine, query);
  const [first] = found;
  const inFile = first ? sectionsOf(machine, first.section) : () => false;
  const one = found.every((entry) => entry.key === first!.key && inFile(entry.section));
  return one && found.length > 0 ? found : [findEntry(machine, query)];
}

/** All entries of a file; none where the query names no file on record. */
export function entriesOfFile(machine: Machine, { text, owner, folder }: Query): KnownEntry[] {
  return inFileNamed(knownEntries(machine, owner), machine, text, folder);
}

/** Names of files begin in the folder somebody stands in. Reports spell a project's from its root: these come second. */
function inFileNamed(
  all: readonly KnownEntry[],
  machine: Machine,
  file: string,
  folder: string | undefined,
): KnownEntry[] {
  for (const from of new Set([folder, machine.project?.root ?? folder])) {
    const isIn = sectionsOf(machine, file, from);
    const found = all.filter((entry) => isIn(entry.section));
    if (found.length > 0) return found;
  }
  return [];
}

export function matching(machine: Machine, { text, owner, folder }: Query): KnownEntry[] {
  const all = knownEntries(machine, owner);
  const exact = all.filter((entry) => entry.key === text);
  if (exact.length > 0) return exact;
  // A key may hold a hash itself, so every one of them may be where the file ends.
  for (let at = text.indexOf("#"); at !== -1; at = text.indexOf("#", at + 1)) {
    const [file, key] = [text.slice(0, at), text.slice(at + 1)];
    const inFile = inFileNamed(all, machine, file, folder);
    if (inFile.length > 0) return narrow(inFile, key);
  }
  return narrow(all, text);
}

function narrow(entries: readonly KnownEntry[], key: string): KnownEntry[] {
  const exact = entries.filter((entry) => entry.key === key);
  return exact.length > 0 ? exact : entries.filter((entry) => entry.key.includes(key));
}

/**
 * Which sections of registries are about a file, however it is spelt. Each is looked at once, however many entries it
 * has.
 */
function sectionsOf(machine: Machine, file: string, folder?: string): (section: string) => boolean {
  const context = pathContext(machine, []);
  const path = expandHome(file, machine.home);
  const wanted = canonicalPath(folder === undefined ? path : resolve(folder, path), context);
  const known = new Map<string, boolean>();
  return (section) => {
    const same = known.get(section) ?? canonicalPath(expandHome(section, machine.home), context) === wanted;
    known.set(section, same);
    return same;
  };
}

function nothingFound(machine: Machine, { text, owner }: Query): InputError {
  const owners = ownersOf(machine);
  if (owner !== undefined && !owners.includes(owner)) return unknownOwner(owner, machine);
  const whose = owner === undefined ? "" : ` of ${owner}`;
  const meant = closestKey(text, machine, owner);
  const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`;
  return new InputError({
    code: "unknown-key",
    message: `no entry${whose} on record is called ${/\s/.test(text) ? `'${text}'` : text}${hint}; to list them: ${machine.program} status -v`,
  });
}

/** By the whole key, by what follows its type, or by its last word: people type a part. */
function closestKey(text: string, machine: Machine, owner: string | undefined): string | undefined {
  const names = new Map<string, string>();
  for (const { key } of knownEntries(machine, owner))
    for (const name of [key, key.slice(key.indexOf(":") + 1), key.split(/[:./ ]/).at(-1)!])
      if (!names.has(name)) names.set(name, key);
  const wanted = text.slice(text.lastIndexOf("#") + 1);
  // Whoever asks in a sentence names the thing somewhere in it.
  const name = closest(wanted, names.keys()) ?? wanted.split(/\s+/).find((word) => word.length > 2 && names.has(word));
  return name === undefined ? undefined : names.get(name);
}

/** `others`: where else owners are installed that may have been meant. */
export function unknownOwner(name: string, machine: Machine, others: readonly Machine[] = []): InputError {
  const hint = didYouMean(name, new Set([machine, ...others].flatMap((each) => ownersOf(each))));
  return new InputError({
    code: "unknown-owner",
    message: `nothing is installed under the name ${name}${hint}; see: ${machine.program} status`,
  });
}
