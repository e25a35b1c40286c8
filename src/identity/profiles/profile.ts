import type { Rule } from "../rules/rule.ts";

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
export type FilePattern = string;

/** The policy syntax of a manifest. */
export interface ProfilePolicy {
  readonly match: string;
  readonly "when-deleted": "restore" | "respect";
}
