import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { safeParse } from "valibot";
import { InputError } from "../../core/diagnostic.ts";
import type { Policy } from "../../core/policy.ts";
import type { Template } from "../../readings/template.ts";
import { decodeText } from "../../readings/text.ts";
import type { Reader } from "../../store/gate/gate.ts";
import {
  type InlineManifestData,
  inlineManifestSchema,
  type ManifestData,
  manifestSchema,
  type PolicyData,
  policyFileSchema,
} from "./manifest.ts";
import { manifestFile } from "./manifest-file.ts";
import type { FileField, Pack, PackFile, SourcePlace } from "./pack.ts";
import { describeIssue, placeInYaml, readYaml } from "./read-yaml.ts";
import { templateData } from "./template-data.ts";

export interface ManifestOptions {
  /** The version, where it is not the manifest's own (a program that knows better). */
  readonly version?: string | undefined;
  /** Variables that win over the environment and the manifest's defaults. */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  /** Variables to take from the environment although their names look secret. */
  readonly fromEnv?: readonly string[] | undefined;
}

/** Reads a manifest, or takes one that is an object, with all templates it names. */
export function readPack(reader: Reader, source: string | URL | object, options: ManifestOptions = {}): Pack {
  if (typeof source === "object" && !(source instanceof URL)) return inlinePack(source, options);
  const path = source instanceof URL ? fileURLToPath(source) : source;
  const file = manifestFile(reader, path);
  const text = manifestText(reader, file);
  const data = parseManifest(text, file);
  const folder = dirname(file);
  const earlier = Object.entries(data.earlier ?? {}).map(([version, at]) =>
    placed(
      () => earlierRelease(reader, folder, at, file),
      () => ({ file, ...placeInYaml(text, ["earlier", version]) }),
    ),
  );
  const files = data.files.map((entry, i) => {
    const where = (field: FileField) => ({ file, ...placeInYaml(text, ["files", i, field]) });
    const template = placed(
      () => readTemplate(reader, folder, entry.template, file),
      () => where("template"),
    );
    return packFile(
      entry,
      template,
      earlier.flatMap((release) => release(entry.target, entry.template)),
      where,
    );
  });
  const pack = packOf(data, data.version, files, options);
  const moves = pack.moves.map((move, i) => ({ ...move, where: () => ({ file, ...placeInYaml(text, ["moved", i]) }) }));
  return { ...pack, moves };
}

/** What is wrong with what the manifest says is told with where it says so. */
function placed<T>(read: () => T, where: () => SourcePlace): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InputError && error.diagnostic.code === "unsafe-path"
      ? new InputError({ ...error.diagnostic, ...where() })
      : error;
  }
}

export function readManifest(reader: Reader, file: string): ManifestData {
  return parseManifest(manifestText(reader, file), file);
}

function parseManifest(text: string, file: string): ManifestData {
  return readYaml(text, file, manifestSchema, "invalid-manifest");
}

function manifestText(reader: Reader, file: string): string {
  const bytes = reader.read(file);
  if (bytes === undefined) {
    throw new InputError({
      code: "no-manifest",
      message: "there is no manifest here; name a folder with a stet.yaml, or the file itself",
      file,
    });
  }
  return decodeText(bytes, file);
}

/** A pack may only ship what lies in its own folder: a template is no way to read somebody else's files. */
function readTemplate(reader: Reader, folder: string, name: string, manifest: string): Template {
  const bytes = readInside(reader, folder, name, manifest);
  const path = join(folder, name);
  if (bytes === undefined)
    throw new InputError({ code: "no-template", message: `the manifest names this template, and it is not there`, file: path });
  return { kind: "text", name: path, text: decodeText(bytes, path) };
}

/** The bytes of a file of the pack; undefined where there is none. */
export function readInside(reader: Reader, folder: string, name: string, manifest: string): Uint8Array | undefined {
  return reader.read(pathInside(reader, folder, name, manifest));
}

/** Where something of the pack really is, once links are followed: in the pack, or it is refused. */
function pathInside(reader: Reader, folder: string, name: string, manifest: string): string {
  const [root, path] = [reader.realPath(resolve(folder)), reader.realPath(resolve(folder, name))];
  const inside = relative(root, path);
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside)) {
    throw new InputError({
      code: "unsafe-path",
      message: `${name} lies outside the folder of the manifest; keep templates beside it`,
      file: manifest,
    });
  }
  return path;
}

/** What one earlier release shipped for a target: by its own manifest if it has one, else under today's template name. */
function earlierRelease(reader: Reader, folder: string, at: string, manifest: string): (target: string, template: string) => Template[] {
  const release = join(folder, at);
  if (reader.stat(pathInside(reader, folder, at, manifest))?.kind !== "folder") {
    throw new InputError({
      code: "no-template",
      message: "the manifest names this folder under earlier, and it is not there",
      file: release,
    });
  }
  const ownFile = join(release, "stet.yaml");
  const own = readInside(reader, folder, join(at, "stet.yaml"), manifest) === undefined ? undefined : readManifest(reader, ownFile);
  return (target, template) => {
    const name = own ? own.files.find((file) => file.target === target)?.template : template;
    const bytes = name === undefined ? undefined : readInside(reader, folder, join(at, name), manifest);
    if (name === undefined || bytes === undefined) return [];
    const path = join(release, name);
    return [{ kind: "text", name: path, text: decodeText(bytes, path) }];
  };
}

function inlinePack(source: object, options: ManifestOptions): Pack {
  const parsed = safeParse(inlineManifestSchema, source);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const path = (issue.path ?? []).map((item) => item.key);
    throw new InputError({ code: "invalid-manifest", message: describeIssue(issue, path) });
  }
  const data = parsed.output;
  const version = options.version ?? data.version;
  if (version === undefined) throw new InputError({ code: "invalid-manifest", message: "version is missing" });
  const files = data.files.map((file) => {
    const earlier = Object.values(data.earlier ?? {}).flatMap((release) => {
      const named =
        typeof file.template === "string" ? (member(release, file.template) ?? member(release, file.target)) : member(release, file.target);
      return named === undefined ? [] : [inlineTemplate(named, file.target)];
    });
    return packFile(file, inlineTemplate(namedTemplate(file.template, data), file.target), earlier, undefined);
  });
  return packOf(data, version, files, options);
}

function namedTemplate(template: unknown, data: InlineManifestData): unknown {
  return typeof template === "string" ? (member(data.templates ?? {}, template) ?? template) : template;
}

function member(map: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function inlineTemplate(template: unknown, target: string): Template {
  const name = `template of ${target}`;
  if (typeof template === "string") return { kind: "text", name, text: template };
  if (template instanceof Uint8Array) return { kind: "text", name, text: decodeText(template, name) };
  return { kind: "data", name, value: templateData(template, name) };
}

export function packFile(
  entry: ManifestData["files"][number] | InlineManifestData["files"][number],
  template: Template,
  earlier: readonly Template[],
  where: PackFile["where"],
): PackFile {
  return {
    target: entry.target,
    format: entry.format,
    strategy: entry.strategy,
    profile: entry.profile,
    rules: entry.rules ?? [],
    onlyIf: entry["only-if"],
    os: entry.os,
    template,
    earlier,
    where,
  };
}

export function packOf(
  data: ManifestData | InlineManifestData,
  version: string,
  files: readonly PackFile[],
  options: ManifestOptions,
): Pack {
  return {
    name: data.name,
    version: options.version ?? version,
    vars: Object.fromEntries(Object.entries(data.vars ?? {}).map(([name, value]) => [name, String(value)])),
    given: options.vars ?? {},
    fromEnv: options.fromEnv ?? [],
    files,
    moves: (data.moved ?? []).map((move) => ({ from: move.from, to: move.to, file: move.file, where: undefined })),
    policies: (data.policy ?? []).map(policyOf),
  };
}

/** A policy as manifests, profiles and the user's own file write it. */
export function policyOf(data: PolicyData): Policy {
  return {
    match: data.match,
    file: data.file,
    owner: data.owner,
    whenDeleted: data["when-deleted"],
    whenEdited: data["when-edited"],
    whenPresent: data["when-present"],
    ignore: data.ignore,
    createOnly: data["create-only"],
  };
}

export function userPolicyFile(configHome: string): string {
  return join(configHome, "stet", "policy.yaml");
}

/** The user's own policies, asked before any manifest's. */
export function readUserPolicies(reader: Reader, configHome: string): Policy[] {
  const file = userPolicyFile(configHome);
  const bytes = reader.read(file);
  if (bytes === undefined) return [];
  const data = readYaml(decodeText(bytes, file), file, policyFileSchema, "invalid-policy");
  return (Array.isArray(data) ? data : data.policy).map(policyOf);
}
