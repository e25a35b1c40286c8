import { absent, type NextContent } from "../../core/content.ts";
import type { HostDiagnostic } from "../diagnostics.ts";
import type { UnitName } from "../units/unit-kind.ts";

/** What a file holds, or where a link points. Bytes are never looked into, except in units. */
export type DeliveredContent =
  | {
      readonly kind: "file";
      readonly bytes: Uint8Array;
      readonly executable: boolean;
      /** A stricter mode that the service asks for. */
      readonly mode?: number | undefined;
    }
  | { readonly kind: "symlink"; readonly target: string };

/**
 * A content as it is written, or nothing. Modes are ours to set: a repository says which files are programs, and no
 * umask counts.
 */
export function nextContent(content: DeliveredContent | undefined): NextContent {
  if (content === undefined) return absent;
  if (content.kind === "symlink") return { kind: "link", target: content.target };
  return { kind: "file", bytes: content.bytes, mode: { exact: fileMode(content) } };
}

export const fileKinds = ["quadlet", "quadlet-dropin", "quadlet-file", "unit", "unit-dropin", "config"] as const;
export type FileKind = (typeof fileKinds)[number];

export function fileMode({ mode, executable }: Extract<DeliveredContent, { kind: "file" }>): number {
  return mode ?? (executable ? 0o755 : 0o644);
}

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
  readonly content: DeliveredContent;
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
