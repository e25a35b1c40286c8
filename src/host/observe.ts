import { dirname } from "node:path";
import type { Value } from "../core/value.ts";
import { observe as observePlace, type Seen } from "../store/gate/content.ts";
import type { Reader } from "../store/gate/gate.ts";
import type { Content } from "./evaluate/evaluation.ts";
import { contentHash, contentMode } from "./evaluate/evaluation-document.ts";
import { placeUnder, realPlace } from "./target.ts";

/** What stands on the host at one of our paths. */
export interface Observed {
  readonly path: string;
  readonly real: string;
  readonly seen: Seen | { readonly kind: "other" };
  /** As it is compared; undefined where nothing stands. */
  readonly value: Value | undefined;
}

export function observe(reader: Reader, root: string, path: string): Observed {
  const real = realPlace(reader, root, path);
  const seen = observePlace(reader, real);
  return { path, real, seen, value: seenValue(reader, real, seen) };
}

/**
 * The same for a path that is wanted, where other files of ours are about to go: a folder that holds only such files is as good as gone,
 * and what lies below a file or link that goes is not there.
 */
export function observeWanted(reader: Reader, root: string, path: string, going: ReadonlySet<string>): Observed {
  const nothing: Observed = { path, real: placeUnder(root, path), seen: { kind: "absent" }, value: undefined };
  if (ancestorsOf(path).some((ancestor) => going.has(ancestor))) return nothing;
  const observed = observe(reader, root, path);
  return observed.seen.kind === "other" && holdsOnly(reader, root, path, going) ? nothing : observed;
}

export function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) ancestors.push(at);
  return ancestors;
}

/** Whether a folder would be empty, and therefore go, without the files that are going. An empty one is somebody's. */
function holdsOnly(reader: Reader, root: string, folder: string, going: ReadonlySet<string>): boolean {
  const place = placeUnder(root, folder);
  // A pipe or a device is no file either.
  if (reader.stat(place)?.kind !== "folder") return false;
  const names = reader.list(place) ?? [];
  return names.length > 0 && names.every((name) => going.has(`${folder}/${name}`) || holdsOnly(reader, root, `${folder}/${name}`, going));
}

function seenValue(reader: Reader, real: string, seen: Observed["seen"]): Value | undefined {
  if (seen.kind === "absent") return undefined;
  if (seen.kind === "link") return { link: seen.target };
  if (seen.kind === "other") return { other: reader.stat(real)?.kind ?? "other" };
  return { sha256: seen.sha256, mode: (reader.stat(real)?.mode ?? 0).toString(8).padStart(4, "0") };
}

/** The same for what shall stand there. */
export function contentValue(content: Content): Value {
  return content.kind === "symlink" ? { link: content.target } : { sha256: contentHash(content), mode: contentMode(content) };
}
