import { isUtf8 } from "node:buffer";
import { isAbsolute, join, relative, resolve } from "node:path";
import picomatch from "picomatch";
import { InputError } from "../../core/diagnostic.ts";
import { Exact, mapOf, numberFromText, type Value } from "../../core/value.ts";
import { formatFor } from "../../readings/reading-data.ts";
import type { Template } from "../../readings/template.ts";
import { decodeText } from "../../readings/text-reading.ts";
import { cachingReader } from "../../store/gate/caching-reader.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { withoutTrailing } from "../../text/lines.ts";
import type { ManifestData } from "./manifest.ts";
import type { FolderMember } from "./pack.ts";

/** A manifest's folder. Templates are read below `at`: the folder itself, or that of an earlier release in it. */
export interface PackFolder {
  readonly reader: Reader;
  readonly root: string;
  readonly at: string;
  readonly manifest: string;
}

type FileEntry = ManifestData["files"][number];

/** One file or link that a manifest ships. */
export interface Shipped {
  readonly target: string;
  readonly folder: FolderMember | undefined;
  readonly template: Template;
}

/**
 * What an entry of a manifest ships: a file, a link, or each file of a folder. Nothing where the template is not there.
 */
export function readShipped(pack: PackFolder, entry: FileEntry): Shipped[] {
  const template = templateOrLink(entry);
  if (template.kind === "link") return [{ target: entry.target, folder: undefined, template }];
  const path = pathInside(pack, template.name);
  const { reader } = pack;
  if (entry.target.endsWith("/") || template.name.endsWith("/")) return folderFiles(pack, entry, template.name, path);
  const bytes = bytesOrFolder(reader, path);
  if (bytes === undefined) return [];
  if (bytes === "folder") return folderFiles(pack, entry, template.name, path);
  refuseUnless(
    entry.include === undefined && entry.exclude === undefined,
    "include and exclude are for folders; if these are folders, end target and template with /",
  );
  const isWhole = isWholeFile(entry, bytes);
  const executable = isWhole || formatFor(entry.target) === "text" ? (reader.stat(path)?.mode ?? 0) & 0o111 : 0;
  const name = join(pack.root, pack.at, template.name);
  const mode = modeOf(entry.mode) ?? (executable === 0 ? undefined : (isWhole ? 0o644 : 0o666) | executable);
  return [
    {
      target: entry.target,
      folder: undefined,
      template: isWhole
        ? { kind: "bytes", name, bytes, mode }
        : { kind: "text", name, text: decodeText(bytes, name), mode },
    },
  ];
}

/** Asks what a template is only where it can't be read: a fast start asks as little as it can. */
function bytesOrFolder(reader: Reader, path: string): Uint8Array | "folder" | undefined {
  try {
    return reader.read(path);
  } catch (error) {
    if (reader.stat(path)?.kind === "folder") return "folder";
    throw error;
  }
}

type Named = { readonly kind: "file"; readonly name: string } | Extract<Template, { kind: "link" }>;

function templateOrLink({ target, template, link, mode, strategy }: FileEntry): Named {
  refuseUnless(template === undefined || link === undefined, `${target} has both a template and a link; keep one`);
  if (template !== undefined) return { kind: "file", name: template };
  if (link === undefined) throw refusal(`${target} has neither a template nor a link`);
  refuseUnless(mode === undefined, "a link has no mode of its own");
  refuseUnless(
    strategy === undefined || strategy === "whole",
    `a link is kept or replaced as a whole, so strategy ${strategy} does not fit it`,
  );
  return { kind: "link", name: `link of ${target}`, target: link };
}

/** What is not UTF-8 is a whole file, unless something says that it is to be read as text. */
function isWholeFile({ strategy, format, target }: FileEntry, bytes: Uint8Array): boolean {
  if (strategy !== undefined) return strategy === "whole";
  return format === undefined && formatFor(target) === "text" && !isUtf8(bytes);
}

function folderFiles({ reader, ...rest }: PackFolder, entry: FileEntry, template: string, folder: string): Shipped[] {
  const pack: PackFolder = { ...rest, reader: cachingReader(reader) };
  const { strategy, format } = entry;
  const kind = pack.reader.stat(folder)?.kind;
  if (kind === undefined) return [];
  refuseUnless(kind === "folder", "a target that ends with / is a folder, but its template is a file");
  refuseUnless(
    format === undefined,
    "a folder has no format: its text files are merged by line, all others are kept whole",
  );
  refuseUnless(
    strategy === undefined || strategy === "merge" || strategy === "whole",
    `strategy ${strategy} is for one file, not for a folder`,
  );
  const target = withoutTrailing(entry.target, "/");
  const filter: FolderFilter = { include: entry.include, exclude: entry.exclude };
  const given = modeOf(entry.mode);
  return filesBelow(pack.reader, folder, filter).map((name): Shipped => {
    const path = pathInside(pack, join(template, name));
    const bytes = pack.reader.read(path) ?? new Uint8Array();
    const executable = (pack.reader.stat(path)?.mode ?? 0) & 0o111;
    const mode = given ?? (executable === 0 ? undefined : 0o644 | executable);
    const shown = join(pack.root, pack.at, template, name);
    const isText = strategy !== "whole" && isUtf8(bytes);
    return {
      target: `${target}/${name}`,
      folder: { target, name },
      template: isText
        ? { kind: "text", name: shown, text: Buffer.from(bytes).toString("utf8"), mode }
        : { kind: "bytes", name: shown, bytes, mode },
    };
  });
}

/**
 * Permissions as a manifest writes them: octal digits, as a text or a number (`0755` is the number 755 in YAML, `0o755`
 * comes as it is written). A mode that gives others more than the owner is nothing that anybody means.
 */
export function modeOf(mode: number | string | undefined): number | undefined {
  if (mode === undefined) return undefined;
  const digits = String(mode);
  const [, octal] = /^(?:0|0o)?([0-7]{3})$/.exec(digits) ?? [];
  const value = octal === undefined ? undefined : Number.parseInt(octal, 8);
  const owner = value === undefined ? 0 : (value >> 6) & 7;
  const others = value === undefined ? 0 : ((value >> 3) | value) & 7;
  if (value !== undefined && (owner & others) === others) return value;
  throw refusal(`${digits} is not a file mode; write octal digits in quotes, for example "0755"`);
}

function refuseUnless(isFine: boolean, message: string): void {
  if (!isFine) throw refusal(message);
}

function refusal(message: string): InputError {
  return new InputError({ code: "invalid-manifest", message });
}

/** A pack may only ship what lies in its own folder: a template is no way to read somebody else's files. */
export function pathInside({ reader, root: folder, at, manifest }: PackFolder, name: string): string {
  const below = join(at, name);
  const [root, path] = [reader.realPath(resolve(folder)), reader.realPath(resolve(folder, below))];
  const inside = relative(root, path);
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside)) {
    const message = `${below} lies outside the folder of the manifest; keep templates beside it`;
    throw new InputError({ code: "unsafe-path", message, file: manifest });
  }
  return path;
}

/** Which files of a folder are shipped: globs over their paths below it. */
interface FolderFilter {
  /** Without any, all files are. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
}

/** Deeper than any folder that a person made: a link that leads back up ends here. */
const deepest = 64;

/** A name that the system lists and does not find again, or a link to nothing: it would be shipped as an empty file. */
function notThere(reader: Reader, file: string): InputError {
  const isLink = reader.stat(file)?.kind === "link";
  const why = isLink ? "this link leads to nothing" : "this name is not UTF-8, so the file can't be shipped under it";
  const message = `${why}; ${isLink ? "mend it" : "rename the file"}, or leave it out under exclude`;
  return new InputError({ code: "malformed-template", message, file });
}

/** The files below a folder of a pack, by their path below it (with `/`), in order. */
function filesBelow(reader: Reader, folder: string, { include, exclude }: FolderFilter): string[] {
  const options = { dot: true };
  // Among patterns of which one has to match, a negated one would match nearly everything.
  const negated = [...(include ?? []), ...(exclude ?? [])].find((pattern) => /^!(?!\()/.test(pattern));
  refuseUnless(negated === undefined, `${negated} begins with !; name what is left out under exclude`);
  const isIncluded = include === undefined ? () => true : picomatch([...include], options);
  const isExcluded = exclude === undefined ? () => false : picomatch([...exclude], options);
  const found: string[] = [];
  const visit = (below: string, depth: number) => {
    const at = join(folder, below);
    if (depth > deepest)
      throw new InputError({
        code: "unsafe-path",
        message: `this folder is more than ${deepest} levels deep`,
        file: at,
      });
    for (const name of reader.list(at) ?? []) {
      const path = below === "" ? name : `${below}/${name}`;
      const kind = reader.stat(reader.realPath(join(folder, path)))?.kind;
      if (kind === "folder") visit(path, depth + 1);
      else if (isIncluded(path) && !isExcluded(path)) {
        if (kind === undefined) throw notThere(reader, join(folder, path));
        found.push(path);
      }
    }
  };
  visit("", 0);
  return found.sort();
}

/** As deep as formats read: what could never be written to a file is no template. */
const maxDepth = 1000;

/**
 * A template that a program gives as data: only what a config file can hold, with a copy of its own so that nobody
 * changes it underneath.
 */
export function templateData(data: unknown, name: string): Value {
  return checkedValue(data, [], name);
}

/** `path` leads to the data, and is the same list all the way down. */
function checkedValue(data: unknown, path: string[], name: string): Value {
  if (path.length > maxDepth) throw notData(path, `is nested more than ${maxDepth} levels deep`, name);
  if (data === null || typeof data === "string" || typeof data === "boolean" || data instanceof Exact) return data;
  if (typeof data === "bigint") return numberFromText(String(data));
  if (typeof data === "number") {
    if (Number.isFinite(data)) return data;
    throw notData(path, `is ${data}`, name);
  }
  if (Array.isArray(data)) return data.map((item, i) => checkedMember(item, String(i), path, name));
  if (!isPlain(data)) {
    const what = typeof data === "object" ? `a ${data?.constructor?.name ?? "special object"}` : typeof data;
    throw notData(path, `is ${what}`, name);
  }
  // As in JSON, a field that is undefined is not there.
  const fields: [string, Value][] = [];
  for (const field of Object.keys(data)) {
    if (data[field] !== undefined) fields.push([field, checkedMember(data[field], field, path, name)]);
  }
  return mapOf(fields);
}

function checkedMember(data: unknown, step: string, path: string[], name: string): Value {
  path.push(step);
  const value = checkedValue(data, path, name);
  path.pop();
  return value;
}

function notData(path: readonly string[], what: string, name: string): InputError {
  const where = path.length === 0 ? "it" : path.slice(0, 8).join(".");
  return new InputError({
    code: "malformed-template",
    message: `${where} ${what}, which no config file can hold`,
    file: name,
  });
}

function isPlain(data: unknown): data is Readonly<Record<string, unknown>> {
  if (typeof data !== "object" || data === null) return false;
  const prototype = Object.getPrototypeOf(data);
  // An object of another realm (a test runner's, a worker's) has an Object of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
