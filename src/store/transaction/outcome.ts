import { basename } from "node:path";
import { observe, type Recognise, sameContent, sha256 } from "../gate/content.ts";
import type { Reader } from "../gate/gate.ts";
import type { JournalChange, JournalRegistry } from "./journal.ts";

/**
 * What becomes of a file of a committed journal.
 *
 * `apply`: it is as the plan saw it and its replacement waits beside it. `done`: it was replaced; if it differs by now,
 * somebody edited it afterwards, and the new record is right about what we wrote. `left`: somebody edited it before it
 * was replaced. It is left alone, and its record stays the old one. `late`: it was replaced, and what was replaced is
 * not what the plan saw: somebody without a lock was in between. It is put back.
 */
export type StoreOutcome = "apply" | "done" | "left" | "late";

export function outcomeOf(reader: Reader, change: JournalChange, recognise?: Recognise): StoreOutcome {
  const temp = observe(reader, change.temp, recognise);
  if (temp.kind === "absent") return "done";
  const staged = sameContent(temp, stagedContent(change));
  // What is replaced or removed takes the place of what waited there: anything else at that place means that it
  // happened.
  if (!staged && sameContent(temp, change.before)) return "done";
  const actual = observe(reader, change.real, recognise);
  // A new file that was given its name, and edited before it lost the temporary one: one file under two names.
  if (!staged && change.before.kind === "absent") return sameContent(actual, temp) ? "done" : "left";
  // Only what we wrote gives way: where somebody has edited that since, the newest stands.
  if (!staged) return sameContent(actual, change.after) ? "late" : "left";
  return outcomeBeside(actual, change);
}

/**
 * The same where the replacement is known to wait: a run that has just put it there, and read it back, need not read it
 * once more.
 */
export function outcomeOfStaged(reader: Reader, change: JournalChange, recognise: Recognise): StoreOutcome {
  return outcomeBeside(observe(reader, change.real, recognise), change);
}

function outcomeBeside(actual: ReturnType<typeof observe>, { before, after }: JournalChange): StoreOutcome {
  // Before `done`: where only the mode changes, old and new content are the same.
  if (sameContent(actual, before)) return "apply";
  return sameContent(actual, after) ? "done" : "left";
}

/** What is at the temporary place of a change until the change is carried out. */
export function stagedContent(change: Pick<JournalChange, "after" | "temp">): JournalChange["after"] {
  return change.after.kind === "absent" ? { kind: "file", sha256: sha256(removalMark(change.temp)) } : change.after;
}

/** Stands for a file that is to go. Its name is random, so no user's file reads like it. */
export function removalMark(temp: string): Buffer {
  return Buffer.from(`stet: ${basename(temp)}\n`);
}

/** The registry's text once recovery is through, given the files that had to be left alone. */
export function finalRegistry(
  reader: Reader,
  registry: JournalRegistry,
  left: readonly JournalChange[],
): string | undefined {
  const sections = new Set(left.flatMap(sectionsOf));
  const before = reader.read(registry.real)?.toString("utf8");
  const after = registry.after.kind === "absent" ? undefined : reader.read(registry.temp)?.toString("utf8");
  return sections.size === 0 ? after : composeRegistry(before, after, sections);
}

/** The members of registries that record a file. */
export function sectionsOf({ section, otherSections = [] }: JournalChange): string[] {
  return section === null ? otherSections : [section, ...otherSections];
}

/**
 * A registry put together from two: the new one, but with some members of its `files` as the old one had them. Every
 * other field is the new one's. Both texts are ours, so values survive parsing: what no double can hold is spelt out in
 * a registry.
 */
export function composeRegistry(
  before: string | undefined,
  after: string | undefined,
  keepOld: ReadonlySet<string>,
): string | undefined {
  const old = parse(before);
  const kept = Object.entries(old?.files ?? {}).filter(([section]) => keepOld.has(section));
  // The registry was to go: it stays for the files that could not be given back, if it had any of them.
  if (after === undefined) return kept.length === 0 ? undefined : render({ ...old, files: Object.fromEntries(kept) });
  const next = parse(after);
  const replaced = Object.entries(next?.files ?? {}).filter(([section]) => !keepOld.has(section));
  return render({ ...next, files: Object.fromEntries([...replaced, ...kept]) });
}

interface Sections {
  readonly files?: Readonly<Record<string, unknown>>;
}

function parse(text: string | undefined): Sections | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Sections);
}

function render(registry: Sections): string {
  return `${JSON.stringify(registry, null, 2)}\n`;
}
