import { isUtf8 } from "node:buffer";
import { basename, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { type Machine, pathContext } from "../../engine/machine.ts";
import type { PathContext } from "../../identity/paths/path-context.ts";
import { profileFor, profiles } from "../../identity/profiles/index.ts";
import { formatFor } from "../../readings/reading-data.ts";
import { maskLines } from "../../report/mask/mask.ts";
import type { Gate, Reader } from "../../store/gate/gate.ts";
import { readPack } from "../manifest/load-manifest.ts";
import { applyPack } from "../plan.ts";
import { uninstallOwner } from "../uninstall.ts";
import { type DraftPack, type FirstFile, type NewFile, templateName } from "./init.ts";
import { firstTemplate, type NamedPath, withVariables } from "./template.ts";

/** One file or link that an installer left, by its path below the folder that was empty before. */
export interface InstalledFile {
  readonly path: string;
  readonly content: { readonly kind: "file"; readonly bytes: Buffer; readonly mode: number } | InstalledLink;
}

interface InstalledLink {
  readonly kind: "link";
  readonly target: string;
}

export interface Installed {
  readonly files: readonly InstalledFile[];
  /** Caches, logs and the like, which nobody ships: by their path, folders with a slash. */
  readonly leftOut: readonly string[];
}

/**
 * What a pack for projects can ship, which is the same for everybody: no file that names the folder or the home that
 * the installer ran in.
 */
export function sharedFiles(
  { files, leftOut }: Installed,
  { root, home }: Pick<DraftOptions, "root" | "home">,
  reader: Reader,
): Installed & { readonly bound: readonly string[] } {
  const places = [root, home, reader.realPath(root), reader.realPath(home)];
  const isBound = ({ content }: InstalledFile) => {
    const text = content.kind === "link" ? Buffer.from(content.target) : content.bytes;
    return places.some((place) => text.includes(place));
  };
  const bound = files.filter(isBound).map(({ path }) => path);
  return { files: files.filter((file) => !isBound(file)), leftOut, bound };
}

/** What no pack ships, wherever it lies. */
const passing = /^(?:\.cache|\.npm|\.bun|\.yarn|\.git|node_modules|__pycache__)$|\.(?:log|lock|pid|sock|tmp)$|~$/;

/** Everything that stands below a folder which was empty before an installer ran. */
export function installedFiles(reader: Reader, root: string): Installed {
  const files: InstalledFile[] = [];
  const leftOut: string[] = [];
  const visit = (below: string) => {
    for (const name of reader.list(join(root, below)) ?? []) {
      const path = below === "" ? name : `${below}/${name}`;
      const status = reader.stat(join(root, path));
      const isPassing = passing.test(name) || path === ".local/state" || status?.kind === "other";
      if (isPassing) leftOut.push(status?.kind === "folder" ? `${path}/` : path);
      else if (status?.kind === "folder") visit(path);
      else if (status?.kind === "link")
        files.push({ path, content: { kind: "link", target: reader.readLink(join(root, path)) ?? "" } });
      else if (status?.kind === "file") {
        const bytes = reader.read(join(root, path)) ?? Buffer.alloc(0);
        files.push({ path, content: { kind: "file", bytes, mode: status.mode } });
      }
    }
  };
  visit("");
  return { files, leftOut };
}

/** Startup files of shells, which many programs write into: a pack has a marked section in them. */
const shellStartup = /^\.(?:bashrc|bash_profile|bash_login|profile|zshrc|zprofile|zshenv|kshrc)$/;
/** A document that people are meant to edit, as its name says: kept entry by entry. */
const forPeople = /config|settings|preferences|options|^\.env/i;

export interface DraftOptions {
  readonly name: string;
  readonly scope: "user" | "project";
  /** The folder that was empty before. */
  readonly root: string;
  /** The home that the installer knew. */
  readonly home: string;
}

/** A pack that ships what an installer left: documents as entries, folders as folders, everything else file by file. */
export async function draftPack(installed: Installed, machine: Machine, options: DraftOptions): Promise<DraftPack> {
  const context = pathContext({ ...machine, home: options.home }, []);
  const drafts = new Drafts(installed.files, machine.gate, { ...options, context });
  for (const file of installed.files) await drafts.add(file);
  return { name: options.name, scope: options.scope, ...drafts.done() };
}

/** Folders of a home that many programs share: those below them may be a framework's own. */
const sharedFolders = /^(?:\.config|\.local(?:\/share|\/lib)?|Library(?:\/Application Support)?|AppData(?:\/\w+)?)$/;
/** Folders that are nobody's own, and have none below them. */
const commonFolders = /^(?:bin|\.local\/bin|\.ssh|\.vscode)$/;

/**
 * The folders that are the framework's own. Each gets a variable: what lies below one is known as the framework's,
 * also where an installer wrote it before there were records.
 */
function ownFolders(files: readonly InstalledFile[]): ReadonlyMap<string, string> {
  const runtimes = new Set(
    profiles.flatMap((each) => each.files).map((file) => file.replace(/^~\//, "").split("/")[0]),
  );
  const found = new Map<string, string>();
  for (const { path } of files) {
    const folder = foldersAbove(path).find((each) => !sharedFolders.test(each));
    if (folder === undefined || commonFolders.test(folder) || runtimes.has(folder.split("/").at(-1))) continue;
    const word = basename(folder).replaceAll(/\W+/g, "_").replace(/^_+/, "").toUpperCase();
    const variable = /^[A-Z_]/.test(word) ? `${word}_HOME` : `APP_${word}_HOME`;
    if (![...found.values()].includes(variable) || found.has(folder)) found.set(folder, variable);
  }
  return found;
}

type Content = InstalledFile["content"];
type DraftContext = DraftOptions & { readonly context: PathContext };

class Drafts {
  readonly #files: FirstFile[] = [];
  readonly #templates = new Map<string, NewFile>();
  readonly #names = new Set<string>();
  /** By folder: whether all that stands below it is shipped file by file, and how many those are. */
  readonly #plain = new Map<string, number>();
  /** The framework's own folders, by their path. */
  readonly #own: ReadonlyMap<string, string>;
  readonly #paths: readonly NamedPath[];
  readonly #gate: Gate;
  readonly #at: DraftContext;

  constructor(files: readonly InstalledFile[], gate: Gate, at: DraftContext) {
    this.#gate = gate;
    this.#at = at;
    this.#own = at.scope === "user" ? ownFolders(files) : new Map();
    this.#paths = [
      ...[...this.#own].map(([folder, variable]) => ({ path: join(at.home, folder), variable })),
      { path: at.home, variable: "HOME" },
    ];
    for (const { path, content } of files) {
      const isPlain = content.kind === "file" && this.#kindOf(path, content) === "plain" && this.#isUsual(content.mode);
      for (const folder of foldersAbove(path)) {
        const so = this.#plain.get(folder) ?? 0;
        this.#plain.set(folder, isPlain ? so + 1 : Number.NEGATIVE_INFINITY);
      }
    }
  }

  done(): Pick<DraftPack, "vars" | "files" | "templates"> {
    const vars = Object.fromEntries([...this.#own].map(([folder, variable]) => [variable, `~/${folder}`]));
    return { vars, files: this.#files, templates: this.#templates };
  }

  async add({ path, content }: InstalledFile): Promise<void> {
    const target = this.#target(path);
    if (content.kind === "link") {
      const link = withVariables(content.target, this.#paths);
      this.#files.push({ target, link, leftOut: [], notes: [] });
      return;
    }
    const kind = this.#kindOf(path, content);
    if (kind === "plain") this.#addPlain(path, content);
    else await this.#addShared(path, content.bytes, kind);
  }

  /** What others write into as well: entries of a document, or a section of a text. */
  async #addShared(path: string, bytes: Buffer, kind: "entries" | "section"): Promise<void> {
    const { root, context } = this.#at;
    const file = join(root, path);
    const profile = kind === "entries" ? profileFor(file, context) : undefined;
    const source = { path: file, text: bytes.toString("utf8"), profile, context, paths: this.#paths };
    const { text, leftOut, notes } = await firstTemplate(source);
    const template = templateName(path, this.#names);
    this.#templates.set(template, { bytes: Buffer.from(text), mode: 0o666 });
    const strategy = kind === "section" ? "block" : undefined;
    this.#files.push({ target: this.#target(path), template, profile: profile?.name, strategy, leftOut, notes });
  }

  #addPlain(path: string, { bytes, mode }: Extract<Content, { kind: "file" }>): void {
    const isText = isUtf8(bytes);
    const template = `files/${path}`;
    const shipped = isText ? Buffer.from(withVariables(bytes.toString("utf8"), this.#paths)) : bytes;
    this.#templates.set(template, { bytes: shipped, mode: 0o666 | (mode & 0o111) });
    const folder = this.#isUsual(mode) ? foldersAbove(path).find((each) => this.#plain.get(each)! > 1) : undefined;
    const target = folder === undefined ? this.#target(path) : `${this.#target(folder)}/`;
    if (this.#files.some((known) => known.target === target)) return;
    const text = shipped.toString("utf8");
    const notes = isText && maskLines(text) !== text ? [`${path} has lines that look secret; remove them`] : [];
    if (folder !== undefined) this.#files.push({ target, template: `files/${folder}/`, leftOut: [], notes });
    else {
      const octal = this.#isUsual(mode) ? undefined : mode.toString(8).padStart(4, "0");
      // A document is kept as one text here: it is no file that people are meant to edit.
      const strategy = isText && formatFor(path) !== "text" ? "merge" : undefined;
      this.#files.push({ target, template, strategy, mode: octal, leftOut: [], notes });
    }
  }

  #kindOf(path: string, content: Extract<Content, { kind: "file" }>): "entries" | "section" | "plain" {
    if (shellStartup.test(path)) return "section";
    if (formatFor(path) === "text" || !isUtf8(content.bytes)) return "plain";
    const isKnown = profileFor(join(this.#at.root, path), this.#at.context) !== undefined;
    return isKnown || (forPeople.test(basename(path)) && this.#isUsual(content.mode)) ? "entries" : "plain";
  }

  /** Whether a new file has this mode without being asked. */
  #isUsual(mode: number): boolean {
    const { umask } = this.#gate;
    return mode === (0o666 & ~umask) || mode === (0o777 & ~umask);
  }

  #target(path: string): string {
    if (this.#at.scope === "project") return path;
    for (const [folder, variable] of this.#own)
      if (path === folder || path.startsWith(`${folder}/`)) return `\${${variable}}${path.slice(folder.length)}`;
    return `~/${path}`;
  }
}

/** From the outermost to the innermost. */
function foldersAbove(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, i) => names.slice(0, i + 1).join("/"));
}

/** What differs where the pack is installed in place of the installer. */
export interface Difference {
  readonly path: string;
  readonly what: "missing" | "too much" | "content" | "mode" | "left behind";
}

/** Installs a pack in a home of its own, and compares with what the installer left; then takes it out again. */
export async function compareInstalled(
  manifest: string,
  installed: Installed,
  { root, home }: Pick<DraftOptions, "root" | "home">,
  trial: Machine,
): Promise<readonly Difference[]> {
  const pack = readPack(trial.gate, manifest);
  await applyPack(pack, trial);
  const there = trial.project?.root ?? trial.home;
  const moved = (text: string) => text.replaceAll(root, there).replaceAll(home, trial.home);
  const known = new Map(installedFiles(trial.gate, there).files.map(({ path, content }) => [path, content]));
  known.delete(`.stet/${pack.name}.json`);
  const differences = installed.files.flatMap(({ path, content }): Difference[] => {
    const other = known.get(path);
    known.delete(path);
    const what = other === undefined ? "missing" : differenceOf(content, other, moved);
    return what === undefined ? [] : [{ path, what }];
  });
  for (const path of known.keys()) differences.push({ path, what: "too much" });
  await uninstallOwner(pack.name, trial);
  const behind = installedFiles(trial.gate, there).files;
  return [...differences, ...behind.map(({ path }): Difference => ({ path, what: "left behind" }))];
}

function differenceOf(one: Content, other: Content, moved: (text: string) => string): "content" | "mode" | undefined {
  if (one.kind === "link" || other.kind === "link")
    return one.kind === other.kind && moved((one as InstalledLink).target) === (other as InstalledLink).target
      ? undefined
      : "content";
  if (!Buffer.from(moved(one.bytes.toString("latin1")), "latin1").equals(other.bytes)) return "content";
  return one.mode === other.mode ? undefined : "mode";
}

export function nothingInstalled(command: string): InputError {
  const message = `${command} wrote nothing into the folder it was given; run it by hand to see where it writes`;
  return new InputError({ code: "nothing-installed", message });
}

export function nothingShared(command: string): InputError {
  const message = `all that ${command} wrote names the folder or the home it ran in, and a project's files are the same for everybody`;
  return new InputError({ code: "nothing-installed", message });
}
