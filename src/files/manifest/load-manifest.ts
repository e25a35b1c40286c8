import { isUtf8 } from "node:buffer";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { safeParse } from "valibot";
import { InputError } from "../../core/diagnostic.ts";
import type { Policy } from "../../core/policy.ts";
import { formatFor } from "../../readings/reading-data.ts";
import type { Template } from "../../readings/template.ts";
import { decodeText } from "../../readings/text-reading.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { withoutTrailing } from "../../text/lines.ts";
import {
  type InlineManifestData,
  inlineManifestSchema,
  type ManifestData,
  manifestSchema,
  type PolicyData,
  policyFileSchema,
} from "./manifest.ts";
import {
  type EarlierRelease,
  type FileField,
  type ManifestPosition,
  manifestFile,
  type Pack,
  type PackFile,
  type PlatformText,
} from "./pack.ts";
import { modeOf, type PackFolder, pathInside, readShipped, type Shipped, templateData } from "./read-template.ts";
import { describeIssue, positionInYaml, readYaml } from "./read-yaml.ts";
import { type DeclaredFiles, withDeclarations } from "./runtimes.ts";

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
  const here: PackFolder = { reader, root: folder, at: "", manifest: file };
  const files = data.files.flatMap((entry, i) => {
    const where = (field: FileField) => ({ file, ...positionInYaml(text, ["files", i, field]) });
    const shipped = positioned(
      () => readShipped(here, entry),
      () => where("template"),
    );
    if (shipped.length === 0 && !entry.target.endsWith("/")) throw noTemplate(reader, join(folder, entry.template!));
    return shipped.map((each) => packFile(entry, each, where));
  });
  const [named] =
    data.instructions === undefined ? [] : readShipped(here, { target: "AGENTS.md", template: data.instructions });
  if (data.instructions !== undefined && named === undefined) throw noTemplate(reader, join(folder, data.instructions));
  const earlier = earlierFolders(data).map(({ from, ...release }) =>
    positioned(
      () => ({ ...release, pack: earlierPack({ ...here, at: from }, data, release.version, options) }),
      () => ({ file, ...positionInYaml(text, ["earlier", release.version]) }),
    ),
  );
  const said = (["runtimes", "servers", "hooks", "instructions"] as const).find((name) => data[name] !== undefined);
  const declared = positioned(
    () => declaredFiles(data, files, named?.template),
    () => ({ file, ...positionInYaml(text, [said!]) }),
  );
  const pack = packOf(data, data.version, declared, options);
  const moves = pack.moves.map((move, i) => ({
    ...move,
    where: () => ({ file, ...positionInYaml(text, ["moved", i]) }),
  }));
  return { ...pack, moves, earlier };
}

/** What is wrong with what the manifest says is told with where it says so. */
function positioned<T>(read: () => T, where: () => ManifestPosition): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InputError &&
      ["unsafe-path", "invalid-manifest", "unknown-runtime"].includes(error.diagnostic.code)
      ? new InputError({ ...error.diagnostic, ...where() })
      : error;
  }
}

function readManifest(reader: Reader, file: string): ManifestData {
  return parseManifest(manifestText(reader, file), file);
}

/** What a manifest says by name. */
const manifestMaps = ["vars", "earlier", "templates", "servers"];

function parseManifest(text: string, file: string): ManifestData {
  return readYaml(text, file, manifestSchema, "invalid-manifest", manifestMaps);
}

function manifestText(reader: Reader, file: string): string {
  const bytes = reader.read(file);
  if (bytes === undefined) {
    const isThere = basename(file) === "stet.yaml" && reader.stat(reader.realPath(dirname(file)))?.kind === "folder";
    const what = isThere ? "there is no manifest here" : "there is no manifest here, and no such folder";
    const message = `${what}; name a folder with a stet.yaml, or the file itself`;
    throw new InputError({ code: "no-manifest", message, file });
  }
  return decodeText(bytes, file);
}

function noTemplate(reader: Reader, file: string): InputError {
  if (reader.stat(reader.realPath(file))?.kind === "folder")
    return new InputError({ code: "no-template", message: "this folder has no file to ship", file });
  return new InputError({
    code: "no-template",
    message: "the manifest names this template, but it is not there",
    file,
  });
}

/**
 * An earlier release as the pack it was: its own manifest says what it shipped and where; without one its templates have
 * today's names. A template that is not there was not shipped.
 */
function earlierPack(release: PackFolder, today: ManifestData, version: string, options: ManifestOptions): Pack {
  const { reader, root, at } = release;
  if (reader.stat(pathInside(release, ""))?.kind !== "folder") {
    throw new InputError({
      code: "no-template",
      message: "the manifest names this folder under earlier, but it is not there",
      file: join(root, at),
    });
  }
  const hasOwn = reader.read(pathInside(release, "stet.yaml")) !== undefined;
  const data = hasOwn ? readManifest(reader, join(root, at, "stet.yaml")) : today;
  const files = data.files.flatMap((entry) =>
    readShipped(release, entry).map((shipped) => packFile(entry, shipped, undefined)),
  );
  const [named] =
    hasOwn && data.instructions !== undefined
      ? readShipped(release, { target: "AGENTS.md", template: data.instructions })
      : [];
  const all = hasOwn ? declaredFiles(data, files, named?.template) : { files, notes: [] };
  return packOf({ ...data, moved: [] }, version, all, { ...options, version });
}

function inlinePack(source: object, options: ManifestOptions): Pack {
  const parsed = safeParse(inlineManifestSchema, source);
  const lists = manifestMaps.filter((name) => Array.isArray((source as Record<string, unknown>)[name]));
  if (!parsed.success || lists.length > 0) {
    const issues = (parsed.issues ?? []).map((issue) =>
      describeIssue(
        issue,
        (issue.path ?? []).map((item) => item.key),
        inlineManifestSchema,
      ),
    );
    const messages = [...lists.map((name) => `${name} must be a map`), ...issues];
    const [first, ...others] = messages.map((message) => ({ code: "invalid-manifest" as const, message }));
    throw new InputError(first!, others);
  }
  const data = parsed.output;
  const version = options.version ?? data.version;
  if (version === undefined) throw new InputError({ code: "invalid-manifest", message: "version is missing" });
  const files = data.files.flatMap((file) =>
    inlineShipped({ ...file, template: namedTemplate(file.template, data) }).map((each) =>
      packFile(file, each, undefined),
    ),
  );
  const text = data.instructions;
  const instructions =
    text === undefined
      ? undefined
      : ({ kind: "text", name: "instructions", text: String(namedTemplate(text, data)) } as const);
  const pack = packOf(data, version, declaredFiles(data, files, instructions), options);
  const earlier = inlineReleases(data).map(({ from, ...release }) => {
    const shipped = packOf(
      { ...data, moved: [] },
      release.version,
      { files: inlineEarlier(from, data), notes: [] },
      options,
    );
    return { ...release, pack: { ...shipped, version: release.version } };
  });
  return { ...pack, earlier };
}

/** What a release shipped, by the names of today's templates or targets, or under targets that are no longer named. */
function inlineEarlier(from: InlineTemplates, { files }: InlineManifestData): PackFile[] {
  const names = files.flatMap(({ template, target }) => (typeof template === "string" ? [template, target] : [target]));
  const gone = Object.keys(from).filter((name) => !names.includes(name));
  const still = files.flatMap((file) => {
    const byTarget = member(from, file.target);
    const template = typeof file.template === "string" ? (member(from, file.template) ?? byTarget) : byTarget;
    return template === undefined ? [] : [{ ...file, template }];
  });
  return [...still, ...gone.map((target) => ({ target, template: from[target] }))].flatMap((file) =>
    inlineShipped(file).map((each) => packFile(file, each, undefined)),
  );
}

function declaredFiles(
  data: ManifestData | InlineManifestData,
  files: readonly PackFile[],
  instructions: Template | undefined,
): DeclaredFiles {
  const { scope = "user", servers = {}, hooks = [] } = data;
  const isDeclared = Object.keys(servers).length > 0 || hooks.length > 0 || instructions !== undefined;
  if (!isDeclared) return { files, notes: [] };
  if (data.runtimes === undefined) {
    const message =
      "servers, hooks and instructions need runtimes to go to; name them: runtimes: [claude-code, codex], or all-installed";
    throw new InputError({ code: "invalid-manifest", message });
  }
  return withDeclarations(files, { owner: data.name, scope, runtimes: data.runtimes, servers, hooks, instructions });
}

/** The earlier releases that a manifest names, each with the folder it is in. */
function earlierFolders({ earlier }: ManifestData): (Named & { readonly from: string })[] {
  return Object.entries(earlier ?? {}).map(([version, release]) =>
    typeof release === "string"
      ? { version, from: release, exists: undefined }
      : { version, from: release.from, exists: release.when?.exists },
  );
}

type Named = Omit<EarlierRelease, "pack">;
type InlineTemplates = Readonly<Record<string, unknown>>;

function inlineReleases({ earlier }: InlineManifestData): (Named & { readonly from: InlineTemplates })[] {
  return Object.entries(earlier ?? {}).map(([version, release]) => {
    const { from, when } = release as { from?: unknown; when?: { exists: string } };
    const isNested = typeof from === "object" && from !== null && !(from instanceof Uint8Array);
    return isNested
      ? { version, from: from as InlineTemplates, exists: when?.exists }
      : { version, from: release as InlineTemplates, exists: undefined };
  });
}

function namedTemplate(template: unknown, data: InlineManifestData): unknown {
  return typeof template === "string" ? (member(data.templates ?? {}, template) ?? template) : template;
}

function member(map: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** What a program gives for a target: a file, a link, or for a folder a map of its files by their path below it. */
function inlineShipped(file: InlineManifestData["files"][number]): Shipped[] {
  const { target, template, link } = file;
  if ((template === undefined) === (link === undefined))
    throw new InputError({ code: "invalid-manifest", message: `${target} needs either a template or a link` });
  if (link !== undefined)
    return [{ target, folder: undefined, template: { kind: "link", name: `link of ${target}`, target: link } }];
  const mode = modeOf(file.mode);
  const isWhole = file.strategy === "whole";
  if (!target.endsWith("/"))
    return [{ target, folder: undefined, template: inlineTemplate(template, target, isWhole, mode) }];
  if (typeof template !== "object" || template === null || template instanceof Uint8Array)
    throw new InputError({
      code: "malformed-template",
      message: `${target} is a folder, so its template must map paths to texts`,
    });
  const folder = withoutTrailing(target, "/");
  return Object.entries(template).map(([name, content]) => {
    const path = `${folder}/${name}`;
    return { target: path, folder: { target: folder, name }, template: inlineTemplate(content, path, isWhole, mode) };
  });
}

function inlineTemplate(template: unknown, target: string, isWhole: boolean, mode: number | undefined): Template {
  const name = `template of ${target}`;
  if (typeof template === "string")
    return isWhole
      ? { kind: "bytes", name, bytes: Buffer.from(template), mode }
      : { kind: "text", name, text: template, mode };
  if (template instanceof Uint8Array) {
    const asBytes = isWhole || (!isUtf8(template) && formatFor(target) === "text");
    return asBytes
      ? { kind: "bytes", name, bytes: template, mode }
      : { kind: "text", name, text: decodeText(template, name), mode };
  }
  return { kind: "data", name, value: templateData(template, name) };
}

function packFile(
  entry: ManifestData["files"][number] | InlineManifestData["files"][number],
  { target, folder, template }: Shipped,
  where: PackFile["where"],
): PackFile {
  return {
    target,
    folder,
    format: entry.format,
    strategy: entry.strategy,
    profile: entry.profile,
    rules: entry.rules ?? [],
    in: entry.in,
    onlyIf: entry["only-if"],
    os: entry.os,
    template,
    where,
  };
}

function packOf(
  data: ManifestData | InlineManifestData,
  version: string,
  { files, notes }: DeclaredFiles,
  options: ManifestOptions,
): Pack {
  return {
    name: data.name,
    version: options.version ?? version,
    scope: data.scope ?? "user",
    vars: Object.fromEntries(Object.entries(data.vars ?? {}).map(([name, value]) => [name, platformText(value)])),
    given: options.vars ?? {},
    fromEnv: options.fromEnv ?? [],
    files,
    moves: (data.moved ?? []).map((move) => ({ from: move.from, to: move.to, file: move.file, where: undefined })),
    policies: (data.policy ?? []).map(policyOf),
    earlier: [],
    notes,
  };
}

function platformText(value: NonNullable<ManifestData["vars"]>[string]): PlatformText {
  if (typeof value !== "object") return String(value);
  return Object.fromEntries(Object.entries(value).map(([platform, text]) => [platform, String(text)]));
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
    onUninstall: data["on-uninstall"],
  };
}

/** The user's own policies. */
export function parsePolicies(bytes: Buffer, file: string): Policy[] {
  const data = readYaml(decodeText(bytes, file), file, policyFileSchema, "invalid-policy");
  return (Array.isArray(data) ? data : data.policy).map(policyOf);
}
