import type { Complain } from "../diagnostics.ts";
import { type RepositoryTree, resolveEntry } from "../repository/tree.ts";
import { deliveredFile, type EvaluatedFile, type LayerFile, type Layout, nameLimit } from "./evaluation.ts";

interface Walk {
  readonly tree: RepositoryTree;
  readonly files: LayerFile[];
  readonly complain: Complain;
}

interface Step {
  /** Below the config folder. */
  readonly path: string;
  /** As written in the repository. */
  readonly source: string;
  /** Where it really stands, after links. */
  readonly real: string;
  /** The folders that links have led through: meeting one again is a circle. */
  readonly through: readonly string[];
}

/** The one file that is in a repository only to hold a folder open. */
const emptyFolderMark = ".gitkeep";

/** Everything below one folder of a layer's config, such as `etc/traefik`. */
export function readPayload(
  tree: RepositoryTree,
  configFolder: string,
  path: string,
  complain: Complain,
): readonly LayerFile[] {
  const walk: Walk = { tree, files: [], complain };
  const source = `${configFolder}/${path}`;
  visit(walk, { path, source, real: source, through: [] });
  return walk.files;
}

function visit(walk: Walk, step: Step): void {
  const { path, source, real } = step;
  const entry = walk.tree.get(real);
  if (entry?.kind === "symlink") visitLink(walk, step, entry.target);
  else if (entry?.kind === "file")
    walk.files.push({ path, source, content: deliveredFile(entry.bytes, entry.executable) });
  else if (entry?.kind === "submodule")
    walk.complain("unsupported-file", source, "is a submodule: only files of this repository can be delivered");
  else {
    for (const name of walk.tree.names(real)) {
      if (name === emptyFolderMark) continue;
      const child = { ...step, path: `${path}/${name}`, source: `${source}/${name}`, real: `${real}/${name}` };
      if (isUnsafeSegment(name))
        walk.complain("unsafe-path", child.source, "has a name that no file on the host can have");
      else visit(walk, child);
    }
  }
}

/**
 * A link that stays in its payload stays a link; one to elsewhere in the repository delivers what it points to; any
 * other is refused.
 */
function visitLink(walk: Walk, step: Step, target: string): void {
  // Inside a folder that a link led to, a link's target means something only where it stands in the repository.
  if (step.through.length === 0 && staysInPayload(step.path, target)) {
    walk.files.push({ path: step.path, source: step.source, content: { kind: "link", target } });
    return;
  }
  const found = resolveEntry(walk.tree, step.real);
  const refuse = (why: string) => walk.complain("unsafe-path", step.source, `links to ${why}`);
  const leadsBack = step.through.some((folder) => found.path === folder || found.path.startsWith(`${folder}/`));
  if (found.kind === "outside") refuse(`${found.target}, outside the repository`);
  else if (found.kind === "loop") refuse(`${target}, in a circle`);
  else if (found.kind === "missing") refuse(`${target}, which does not exist`);
  else if (leadsBack || step.real.startsWith(`${found.path}/`)) refuse(`${target}, a folder that contains it`);
  else visit(walk, { ...step, real: found.path, through: [...step.through, found.path] });
}

/**
 * Whether a relative target, read at the host from where the link will stand, ends inside `etc/<service>`. `..` may
 * only lead: after a name it could climb out through another link.
 */
export function staysInPayload(path: string, target: string): boolean {
  if (target.startsWith("/") || target === "" || target.includes("\0")) return false;
  const segments = target.split("/").filter((segment) => segment !== "" && segment !== ".");
  const names = segments.findIndex((segment) => segment !== "..");
  const climbs = names === -1 ? segments.length : names;
  if (segments.slice(climbs).includes("..")) return false;
  // `etc/<service>/…`: the link's own folder must not be climbed past the second level.
  return path.split("/").length - 1 - climbs >= 2;
}

function isUnsafeSegment(name: string): boolean {
  return name === "" || name === "." || name === ".." || /[\0\n]/.test(name) || Buffer.byteLength(name) > nameLimit;
}

/** A line of a service's tmpfiles.d file: a stricter mode or an owner for files that the service delivers. */
interface Line {
  readonly matches: (path: string) => boolean;
  readonly mode: number | undefined;
  readonly setsOwner: boolean;
  readonly line: number;
}

/**
 * The modes that a service's own tmpfiles.d file asks for, put on its payload. systemd-tmpfiles reads the same lines at
 * every boot.
 */
export function applyTmpfiles(
  files: readonly EvaluatedFile[],
  tmpfiles: EvaluatedFile,
  { service, layout }: { readonly service: string; readonly layout: Layout },
  complain: Complain,
): EvaluatedFile[] {
  const file = tmpfiles.origin.at(-1)!;
  const lines = readLines(tmpfiles, `/etc/${service}/`, (line, message) =>
    complain("invalid-tmpfiles", { file, line }, message),
  );
  // Lines are about /etc, also where that is a user's folder for configuration.
  const asWritten = (path: string) => `/etc${path.slice(layout.configFolder.length)}`;
  for (const { matches, line } of lines)
    if (!files.some(({ path }) => matches(asWritten(path))))
      complain("missing-reference", { file, line }, "names no file that the service delivers");
  return files.map((file) => {
    const mode = lines.findLast((line) => line.mode !== undefined && line.matches(asWritten(file.path)))?.mode;
    if (mode === undefined || file.content.kind === "link") return file;
    return { ...file, content: { ...file.content, mode } };
  });
}

/** Whether a tmpfiles.d file gives a file to somebody: then systemd-tmpfiles has to be run. */
export function setsOwner(tmpfiles: EvaluatedFile): boolean {
  return readLines(tmpfiles, "", () => {}).some((line) => line.setsOwner);
}

function readLines(
  { content }: EvaluatedFile,
  folder: string,
  complain: (line: number, message: string) => void,
): Line[] {
  if (content.kind === "link") return [];
  const text = Buffer.from(content.bytes).toString("utf8");
  return text.split("\n").flatMap((written, index): Line[] => {
    const line = written.trim();
    if (line === "" || line.startsWith("#")) return [];
    const [type = "", path = "", mode = "-", user = "-", group = "-", ...rest] = line.split(/\s+/);
    const wrong = whatIsWrong({ type, path, mode, user, group, rest }, folder);
    if (wrong !== undefined) {
      complain(index + 1, wrong);
      return [];
    }
    const number = mode === "-" ? undefined : Number.parseInt(mode, 8);
    return [{ matches: matcher(type, path), mode: number, setsOwner: user !== "-" || group !== "-", line: index + 1 }];
  });
}

type Fields = Readonly<Record<"type" | "path" | "mode" | "user" | "group", string>> & { readonly rest: string[] };

const [octal, name] = [/^[0-7]{3,4}$/, /^(-|[a-z_][a-z0-9_-]*|\d+)$/];

/** tmpfiles.d could do anything anywhere. A service says with it how its own files are protected, and nothing else. */
function whatIsWrong({ type, path, mode, user, group, rest }: Fields, folder: string): string | undefined {
  if (type !== "z" && type !== "Z")
    return `has a line of type ${type}: a service may only have lines of types z and Z, which set the mode and owner of its own files`;
  if (!path.startsWith(folder) || path.split("/").includes(".."))
    return `is about ${path}: a service may only set modes and owners below ${folder}`;
  if (mode !== "-" && !octal.test(mode)) return `has the mode ${mode}: write three or four octal digits, or -`;
  if (mode !== "-" && (Number.parseInt(mode, 8) & ~0o755) !== 0)
    return `has the mode ${mode}: a service may ask for at most 0755, so that nobody else can write`;
  if (!name.test(user) || !name.test(group)) return "has an owner that is neither a name nor a number";
  return rest.some((field) => field !== "-") ? "has an age or an argument, which have no meaning here" : undefined;
}

/** `Z` reaches everything below as well; `*`, `?` and `[…]` stand for parts of a name. */
function matcher(type: string, pattern: string): (path: string) => boolean {
  const literal = (text: string) => text.replaceAll(/[.+^${}()|\\]/g, "\\$&");
  const source = literal(pattern).replaceAll("*", "[^/]*").replaceAll("?", "[^/]");
  const expression = new RegExp(`^${source}${type === "Z" ? "(/.*)?" : ""}$`);
  return (path) => expression.test(path);
}
