import { InputError } from "../core/diagnostic.ts";
import type { ManifestOptions } from "../files/manifest/load-manifest.ts";
import { readPack } from "../files/manifest/load-manifest.ts";
import type { Pack } from "../files/manifest/pack.ts";
import type { Platform } from "../identity/paths/path-context.ts";
import type { Rule } from "../identity/rules/rule.ts";
import type { FormatName, Strategy } from "../readings/reading-data.ts";
import { diskGate } from "../store/gate/disk-gate.ts";

/** A manifest as an object: `stet.yaml`, with its templates inline. A test holds it to the schema. */
export interface ManifestSource {
  /** The owner; its records are kept under this name. */
  readonly name: string;
  /** May come from the options of `loadManifest`. */
  readonly version?: string | undefined;
  /** `project`: installed in each project by itself. */
  readonly scope?: "user" | "project" | undefined;
  /** Variables with their defaults, or one for each platform. */
  readonly vars?: Readonly<Record<string, Scalar | PlatformScalars>> | undefined;
  readonly files?: readonly ManifestFile[] | undefined;
  /** Templates by the name under which `files` and `instructions` refer to them. */
  readonly templates?: Readonly<Record<string, unknown>> | undefined;
  /** By version, what earlier releases shipped: templates by name or target, or `{ from: templates, when }`. */
  readonly earlier?: Readonly<Record<string, EarlierTemplates | Readonly<Record<string, unknown>>>> | undefined;
  /** Entries that got another key. */
  readonly moved?: readonly MovedEntry[] | undefined;
  /** The first match wins, property by property. */
  readonly policy?: readonly ManifestPolicy[] | undefined;
  /** MCP servers for every runtime under `runtimes`. */
  readonly servers?: Readonly<Record<string, ManifestServer>> | undefined;
  /** Hooks for every runtime under `runtimes`. */
  readonly hooks?: readonly ManifestHook[] | undefined;
  /** Instructions for every runtime under `runtimes`. */
  readonly instructions?: string | undefined;
  readonly runtimes?: readonly string[] | "all-installed" | undefined;
}

export interface ManifestFile {
  /** Where it goes. One that ends in `/` is a folder. */
  readonly target: string;
  /** A text, bytes, or data for a structured file; for a folder, a map of its files. */
  readonly template?: unknown;
  /** What a symbolic link holds; in place of a template. */
  readonly link?: string | undefined;
  readonly format?: FormatName | undefined;
  readonly strategy?: Strategy | undefined;
  readonly profile?: string | undefined;
  readonly rules?: readonly Rule[] | undefined;
  /** Of a file with several YAML documents: fields, by dotted path, that tell the one from the others. */
  readonly in?: Readonly<Record<string, Scalar>> | undefined;
  readonly "only-if"?: "exists" | "parent-exists" | undefined;
  readonly os?: readonly Platform[] | undefined;
  /** Octal, as a number or a text: 755, "0755". */
  readonly mode?: number | string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

export type Scalar = string | number | boolean;

export interface PlatformScalars {
  readonly linux?: Scalar | undefined;
  readonly darwin?: Scalar | undefined;
  readonly win32?: Scalar | undefined;
  readonly default?: Scalar | undefined;
}

export interface EarlierTemplates {
  readonly from: Readonly<Record<string, unknown>>;
  /** How to tell that this release was installed here. */
  readonly when?: { readonly exists: string } | undefined;
}

export interface MovedEntry {
  readonly from: string;
  readonly to: string;
  readonly file?: string | undefined;
}

export interface ManifestPolicy {
  /** A pattern over keys: `*` is any text, `\*` a star. */
  readonly match: string;
  readonly file?: string | undefined;
  readonly "when-deleted"?: "restore" | "respect" | undefined;
  readonly "when-edited"?: "merge" | "keep" | "overwrite" | undefined;
  readonly "when-present"?: "keep" | "adopt" | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly "create-only"?: boolean | undefined;
  readonly "on-uninstall"?: "keep" | "remove" | undefined;
}

/** Either a command or a url. */
export interface ManifestServer {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What VS Code asks the user for, by the name that `${input:NAME}` has in the other fields. */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
}

export interface ManifestHook {
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly command: string;
  readonly timeout?: number | undefined;
}

/** A `URL`, or what is like one: the types of Node and of browsers are not needed. */
export interface FileUrl {
  readonly href: string;
  readonly protocol: string;
}

declare const loaded: unique symbol;

/** A manifest with its templates, as `loadManifest` gives it: pass it on itself, not a copy. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scope: "user" | "project";
  readonly [loaded]: true;
}

const packs = new WeakMap<object, Pack>();

/**
 * A manifest from a path, a URL, or an object that carries its templates inline.
 *
 * @example
 * import { loadManifest } from "stet";
 *
 * const manifest = await loadManifest({
 *   name: "chime",
 *   version: "1.0.0",
 *   files: [{ target: "~/.chime/config.json", template: { volume: 3 } }],
 * });
 * console.log(manifest.name, manifest.version); // chime 1.0.0
 */
export async function loadManifest(
  source: string | FileUrl | ManifestSource,
  options: ManifestOptions = {},
): Promise<Manifest> {
  if (typeof source !== "string" && (typeof source !== "object" || source === null)) {
    const message = "loadManifest: pass a folder, a file, a URL or a manifest as an object";
    throw new InputError({ code: "invalid-manifest", message });
  }
  if (isUrl(source) && source.protocol !== "file:") {
    const message = `loadManifest: ${source.href} is not the URL of a file; only those can be read`;
    throw new InputError({ code: "invalid-manifest", message });
  }
  return asManifest(readPack(diskGate(), isUrl(source) ? new URL(source.href) : source, options));
}

function isUrl(source: string | FileUrl | ManifestSource): source is FileUrl {
  return typeof source === "object" && source !== null && "href" in source && "protocol" in source;
}

export function asManifest(pack: Pack): Manifest {
  const { name, version, scope } = pack;
  const manifest = Object.freeze({ name, version, scope }) as Manifest;
  packs.set(manifest, pack);
  return manifest;
}

export function isManifest(source: unknown): source is Manifest {
  return typeof source === "object" && source !== null && packs.has(source);
}

/** What a manifest holds. A program that passes something else gets told what to do. */
export function packOf(manifest: Manifest): Pack {
  const pack = isManifest(manifest) ? packs.get(manifest) : undefined;
  if (pack !== undefined) return pack;
  const what =
    (manifest as unknown) instanceof Promise
      ? "this is a promise of a manifest: await loadManifest(…)"
      : "this is not a manifest that loadManifest gave: pass await loadManifest(…), itself and not a copy of it; import and require have one each";
  throw new InputError({ code: "invalid-manifest", message: what });
}
