import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { type GitOptions, git } from "./git.ts";

/** The commit that a folder is at, `-dirty` where it differs; undefined without Git, also on a machine that has none. */
export async function folderRevision(place: GitOptions): Promise<string | undefined> {
  if (!existsSync(join(place.folder, ".git"))) return undefined;
  try {
    const head = await git(place).run(["rev-parse", "--verify", "--quiet", "HEAD"]);
    if (head.kind === "failed") return undefined;
    // A submodule is never delivered, so nobody looks into it: it may bring a configuration of its own.
    const look = ["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=dirty"];
    const status = await git(await withoutFilters(place)).run(look);
    const dirty = status.kind === "failed" || status.stdout.length > 0 ? "-dirty" : "";
    return head.stdout.toString("utf8").trim() + dirty;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/**
 * To compare a file, Git sends it through the programs that the repository's configuration names as filters. A folder somebody unpacked
 * may name any: they are switched off, and a file that only a filter makes equal counts as changed.
 */
async function withoutFilters(place: GitOptions): Promise<GitOptions> {
  const listed = await git(place).run(["config", "--null", "--name-only", "--get-regexp", "^filter\\."]);
  const names = listed.kind === "done" ? listed.stdout.toString("utf8").split("\0") : [];
  const filters = new Set(names.flatMap((name) => /^filter\.(.+)\.[^.]+$/s.exec(name)?.[1] ?? []));
  const off = [...filters].flatMap((name) => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.required`, "false"],
  ]);
  return { ...place, config: { ...place.config, ...Object.fromEntries(off) } };
}
