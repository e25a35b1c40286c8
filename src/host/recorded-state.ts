import { InputError } from "../core/diagnostic.ts";
import type { PlaceRecord } from "../core/records.ts";
import { isMap } from "../core/value.ts";
import { sha256 } from "../store/gate/content.ts";
import type { Reader } from "../store/gate/gate.ts";
import { readObject } from "../store/records/generations.ts";

import type { KeptContent } from "../store/transaction/transaction.ts";
import { type DeliveredContent, type EvaluatedFile, type EvaluatedHost, isPayload } from "./evaluate/evaluation.ts";
import { contentHash } from "./evaluate/evaluation-document.ts";
import { entryOf, type HostRegistry, memoryOf } from "./registry.ts";
import { type HostTarget, ownerName, realPlace } from "./target.ts";
import { parseUnitName, type UnitName } from "./units/unit-kind.ts";

/** The desired state that is on record: what a commit wanted, whatever was edited on the host since. */
export function recordedState(reader: Reader, target: HostTarget, registry: HostRegistry | undefined): EvaluatedHost {
  const files = Object.entries(registry?.files ?? {}).flatMap(([path, place]): EvaluatedFile[] => {
    const memory = memoryOf(place);
    const content = contentOf(reader, target, path, place);
    if (memory === undefined || content === undefined) return [];
    const { kind, service } = memory;
    return [{ path, kind, service, origin: [path], content, unit: isPayload(kind) ? undefined : unitOf(path) }];
  });
  return {
    host: registry?.host ?? "",
    services: [...new Set(files.map((file) => file.service))],
    files,
    diagnostics: [],
  };
}

/** The bytes that were wanted: kept in the history, or else still in place. */
function contentOf(reader: Reader, target: HostTarget, path: string, place: PlaceRecord): DeliveredContent | undefined {
  const entry = entryOf(place)?.[1];
  if (entry === undefined || entry.state !== undefined || !isMap(entry.value)) return undefined;
  const { sha256: hash, mode, link } = entry.value;
  if (typeof link === "string") return { kind: "symlink", target: link };
  if (typeof hash !== "string") return undefined;
  const bytes =
    bytesInPlace(reader, realPlace(reader, target.root, path), hash) ?? bytesKept(reader, target, path, hash);
  const recorded = typeof mode === "string" ? Number.parseInt(mode, 8) : 0o644;
  return { kind: "file", bytes, executable: (recorded & 0o111) !== 0, mode: recorded };
}

function bytesInPlace(reader: Reader, real: string, hash: string): Uint8Array | undefined {
  const bytes = reader.stat(real)?.kind === "file" ? reader.read(real) : undefined;
  return bytes && sha256(bytes) === hash ? bytes : undefined;
}

function bytesKept(reader: Reader, target: HostTarget, path: string, hash: string): Uint8Array {
  try {
    return readObject(reader, target.stateDir, ownerName(target), hash);
  } catch (error) {
    // A disk that can't be read now may be readable later: only what is gone is no longer kept.
    if (!(error instanceof InputError) || error.diagnostic.code !== "generation-damaged") throw error;
    const message = `${path} as that commit wanted it is no longer kept; apply the commit itself with --rev instead`;
    throw new InputError({ code: "not-kept", message });
  }
}

/** `…/web.container`, or the `web.container` of `…/web.container.d/10-a.conf`. */
function unitOf(path: string): UnitName | undefined {
  const segments = path.split("/");
  const folder = segments.at(-2) ?? "";
  return parseUnitName(folder.endsWith(".d") ? folder.slice(0, -2) : (segments.at(-1) ?? ""));
}

/** What has to be kept so that the states before and after a run can be made again. */
export function contentsToKeep(evaluation: EvaluatedHost, registry: HostRegistry | undefined): KeptContent[] {
  const wanted = evaluation.files.flatMap(({ content }) =>
    content.kind === "file" ? [{ sha256: contentHash(content), bytes: content.bytes }] : [],
  );
  const before = Object.values(registry?.files ?? {}).flatMap((place) => {
    const value = entryOf(place)?.[1].value;
    return isMap(value) && typeof value.sha256 === "string" ? [{ sha256: value.sha256, bytes: undefined }] : [];
  });
  return [...wanted, ...before];
}
