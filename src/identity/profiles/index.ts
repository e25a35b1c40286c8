import type { PathContext } from "../paths/path-context.ts";
import { canonicalPath, portablePath } from "../paths/paths.ts";
import type { Rule } from "../rules/rule.ts";
import { aider, claudeCode, codex, continueDev, cursor, gemini, goose, opencode, vscode, zed } from "./agents.ts";
import { amp, antigravity, claudeDesktop, cline, copilotCli, junie, roo, warp, windsurf } from "./mcp-clients.ts";

export const profileNames = [
  "claude-code",
  "codex",
  "gemini",
  "opencode",
  "cursor",
  "vscode",
  "zed",
  "aider",
  "continue",
  "goose",
  "claude-desktop",
  "windsurf",
  "copilot-cli",
  "cline",
  "roo",
  "amp",
  "warp",
  "junie",
  "antigravity",
] as const;
export type ProfileName = (typeof profileNames)[number];

/** What stet knows of one agent runtime's config files. Data: `docs/profiles.md` shows it, and a test compares. */
export interface Profile {
  readonly name: ProfileName;
  /** For people: `Claude Code`. */
  readonly title: string;
  readonly files: readonly FilePattern[];
  /** Asked in order: the first that can name an item has it. */
  readonly rules: readonly Rule[];
  /** Asked after the manifest's own. */
  readonly policies: readonly ProfilePolicy[];
  /** Types of entries that name a program which is started without a shell: nothing expands a `~` in them. */
  readonly startsDirectly: readonly string[];
  /** Types of entries in which the runtime itself expands `${NAME}`. */
  readonly expandsVariables: readonly string[];
  /** What else it expands, in words for the page: its own syntax, and where. */
  readonly expands?: string | undefined;
  /** What else a pack's author should know, in words for the page. */
  readonly note?: string | undefined;
  /** Where this was looked up. */
  readonly sources: readonly string[];
  /** Entries that the runtime itself takes from one of its files to another, in the same folder. */
  readonly migrates?: readonly { readonly from: FilePattern; readonly to: string }[] | undefined;
}

/**
 * Which files are this runtime's, by the last names of their path: `.claude/settings.json` may stand in any folder.
 * One that begins with `~/`, or with `$VARIABLE/` (where that is set), is meant from there only. A `*` in the last
 * name is any text: a folder that the runtime reads all files of.
 */
type FilePattern = string;

/** The policy syntax of a manifest. */
interface ProfilePolicy {
  readonly match: string;
  readonly "when-deleted": "restore" | "respect";
}

export const profiles: readonly Profile[] = [
  claudeCode,
  codex,
  gemini,
  opencode,
  cursor,
  vscode,
  zed,
  aider,
  continueDev,
  goose,
  claudeDesktop,
  windsurf,
  copilotCli,
  cline,
  roo,
  amp,
  warp,
  junie,
  antigravity,
];

export function profileNamed(name: string): Profile | undefined {
  return profiles.find((profile) => profile.name === name);
}

/**
 * Whose file this is, judged by its path alone. A place that a variable names says more than the last names of a path.
 */
export function profileFor(target: string, ctx: PathContext): Profile | undefined {
  const place = canonicalPath(target, ctx);
  const anchored = profiles.find(({ files }) => files.some((file) => isAnchored(file) && isAt(file, place, ctx)));
  if (anchored !== undefined) return anchored;
  const likely = profiles.flatMap((profile) =>
    profile.files.filter((file) => !isAnchored(file) && endsLike(file, target, ctx)).map((file) => ({ profile, file })),
  );
  // `.warp/.mcp.json` says more than `.mcp.json`.
  const most = Math.max(...likely.map(({ file }) => file.split("/").length));
  return likely.find(({ file }) => file.split("/").length === most)?.profile;
}

/** The file beside it that a runtime moves entries of this one to; undefined where it leaves them alone. */
export function migratesTo(target: string, ctx: PathContext): string | undefined {
  return migrations.find(({ from }) => endsLike(from, target, ctx))?.to;
}

const migrations = profiles.flatMap(({ migrates = [] }) => migrates);

/**
 * A manifest's own rules with a profile's behind them. Who says how one type is told apart says it for all of that
 * type.
 */
export function rulesWithProfile(own: readonly Rule[], profile: Profile | undefined): readonly Rule[] {
  const types = new Set(own.map(({ type }) => type));
  return [...own, ...(profile?.rules ?? []).filter(({ type }) => !types.has(type))];
}

function isAnchored(pattern: FilePattern): boolean {
  return pattern.startsWith("~") || pattern.startsWith("$");
}

/** `place`: a canonical path. */
function isAt(pattern: FilePattern, place: string, ctx: PathContext): boolean {
  const variable = pattern.startsWith("$") ? pattern.slice(1).split("/", 1)[0]! : undefined;
  if (variable !== undefined && !ctx.env[variable]) return false;
  return canonicalPath(pattern, ctx) === place;
}

/** By the path as it is written: a link to a file in a dotfiles repository is still the runtime's file. */
function endsLike(pattern: FilePattern, target: string, ctx: PathContext): boolean {
  // Asked of every file there is, so what can't be is left out first.
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  if (!target.toLowerCase().endsWith(name.slice(name.indexOf("*") + 1).toLowerCase())) return false;
  const fold = ctx.foldsCase(target) ? (text: string) => text.toLowerCase() : (text: string) => text;
  const names = fold(portablePath(target, ctx)).split("/");
  const wanted = fold(pattern).split("/");
  const there = names.slice(-wanted.length);
  const [last = "", sought = ""] = [there.pop(), wanted.pop()];
  const [head, tail] = sought.split("*");
  const isNamed = tail === undefined ? last === sought : last.startsWith(head!) && last.endsWith(tail);
  return isNamed && there.join("/") === wanted.join("/");
}
