import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import ignore from "ignore";
import { InputError } from "../../core/diagnostic.ts";
import type { Registry } from "../../core/records.ts";
import { expandHome, type Machine, xdgFolder } from "../../engine/machine.ts";
import { dialects } from "../../formats/ini/dialect.ts";
import { readIniIndependently } from "../../formats/ini/second-reader.ts";
import type { Reader } from "../../store/gate/gate.ts";

/**
 * Which files of a project stay on this machine, and their records with them: those that Git ignores. What only the
 * user's own list names may still be committed, by others: their records of it stand.
 */
export function localPlaces(
  machine: Machine,
  reader: Reader,
  registry: Registry | undefined,
): (path: string, section: string) => boolean {
  if (machine.project === undefined) return () => false;
  const isIgnored = ignoredByGit(reader, machine.project.root, machine);
  return (path, section) => {
    const ignored = isIgnored(path);
    const record = registry?.files[section];
    return ignored === "by-repository" || (ignored === "by-user" && (record === undefined || record.local === true));
  };
}

/** Whose rules let Git ignore a file: the repository's, for everybody, or those of the user on this machine. */
type Ignored = "by-repository" | "by-user" | undefined;

/** One list of patterns, and the folder that they are relative to. */
interface Patterns {
  readonly folder: string;
  readonly rules: ReturnType<typeof ignore>;
}

/**
 * Whether Git ignores a file of a project, and by whose rules. Git itself is not asked: a clone's configuration is a
 * stranger's, and can name programs to run.
 */
function ignoredByGit(reader: Reader, root: string, user: Pick<Machine, "home" | "env">): (path: string) => Ignored {
  const top = repositoryAround(reader, root);
  if (top === undefined) return () => undefined;
  const readPatterns = (file: string, folder: string): Patterns => ({
    folder,
    rules: ignore({ allowRelativePaths: true, ignorecase: false }).add(readIfThere(reader, file)),
  });
  const ofUser = readPatterns(userIgnores(reader, user), top);
  const ofClone = readPatterns(join(gitFolder(reader, top), "info/exclude"), top);
  /** What counts in a folder, the strongest last. */
  const patternsIn = remembered((folder: string): readonly Patterns[] => {
    const above = folder === top || dirname(folder) === folder ? [ofClone] : patternsIn(dirname(folder));
    return [...above, readPatterns(join(folder, ".gitignore"), folder)];
  });
  const says = ({ folder, rules }: Patterns, path: string, end: "" | "/") => {
    const { ignored, unignored } = rules.test(`${relative(folder, path).split(sep).join("/")}${end}`);
    return ignored ? true : unignored ? false : undefined;
  };
  const ask = (path: string, end: "" | "/"): Ignored => {
    const answers = patternsIn(dirname(path)).map((each) => says(each, path, end));
    const last = answers.findLast((answer) => answer !== undefined);
    if (last !== undefined) return last ? "by-repository" : undefined;
    return says(ofUser, path, end) ? "by-user" : undefined;
  };
  // Git does not look into a folder that it ignores: what is said inside of it does not count.
  const askFolder = remembered(
    (folder: string): Ignored =>
      folder === top || dirname(folder) === folder ? undefined : (askFolder(dirname(folder)) ?? ask(folder, "/")),
  );
  const realFolder = remembered((folder: string) => reader.realPath(folder));
  return (path) => {
    const folder = realFolder(dirname(path));
    return askFolder(folder) ?? ask(join(folder, basename(path)), "");
  };
}

function remembered<T>(find: (path: string) => T): (path: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (path) => {
    const found = known.get(path) ?? { value: find(path) };
    known.set(path, found);
    return found.value;
  };
}

/** The top of the repository that a folder lies in: a project may be a folder of a larger one. */
function repositoryAround(reader: Reader, from: string): string | undefined {
  for (let at = reader.realPath(from); ; at = dirname(at)) {
    if (reader.stat(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Where a repository keeps what all of its worktrees share. */
function gitFolder(reader: Reader, top: string): string {
  const own = join(top, ".git");
  if (reader.stat(own)?.kind !== "file") return own;
  const named = /^gitdir: (.+)$/m.exec(readIfThere(reader, own))?.[1];
  if (named === undefined) return own;
  const folder = resolve(top, named);
  const shared = readIfThere(reader, join(folder, "commondir")).trim();
  return shared === "" ? folder : resolve(folder, shared);
}

/** The user's list for all repositories: as Git's configuration says, else where Git looks without being told. */
function userIgnores(reader: Reader, { home, env }: Pick<Machine, "home" | "env">): string {
  const ownFolder = join(xdgFolder("CONFIG", { home, env }), "git");
  const files = env.GIT_CONFIG_GLOBAL ? [env.GIT_CONFIG_GLOBAL] : [join(home, ".gitconfig"), join(ownFolder, "config")];
  for (const file of files) {
    const named = excludesFile(readIfThere(reader, file));
    if (named !== undefined) return isAbsolute(named) ? named : expandHome(named, home);
  }
  return join(ownFolder, "ignore");
}

function excludesFile(configuration: string): string | undefined {
  try {
    const { core } = readIniIndependently(configuration, dialects.git);
    const [, value] = Object.entries(core ?? {}).find(([name]) => name.toLowerCase() === "excludesfile") ?? [];
    return typeof value === "string" && value !== "" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing where there is no such file, or none that can be read: Git goes by no rules of it either. */
function readIfThere(reader: Reader, file: string): string {
  try {
    if (reader.stat(reader.realPath(file))?.kind !== "file") return "";
    return (reader.read(file)?.toString("utf8") ?? "").replace(/^\uFEFF/, "");
  } catch (error) {
    if (error instanceof InputError) return "";
    throw error;
  }
}
