import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { type RepositoryTree, resolveEntry } from "../repository/tree.ts";
import type { DeliveredContent } from "./evaluation.ts";

/** A file for the host, below `config/` of a service or a host. */
export interface PayloadFile {
  /** Below the layer's config folder: `etc/traefik/traefik.toml`. */
  readonly path: string;
  readonly source: string;
  readonly content: DeliveredContent;
}

export interface Payload {
  readonly files: readonly PayloadFile[];
  readonly diagnostics: readonly HostDiagnostic[];
}

interface Walk {
  readonly tree: RepositoryTree;
  readonly files: PayloadFile[];
  readonly diagnostics: HostDiagnostic[];
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

const nameLimit = 255;
/** The one file that is in a repository only to hold a folder open. */
const emptyFolderMark = ".gitkeep";

/** Everything below one folder of a layer's config, such as `etc/traefik`. */
export function readPayload(tree: RepositoryTree, configFolder: string, path: string): Payload {
  const walk: Walk = { tree, files: [], diagnostics: [] };
  const source = `${configFolder}/${path}`;
  visit(walk, { path, source, real: source, through: [] });
  return walk;
}

function visit(walk: Walk, step: Step): void {
  const entry = walk.tree.get(step.real);
  if (entry?.kind === "symlink") visitLink(walk, step, entry.target);
  else if (entry?.kind === "file") {
    walk.files.push({
      path: step.path,
      source: step.source,
      content: { kind: "file", bytes: entry.bytes, executable: entry.executable },
    });
  } else if (entry?.kind === "submodule")
    refuse(walk, step, "unsupported-file", "is a submodule: only files of this repository can be delivered");
  else {
    for (const name of walk.tree.names(step.real)) {
      if (name === emptyFolderMark) continue;
      const child = {
        ...step,
        path: `${step.path}/${name}`,
        source: `${step.source}/${name}`,
        real: `${step.real}/${name}`,
      };
      if (isUnsafeSegment(name)) refuse(walk, child, "unsafe-path", "has a name that can't be a file on the host");
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
    walk.files.push({ path: step.path, source: step.source, content: { kind: "symlink", target } });
    return;
  }
  const found = resolveEntry(walk.tree, step.real);
  if (found.kind === "outside") refuse(walk, step, "unsafe-path", `links to ${found.target}, outside the repository`);
  else if (found.kind === "loop") refuse(walk, step, "unsafe-path", `links to ${target}, in a circle`);
  else if (found.kind === "missing") refuse(walk, step, "unsafe-path", `links to ${target}, which does not exist`);
  else if (
    step.through.some((folder) => found.path === folder || found.path.startsWith(`${folder}/`)) ||
    contains(found.path, step.real)
  ) {
    refuse(walk, step, "unsafe-path", `links to ${target}, a folder that contains it`);
  } else visit(walk, { ...step, real: found.path, through: [...step.through, found.path] });
}

function contains(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`);
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

function refuse(walk: Walk, step: Step, code: "unsafe-path" | "unsupported-file", message: string): void {
  walk.diagnostics.push(diagnose(code, { file: step.source }, message));
}
