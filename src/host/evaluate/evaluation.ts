import { closeSync, fchmodSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileOrLink, octalMode } from "../../core/content.ts";
import { type Diagnostic, InputError } from "../../core/diagnostic.ts";
import { sha256 } from "../../store/gate/content.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { makeFolders } from "../../store/records/state-dir.ts";
import type { HostDiagnostic } from "../diagnostics.ts";
import type { UnitName } from "../units/unit-kind.ts";

/** A file as it is delivered. Its mode is ours to set: a repository only says which files are programs. */
export function deliveredFile(bytes: Uint8Array, isProgram = false): FileOrLink {
  return { kind: "file", bytes, mode: isProgram ? 0o755 : 0o644 };
}

/** A file of a service or a host that is no unit: below its `config/`, or beside units of which one names it. */
export interface LayerFile {
  /** Below the layer's folder: `etc/traefik/traefik.toml`, `web.env`. */
  readonly path: string;
  readonly source: string;
  readonly content: FileOrLink;
}

/** The bytes that the name of a file has room for. */
export const nameLimit = 255;

/** The folders above a file, the innermost first. */
export function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) ancestors.push(at);
  return ancestors;
}

export const fileKinds = ["quadlet", "quadlet-dropin", "quadlet-file", "unit", "unit-dropin", "config"] as const;
export type FileKind = (typeof fileKinds)[number];

/**
 * Whether a file is something that units use, rather than a part of one: in a service's config, or beside a unit that
 * names it.
 */
export function isPayload(kind: FileKind): boolean {
  return kind === "config" || kind === "quadlet-file";
}

/** One file of the desired state, as it shall stand on the host. */
export interface EvaluatedFile {
  /** Absolute, as on the host. */
  readonly path: string;
  readonly kind: FileKind;
  readonly service: string;
  /** Where it comes from in the repository, lowest layer first; the last one is the one whose bytes count. */
  readonly origin: readonly string[];
  /** Bytes are never looked into, except in units. */
  readonly content: FileOrLink;
  /** The unit this is, or is a drop-in of; undefined for payload. */
  readonly unit: UnitName | undefined;
}

/**
 * The concrete desired state of one host, or why there is none. Where a diagnostic is an error, nothing may be planned
 * from it.
 */
export interface EvaluatedHost {
  readonly host: string;
  /** In the order of host.yaml. */
  readonly services: readonly string[];
  /** In byte order of the path. */
  readonly files: readonly EvaluatedFile[];
  readonly diagnostics: readonly HostDiagnostic[];
}

/** Where things go on a host: absolute paths as the host sees them. */
export interface Layout {
  readonly quadletFolder: string;
  readonly unitFolder: string;
  /** What `etc` of a payload means. */
  readonly configFolder: string;
  /** What `%h` means in units. */
  readonly home?: string | undefined;
}

export const systemLayout: Layout = {
  quadletFolder: "/etc/containers/systemd",
  unitFolder: "/etc/systemd/system",
  configFolder: "/etc",
};

/** What `stet host evaluate --json` prints. */
export interface EvaluationDocument {
  readonly host: string;
  /** The commit, with `-dirty` where the folder differs from it; null where there is none. */
  readonly rev: string | null;
  readonly services: readonly string[];
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly mode: string;
    readonly kind: FileKind;
    readonly service: string;
    readonly origin: readonly string[];
    /** Only of a symbolic link: where it points. */
    readonly link?: string;
  }[];
  readonly diagnostics: readonly Diagnostic[];
}

export function evaluationDocument(evaluation: EvaluatedHost, rev: string | undefined): EvaluationDocument {
  return {
    host: evaluation.host,
    rev: rev ?? null,
    services: evaluation.services,
    files: evaluation.files.map(({ path, kind, service, origin, content }) => ({
      path,
      sha256: contentHash(content),
      mode: contentMode(content),
      kind,
      service,
      origin,
      ...(content.kind === "link" ? { link: content.target } : {}),
    })),
    diagnostics: evaluation.diagnostics,
  };
}

/** Of the bytes, or of a link's target. */
export function contentHash(content: FileOrLink): string {
  return sha256(content.kind === "file" ? content.bytes : content.target);
}

/** As octal text, and 0777 for a link, as `ls` has it. */
export function contentMode(content: FileOrLink): string {
  return content.kind === "link" ? "0777" : octalMode(content.mode);
}

/** Writes the desired state below a folder, for people to look at and for images to be built from. */
export function writeTree(evaluation: EvaluatedHost, folder: string, gate: Gate): void {
  refuseForeignLinks(gate, folder);
  if ((gate.list(folder) ?? []).length > 0)
    throw new InputError({
      code: "folder-not-empty",
      file: folder,
      message: "--output-dir must be a new or empty folder",
    });
  writeFiles(
    gate,
    folder,
    evaluation.files.map(({ path, content }) => [path, content]),
  );
}

/** Files and links below a folder, which is made if it is missing. Nothing that stands there is replaced. */
export function writeFiles(gate: Gate, folder: string, files: Iterable<readonly [string, FileOrLink]>): void {
  const made = new Set<string>();
  const make = (path: string): void => {
    // Node's own recursive one never ends where nothing can be made, as in /proc.
    if (!made.has(path)) makeFolders(gate, path, 0o777);
    made.add(path);
  };
  make(folder);
  for (const [path, content] of files) {
    const place = join(folder, path);
    make(dirname(place));
    if (content.kind === "link") symlinkSync(content.target, place);
    else writeNew(place, content.bytes, content.mode);
  }
}

/** No umask counts. */
function writeNew(place: string, bytes: Uint8Array, mode: number): void {
  const file = openSync(place, "wx", mode);
  try {
    writeFileSync(file, bytes);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}
