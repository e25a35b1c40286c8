import { InputError } from "../../core/diagnostic.ts";
import type { Release } from "../../core/earlier.ts";
import { isList, isMap, type Value } from "../../core/value.ts";
import { expandHome, type Machine } from "../../engine/machine.ts";
import { type FileDesired, type FileRecorded, recordOf } from "../../entries/file-entry.ts";
import { canonicalCommand } from "../../identity/commands/commands.ts";
import type { PathContext } from "../../identity/paths/path-context.ts";
import { canonicalPath } from "../../identity/paths/paths.ts";
import type { Strategy } from "../../readings/reading-data.ts";
import type { Variables } from "../../readings/template.ts";
import { withoutTrailing } from "../../text/lines.ts";
import type { EarlierRelease, Pack, PackFile } from "../manifest/pack.ts";
import { substituteTarget, targetVariables, variablesOf } from "../manifest/variables.ts";
import { joinDocuments } from "./documents.ts";

/** What a release shipped for one file. */
export interface EarlierFile {
  readonly release: EarlierRelease;
  readonly file: PackFile;
  /** What the release's own targets and templates may name. */
  readonly inTargets: Variables;
  readonly variables: Variables;
}

/** The files of earlier releases, by where they are on this machine. `identityOf` throws where nobody can tell. */
export function earlierFiles(
  pack: Pack,
  machine: Machine,
  identityOf: (file: PackFile, variables: Variables) => string,
): Map<string, EarlierFile[]> {
  const found = new Map<string, EarlierFile[]>();
  for (const release of pack.earlier) {
    const variables = variablesOf(release.pack, machine);
    const inTargets = targetVariables(variables, machine);
    for (const file of release.pack.files) {
      const identity = tolerant(() => identityOf(file, inTargets));
      if (identity === undefined) continue;
      const others = (found.get(identity) ?? []).filter((each) => each.release !== release);
      const twin = found.get(identity)?.find((each) => each.release === release);
      const all = twin ? joinDocuments(twin.file, file, file.target) : file;
      found.set(identity, [...others, { release, file: all, inTargets, variables }]);
    }
  }
  return found;
}

/** A target that today's rules refuse has nothing of an earlier release, as far as anybody can tell. */
function tolerant<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

interface Setting {
  readonly pack: Pick<Pack, "vars">;
  /** Today's. */
  readonly variables: Variables;
  readonly context: PathContext;
  readonly strategy: Strategy;
  exists(path: string): boolean;
}

/** What earlier releases shipped for one file, as the records they would have left. */
export function releasesOf(
  earlier: readonly EarlierFile[],
  shipped: (file: EarlierFile) => readonly FileDesired[],
  { pack, variables, context, strategy, exists }: Setting,
): Release<FileRecorded>[] {
  if (earlier.length === 0) return [];
  const folders = ownFolders(pack, variables, context);
  return earlier.map((each) => {
    const { version, exists: test, pack: then } = each.release;
    const all = [...folders, ...ownFolders(then, each.inTargets, context)];
    // A block is marked with the owner's name, and of a whole file every byte has to be the same.
    const isOwn = strategy === "entries" ? (entry: FileRecorded) => namesPathIn(entry.value, all, context) : () => true;
    const entries = shipped(each).map((entry) => recordOf(entry, version));
    const installed =
      test === undefined ? undefined : exists(expandHome(substituteTarget(test, variables), context.home));
    return { installed, entries, own: new Set(entries.filter(isOwn)) };
  });
}

/**
 * The folders that the manifest's variables name: only this owner has something there. The home itself is everybody's.
 */
function ownFolders({ vars }: Pick<Pack, "vars">, variables: Variables, context: PathContext): string[] {
  const home = canonicalPath(context.home, context);
  return Object.keys(vars).flatMap((name) => {
    const text = variables.get(name) ?? "";
    const folder = /^(?:[~/\\]|[A-Za-z]:[\\/])/.test(text) ? withoutTrailing(canonicalPath(text, context), "/") : "";
    return folder === "" || folder === home || home.startsWith(`${folder}/`) ? [] : [folder];
  });
}

/** Whether a text somewhere in a value, read as a command or a path, names something in one of the folders. */
function namesPathIn(value: Value, folders: readonly string[], context: PathContext): boolean {
  if (isList(value)) return value.some((item) => namesPathIn(item, folders, context));
  if (isMap(value)) return Object.keys(value).some((name) => namesPathIn(value[name]!, folders, context));
  if (typeof value !== "string" || folders.length === 0) return false;
  const command = canonicalCommand(value, context);
  return folders.some((folder) => namesFolder(command, folder));
}

/** The folder, or what is below it, as a word of its own: `/home/u/zylos-old` is not in `/home/u/zylos`. */
function namesFolder(command: string, folder: string): boolean {
  for (let at = command.indexOf(folder); at !== -1; at = command.indexOf(folder, at + 1)) {
    const [before, after] = [command[at - 1] ?? " ", command[at + folder.length] ?? " "];
    if (/[\s"'=:,;(]/.test(before) && /[\s"'/:,;)]/.test(after)) return true;
  }
  return false;
}
