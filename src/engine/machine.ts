import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { InputError } from "../core/diagnostic.ts";
import type { PathContext, Platform } from "../identity/paths/path-context.ts";
import { inFolder } from "../store/gate/caching-reader.ts";
import { sha256 } from "../store/gate/content.ts";
import type { Gate, Reader } from "../store/gate/gate.ts";
import { makeFolders } from "../store/records/state-dir.ts";

/** All that the files domain may know of the machine it works on. Nothing below reads the process. */
export interface Machine {
  readonly home: string;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: Platform;
  /** How hints call the program. */
  readonly program: string;
  readonly gate: Gate;
  /**
   * Where a pack of `scope: project` is installed. The state directory is then the one of that project on this machine.
   */
  readonly project?: Project | undefined;
  now(): Date;
}

/** One project: an instance of its own for every owner, wherever else the same pack is installed. */
export interface Project {
  /** Its folder, as the user says it: absolute. */
  readonly root: string;
}

/**
 * The machine as a project sees it: records lie in the project, everything else that stet keeps in a folder of the
 * state directory.
 */
export function inProject(machine: Machine, root: string): Machine {
  return { ...machine, stateDir: projectStateDir(machine.gate, machine.stateDir, root, sha256), project: { root } };
}

/** The rules that a system goes by: what is neither Windows nor macOS counts as Linux. */
export function platformFrom(system: NodeJS.Platform): Platform {
  return system === "win32" || system === "darwin" ? system : "linux";
}

type Surroundings = Pick<Machine, "env" | "home" | "platform">;

const xdgDefaults = { CONFIG: ".config", DATA: ".local/share", STATE: ".local/state", CACHE: ".cache" };

/** `$XDG_…` as the specification says: absolute, or the default under the home. */
export function xdgFolder(name: keyof typeof xdgDefaults, machine: Pick<Machine, "env" | "home">): string {
  return xdgFolderSet(name, machine) ?? join(machine.home, xdgDefaults[name]);
}

function xdgFolderSet(name: keyof typeof xdgDefaults, { env }: Pick<Machine, "env">): string | undefined {
  const set = env[`XDG_${name}_HOME`];
  return set?.startsWith("/") || /^[A-Za-z]:[\\/]/.test(set ?? "") ? set : undefined;
}

export function defaultStateDir(machine: Surroundings): string {
  const { env, platform } = machine;
  if (env.STET_STATE_DIR) return env.STET_STATE_DIR;
  const local =
    platform === "win32"
      ? (xdgFolderSet("STATE", machine) ?? windowsFolder("LOCALAPPDATA", machine))
      : xdgFolder("STATE", machine);
  return join(local, "stet");
}

/** The folder with the user's own configuration of stet. */
export function configFolder(machine: Surroundings): string {
  const roaming =
    machine.platform === "win32"
      ? (xdgFolderSet("CONFIG", machine) ?? windowsFolder("APPDATA", machine))
      : xdgFolder("CONFIG", machine);
  return join(roaming, "stet");
}

/** What may be lost at any time, and is no part of the state directory. */
export function cacheFolder(machine: Surroundings): string {
  return machine.platform === "win32" && xdgFolderSet("CACHE", machine) === undefined
    ? join(windowsFolder("LOCALAPPDATA", machine), "stet-cache")
    : join(xdgFolder("CACHE", machine), "stet");
}

const windowsDefaults = { APPDATA: "AppData/Roaming", LOCALAPPDATA: "AppData/Local" };

/**
 * `%APPDATA%` or `%LOCALAPPDATA%`. Windows always sets them, for the home of whoever is logged in. With another home
 * (`--home`), the folder is the one below that home.
 */
function windowsFolder(name: keyof typeof windowsDefaults, { env, home }: Surroundings): string {
  const [set, profile] = [env[name], env.USERPROFILE];
  if (!set || !isAbsolute(set)) return join(home, windowsDefaults[name]);
  const below = profile ? relative(profile, set) : "..";
  const isOfAnotherHome = relative(profile ?? home, home) !== "" && !below.startsWith("..") && !isAbsolute(below);
  return isOfAnotherHome ? join(home, below) : set;
}

/**
 * The default state directory. On Windows an older stet kept it under `.local`: it is moved once. Where it can't be
 * moved, because a program uses it, it goes on being used as it is.
 */
export function takeOverStateDir(machine: Surroundings & Pick<Machine, "gate">): string {
  const { env, home, platform, gate } = machine;
  const stateDir = defaultStateDir(machine);
  const former = join(home, xdgDefaults.STATE, "stet");
  if (platform !== "win32" || env.STET_STATE_DIR || xdgFolderSet("STATE", machine)) return stateDir;
  if (gate.stat(stateDir) !== undefined || gate.stat(former)?.kind !== "folder") return stateDir;
  try {
    makeFolders(gate, dirname(stateDir), 0o700);
    gate.rename(former, stateDir);
    return stateDir;
  } catch {
    return former;
  }
}

/** What identity rules need of the machine. */
export function pathContext(machine: Machine, formerHomes: readonly string[]): PathContext {
  return {
    platform: machine.platform,
    home: machine.home,
    formerHomes: formerHomes.filter((home) => home !== machine.home),
    env: machine.env,
    resolveLinks: linkResolver(machine.gate),
    foldsCase: (absolute) => machine.platform !== "linux" && foldsCase(machine.gate, absolute),
  };
}

/**
 * Links are looked up folder by folder, each once: the same few come again and again, and below one that is missing
 * there is nothing.
 */
function linkResolver(reader: Reader): (absolute: string) => string {
  const known = new Map<string, { path: string; exists: boolean }>();
  const resolve = (absolute: string): { path: string; exists: boolean } => {
    const found = known.get(absolute) ?? lookUp(absolute);
    known.set(absolute, found);
    return found;
  };
  const lookUp = (absolute: string) => {
    const parent = dirname(absolute);
    if (parent === absolute || !isAbsolute(absolute)) return { path: reader.realPath(absolute), exists: true };
    const folder = resolve(parent);
    const path = inFolder(folder.path, basename(absolute));
    const status = folder.exists ? reader.stat(path) : undefined;
    if (status?.kind !== "link") return { path, exists: status !== undefined };
    const target = reader.realPath(path);
    return { path: target, exists: reader.stat(target) !== undefined };
  };
  return (absolute) => resolve(absolute).path;
}

/** Whether the folder where a path begins to exist finds its own name in the other case. */
function foldsCase(reader: Reader, absolute: string): boolean {
  for (let path = absolute; ; ) {
    const swapped = swapCase(path);
    if (swapped !== path && reader.stat(path) !== undefined) return reader.stat(swapped) !== undefined;
    const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
    if (cut <= 0) return false;
    path = path.slice(0, cut);
  }
}

function swapCase(text: string): string {
  const last = Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1;
  const name = text.slice(last);
  return text.slice(0, last) + (name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase());
}

/**
 * `~`, `~/x`: under the home. Anything else must be absolute already. Records spell paths with `/`; on Windows they
 * become the system's own again, so that one file has one path in every report.
 */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/") || path.startsWith("~\\")) return join(home, path.slice(2));
  return sep === "\\" ? normalize(path) : path;
}

export function requireHome(home: string | undefined): string {
  if (home) return home;
  throw new InputError({ code: "no-home", message: "no home folder is known; set HOME or pass --home DIR" });
}

/**
 * The project that a folder belongs to: the nearest at or above it that has `.stet` or `.git`. The home itself is none,
 * unless somebody says so: half of all homes are a repository of dotfiles.
 */
export function findProject(reader: Reader, from: string, home: string): string | undefined {
  // The system names the current folder without links, and HOME may have some.
  const realHome = reader.realPath(home);
  for (let at = from; ; at = dirname(at)) {
    if (at === home || at === realHome) return undefined;
    if (reader.stat(join(at, ".stet"))?.kind === "folder" || reader.stat(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Where this machine keeps what it knows of a project, wherever that is called from. */
export function projectStateDir(
  reader: Reader,
  stateDir: string,
  root: string,
  sha256: (text: string) => string,
): string {
  return join(stateDir, "projects", sha256(reader.realPath(root)).slice(0, 24));
}
