import { join } from "node:path";
import type { Diagnostic, TextPosition } from "../../core/diagnostic.ts";
import type { Policy } from "../../core/policy.ts";
import type { DocumentSelector } from "../../formats/format.ts";
import type { Platform } from "../../identity/paths/path-context.ts";
import type { Rule } from "../../identity/rules/rule.ts";
import type { FormatName, Strategy } from "../../readings/reading-data.ts";
import type { Template } from "../../readings/template.ts";
import type { Reader } from "../../store/gate/gate.ts";

/**
 * A manifest with everything it refers to read in: what an owner wants, as data, before anything is known of the
 * machine.
 */
export interface Pack {
  readonly name: string;
  readonly version: string;
  /** `project`: installed in each project by itself. */
  readonly scope: "user" | "project";
  /** Defaults; `--set` and the environment win. */
  readonly vars: Readonly<Record<string, PlatformText>>;
  /** From `--set`, or given by the program: wins over everything. */
  readonly given: Readonly<Record<string, string>>;
  /** From `--from-env`: variables that the environment may give although their names look secret. */
  readonly fromEnv: readonly string[];
  readonly files: readonly PackFile[];
  readonly moves: readonly Move[];
  readonly policies: readonly Policy[];
  /** What earlier releases shipped, in the manifest's order. */
  readonly earlier: readonly EarlierRelease[];
  /** What there is to say of the manifest itself, wherever it is installed. */
  readonly notes: readonly Diagnostic[];
}

/** A text, or one for each platform. */
export type PlatformText = string | Readonly<Partial<Record<Platform | "default", string>>>;

export interface PackFile {
  readonly target: string;
  readonly format: FormatName | undefined;
  readonly strategy: Strategy | undefined;
  readonly profile: string | undefined;
  readonly rules: readonly Rule[];
  /** Which document of a file with several, or which ones, where several files of the manifest are joined. */
  readonly in?: DocumentSelector | readonly DocumentSelector[] | undefined;
  readonly onlyIf: "exists" | "parent-exists" | undefined;
  /** Only where this folder is: a runtime's own, for a file in a folder below it that may have to be made. */
  readonly onlyWith?: string | undefined;
  readonly os: readonly string[] | undefined;
  readonly template: Template;
  /** What declarations for runtimes want of the same file. */
  readonly also?: readonly Template[] | undefined;
  /** Of a file in a folder that is a target as a whole. */
  readonly folder: FolderMember | undefined;
  /**
   * Where the manifest's text says this of it, for a message; undefined where there is no text. Looked for only when
   * something is wrong.
   */
  readonly where: ((field: FileField) => ManifestPosition) | undefined;
}

/** A release from before there were records, as the pack it was. */
export interface EarlierRelease {
  readonly version: string;
  /** A path that is there exactly where this release was installed. Undefined: its entries tell. */
  readonly exists: string | undefined;
  readonly pack: Pack;
}

/** One file of a folder: the folder is the target, and this its path below it. */
export interface FolderMember {
  readonly target: string;
  readonly name: string;
}

export type FileField =
  | "target"
  | "template"
  | "profile"
  | "rules"
  | "mode"
  | "link"
  | "include"
  | "exclude"
  | "strategy";

export interface ManifestPosition extends TextPosition {
  readonly file: string;
}

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly file: string | undefined;
  /** As of a file. */
  readonly where: (() => ManifestPosition) | undefined;
}

/** A manifest may be named by its folder. Here, and not where manifests are read: the fast path needs nothing else. */
export function manifestFile(reader: Reader, path: string): string {
  return reader.stat(reader.realPath(path))?.kind === "folder" ? join(path, "stet.yaml") : path;
}
