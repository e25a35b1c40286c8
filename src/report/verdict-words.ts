import type { Reason, Verdict } from "../core/entry.ts";
import type { Paint } from "./colour.ts";

export interface VerdictWords {
  readonly sign: string;
  readonly colour: keyof Paint;
  readonly word: string;
}

const byVerdict: Readonly<Record<Verdict, VerdictWords>> = {
  create: { sign: "+", colour: "green", word: "added" },
  update: { sign: "~", colour: "yellow", word: "updated" },
  merge: { sign: "~", colour: "yellow", word: "updated, your changes kept" },
  restore: { sign: "+", colour: "magenta", word: "put back: it had been deleted" },
  remove: { sign: "-", colour: "red", word: "removed: no longer needed" },
  dedupe: { sign: "-", colour: "red", word: "was there more than once; the copies go" },
  move: { sign: ">", colour: "cyan", word: "renamed" },
  keep: { sign: "=", colour: "blue", word: "kept" },
  conflict: { sign: "!", colour: "red", word: "conflict: both of you changed it; yours stands" },
  adopt: { sign: "=", colour: "green", word: "already as wanted; kept current from now on" },
  forget: { sign: "·", colour: "dim", word: "gone already; forgotten" },
  unchanged: { sign: "·", colour: "dim", word: "up to date" },
};

/** The reason in plain words, where there is one that says more than the verdict. */
const byReason: Readonly<Partial<Record<Reason, string>>> = {
  "user-modified": "kept: you changed it",
  "user-owned": "kept: it was there before, so it is yours",
  "user-deleted": "stays out: you deleted it",
  "obsolete-modified": "kept: no longer needed, but you changed it; remove it if you agree",
  disowned: "kept: handed over to you",
  "prune-off": "kept: no longer needed, but --no-prune",
  held: "held back: you left this version",
  "create-only": "kept: written once, then yours",
  locked: "kept: can't be edited safely",
  blocked: "not added: something else is in the way",
  ambiguous: "conflict: gone, and several entries could be what became of it",
  "owners-differ": "conflict: two owners want different things; what is there stands",
  "earlier-release": "updated: an earlier release had installed it",
};

/** What a plan is made for, where that is not making a pack true. */
export type Occasion = "resolve" | "rollback" | "uninstall";

/** Settling, going back, leaving: what happens is the same, and why is not. */
const byOccasion: Readonly<Record<Occasion, Readonly<Partial<Record<Verdict | Reason, string>>>>> = {
  resolve: { adopt: "settled: your value stands", update: "settled: replaced", merge: "settled: as you wrote it" },
  rollback: {
    create: "put back",
    restore: "put back",
    update: "back to how it was",
    merge: "back to how it was, your changes kept",
    remove: "taken out: it was not there then",
    move: "renamed back",
    "obsolete-modified": "kept: it was not there then, but you changed it since",
  },
  uninstall: {
    remove: "taken out",
    "obsolete-modified": "kept: you changed it, so it stays",
  },
};

/** How a verdict is shown: a sign, its colour, and why in plain words. */
export function verdictWords(verdict: Verdict, reason: Reason | undefined, occasion?: Occasion): VerdictWords {
  const words = byVerdict[verdict];
  const spoken = reason === "earlier-release" && verdict !== "update" ? undefined : reason;
  const own = occasion === undefined ? {} : byOccasion[occasion];
  const why = spoken === undefined ? own[verdict] : (own[spoken] ?? byReason[spoken] ?? own[verdict]);
  return why === undefined ? words : { ...words, word: why };
}
