import type { Reason, Verdict } from "../core/entry.ts";
import { canonicalText, type Value } from "../core/value.ts";
import { type Paint, printableLine } from "./colour.ts";

/** How an entry's outcome is told: a sign, its colour, and the words. */
export interface VerdictWords {
  readonly sign: string;
  readonly colour: keyof Paint;
  readonly word: string;
}

/** What a plan is made for, where that is not to install or upgrade a pack. */
export type Occasion = "resolve" | "rollback" | "uninstall";

type Told = (owner: string) => string;

const byVerdict: Readonly<Record<Verdict, readonly [sign: string, colour: keyof Paint, told: Told]>> = {
  create: ["+", "green", () => "added"],
  update: ["~", "yellow", () => "updated"],
  merge: ["~", "yellow", () => "updated, with your changes kept"],
  restore: ["+", "magenta", () => "put back: you had deleted it"],
  remove: ["-", "red", (owner) => `removed: ${owner} no longer needs it`],
  dedupe: ["-", "red", () => "duplicate removed"],
  move: [">", "cyan", () => "renamed"],
  keep: ["=", "blue", () => "kept as you have it"],
  conflict: ["!", "red", (owner) => `needs you: you and ${owner} both changed it`],
  adopt: ["=", "green", () => "now managed"],
  forget: ["·", "dim", () => "no longer tracked"],
  unchanged: ["·", "dim", () => "current"],
};

/** Where the reason says more than the verdict. */
const byReason: Readonly<Partial<Record<Reason, Told>>> = {
  "user-modified": () => "kept as you have it",
  "user-owned": () => "yours: it was there first",
  "user-deleted": () => "kept out: you deleted it",
  "obsolete-modified": (owner) => `kept: ${owner} no longer needs it, but you edited it`,
  disowned: () => "yours for good",
  "prune-off": (owner) => `kept: ${owner} no longer needs it, but --no-prune`,
  elsewhere: (owner) => `kept: where ${owner} was before a variable changed`,
  held: () => "held: you went back from this version",
  "create-only": () => "kept: written once, yours since",
  locked: () => "kept: it can't be edited safely",
  blocked: () => "not added: something else is in the way",
  ambiguous: () => "needs you: it is gone, and several entries could be what became of it",
  "owners-differ": () => "needs you: two owners want different things; what is there stays",
  "earlier-release": () => "updated: an earlier release had installed it",
  found: () => "back to how it was found",
  "script-removed": () => "removed although you edited it: the script that it runs is removed",
  reverted: () => "kept as an earlier release left it",
};

/** Resolving, going back and leaving do the same things for other reasons. */
const byOccasion: Readonly<Record<Occasion, Readonly<Partial<Record<Verdict | Reason, Told>>>>> = {
  resolve: {
    adopt: () => "resolved: your value stays",
    update: () => "resolved: replaced",
    merge: () => "resolved: as you wrote it",
  },
  rollback: {
    create: () => "put back",
    restore: () => "put back",
    update: () => "back to how it was",
    merge: () => "back to how it was, with your changes kept",
    remove: () => "removed: it was not there then",
    move: () => "renamed back",
    "obsolete-modified": () => "kept: it was not there then, but you edited it since",
  },
  uninstall: {
    remove: () => "removed",
    "obsolete-modified": () => "kept: you edited it",
  },
};

export function verdictWords(
  verdict: Verdict,
  reason: Reason | undefined,
  owner: string,
  occasion?: Occasion,
): VerdictWords {
  const [sign, colour, told] = byVerdict[verdict];
  const spoken = reason === "earlier-release" && verdict !== "update" ? undefined : reason;
  const own = occasion === undefined ? {} : byOccasion[occasion];
  const why = spoken === undefined ? own[verdict] : (own[spoken] ?? byReason[spoken] ?? own[verdict]);
  return { sign, colour, word: (why ?? told)(owner) };
}

/** What the summary counts, in this order; verdicts that nobody needs to hear of are not in it. */
const counts: readonly (readonly [one: string, many: string, verdicts: readonly Verdict[]])[] = [
  ["added", "added", ["create"]],
  ["updated", "updated", ["update", "merge"]],
  ["renamed", "renamed", ["move"]],
  ["put back", "put back", ["restore"]],
  ["removed", "removed", ["remove", "dedupe"]],
  ["now managed", "now managed", ["adopt"]],
];

/** The entries of a plan in words: `3 added, 1 updated, 2 kept as you have them, 1 needs you`. */
export function countsInWords(entries: readonly { readonly verdict: Verdict; readonly reason?: Reason }[]): string[] {
  const count = (matches: (entry: (typeof entries)[number]) => boolean) => entries.filter(matches).length;
  const changes = counts.map(([one, many, verdicts]): [number, string, string] => [
    count(({ verdict }) => verdicts.includes(verdict)),
    one,
    many,
  ]);
  const kept = count(({ verdict, reason }) => verdict === "keep" && !isQuietReason(reason));
  const waiting = count(({ verdict }) => verdict === "conflict");
  const all: [number, string, string][] = [
    ...changes,
    [kept, "kept as you have it", "kept as you have them"],
    [waiting, "needs you", "need you"],
  ];
  return all.flatMap(([number, one, many]) => (number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]));
}

/** What stays as it is without anybody having to hear of it on every run. */
export function isQuietReason(reason: Reason | undefined): boolean {
  return reason === "disowned" || reason === "user-deleted" || reason === "user-owned" || reason === "elsewhere";
}

/** A value in a few words of one line. */
export function brief(value: Value | undefined, width = 72): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? JSON.stringify(value) : canonicalText(value);
  return printableLine(text.length > width ? `${text.slice(0, width - 3)}…` : text);
}

/** A path as a person would say it: below the home as manifests and records spell it, on Windows too. */
export function tilde(path: string, home: string): string {
  const rest = path.startsWith(home) ? path.slice(home.length) : undefined;
  if (rest === "" || rest?.startsWith("/")) return printableLine(`~${rest}`);
  const isOfWindows = /^(?:[A-Za-z]:|\\\\)/.test(home);
  return printableLine(isOfWindows && rest?.startsWith("\\") ? `~${rest.replaceAll("\\", "/")}` : path);
}

/**
 * Paths inside a sentence or a command, as a person would say them. One in quotes stays: no shell reads a tilde there.
 */
export function tildeInText(text: string, home: string): string {
  return printableLine(text.replaceAll(/(?<=^|[\s(])(?:\/|[A-Za-z]:[\\/])\S+/g, (path) => tilde(path, home)));
}

/** A file of a project as the project names it, any other as a person would say it. */
export function speltIn(
  path: string,
  { home, project }: { readonly home: string; readonly project?: string | undefined },
): string {
  return project !== undefined && path.startsWith(`${project}/`)
    ? printableLine(path.slice(project.length + 1))
    : tilde(path, home);
}

/** A time of the history, to the second; all of them are UTC. */
export function moment(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")}Z`;
}

/** `1 entry`, `2 entries`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
