import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { compareBytes } from "../units/byte-order.ts";
import type { DropIn } from "./drop-in-files.ts";
import type { PayloadFile } from "./payload.ts";

/** A drop-in under the name it gets on the host. `replaced` is the base file whose name it takes. */
export interface LayeredDropIn {
  readonly name: string;
  readonly dropIn: DropIn;
  readonly layer: "base" | "host";
  readonly replaced: DropIn | undefined;
}

/**
 * The drop-ins of one unit in the order in which podman or systemd will read them: the shared ones first, the host's
 * after them. Both programs sort by name alone, so a host's file whose name sorts too early gets one that does not. A
 * host's file of the same name replaces the shared one, and stands in its place.
 */
export function layerDropIns(
  base: readonly DropIn[],
  host: readonly DropIn[],
): { dropIns: LayeredDropIn[]; diagnostics: HostDiagnostic[] } {
  const replacing = new Map(host.map((dropIn) => [dropIn.name, dropIn]));
  const shared = new Set(base.map((dropIn) => dropIn.name));
  const added = host.filter((dropIn) => !shared.has(dropIn.name)).sort((a, b) => compareBytes(a.name, b.name));
  const last = [...shared]
    .filter((name) => !replacing.has(name))
    .sort(compareBytes)
    .at(-1);
  const renames =
    last === undefined
      ? new Map<string, string>()
      : namesAfter(
          last,
          added.map((dropIn) => dropIn.name),
        );
  const dropIns = [
    ...base.map((dropIn) => sharedOrReplaced(dropIn, replacing.get(dropIn.name))),
    ...added.map(
      (dropIn): LayeredDropIn => ({
        name: renames.get(dropIn.name) ?? dropIn.name,
        dropIn,
        layer: "host",
        replaced: undefined,
      }),
    ),
  ].sort((a, b) => compareBytes(a.name, b.name));
  const renamed = added.filter((dropIn) => renames.has(dropIn.name));
  return { dropIns, diagnostics: renamed.map((dropIn) => tellRename(dropIn, renames.get(dropIn.name)!, last!)) };
}

/** A shared drop-in, or what the host puts in its place. */
function sharedOrReplaced(dropIn: DropIn, replacement: DropIn | undefined): LayeredDropIn {
  if (replacement === undefined) return { name: dropIn.name, dropIn, layer: "base", replaced: undefined };
  return { name: dropIn.name, dropIn: replacement, layer: "host", replaced: dropIn };
}

function tellRename(dropIn: DropIn, name: string, last: string): HostDiagnostic {
  return diagnose(
    "renamed-dropin",
    { file: dropIn.source },
    `is written as ${name}, so that it is read after the shared ${last}`,
  );
}

/**
 * New names for those that sort before `last`: `last` itself in front keeps them behind it and in their own order. If a
 * name that may stay would then come before a renamed one it should follow, all get new names. `names` are in byte
 * order.
 */
function namesAfter(last: string, names: readonly string[]): Map<string, string> {
  const early = names.filter((name) => compareBytes(name, last) < 0);
  const later = names.filter((name) => compareBytes(name, last) > 0);
  const [lastEarly, firstLater] = [early.at(-1), later[0]];
  const overtaken =
    lastEarly !== undefined && firstLater !== undefined && compareBytes(firstLater, behind(last, lastEarly)) <= 0;
  return new Map((overtaken ? names : early).map((name) => [name, behind(last, name)]));
}

function behind(last: string, name: string): string {
  return `${last}-${name}`;
}

export interface LayeredFile {
  readonly path: string;
  readonly file: PayloadFile;
  readonly replaced: PayloadFile | undefined;
}

/**
 * Shared payload with the host's over it: a file of the same path replaces the whole file, other files join. Nothing is
 * merged inside.
 */
export function layerPayload(
  base: readonly PayloadFile[],
  host: readonly PayloadFile[],
): { files: LayeredFile[]; diagnostics: HostDiagnostic[] } {
  const layered = new Map<string, LayeredFile>();
  for (const file of base) layered.set(file.path, { path: file.path, file, replaced: undefined });
  for (const file of host) layered.set(file.path, { path: file.path, file, replaced: layered.get(file.path)?.file });
  const files = [...layered.values()].sort((a, b) => compareBytes(a.path, b.path));
  return { files, diagnostics: files.flatMap((file) => blockedBy(file, layered)) };
}

/** A file where another layer needs a folder. */
function blockedBy(file: LayeredFile, all: ReadonlyMap<string, LayeredFile>): HostDiagnostic[] {
  for (let end = file.path.lastIndexOf("/"); end > 0; end = file.path.lastIndexOf("/", end - 1)) {
    const blocker = all.get(file.path.slice(0, end));
    if (!blocker) continue;
    const message = `needs a folder where ${blocker.file.source} puts a ${blocker.file.content.kind === "file" ? "file" : "link"}`;
    return [diagnose("path-conflict", { file: file.file.source }, message)];
  }
  return [];
}
