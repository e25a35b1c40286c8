import { applyEdit, type Contents, type Rehearsal } from "./rehearsal.ts";
import type { Edit } from "./stories.ts";
import type { Point } from "./trace.ts";

/** What was found after a crash. */
export interface Crash {
  /** How the story's files stood when the process was dead. */
  readonly left: "old" | "new" | "between";
  readonly edit: Edit | undefined;
  /** What must not happen; nothing where all is well. */
  readonly losses: readonly string[];
}

/**
 * Kills a run at a point, and runs the command again: at once, and, where there is one to make, after the first of
 * `edits` that a person makes meanwhile. Then every file has to be as an undisturbed run leaves it, with the edit;
 * nothing lies about; and one more run changes nothing.
 */
export async function killAt(
  rehearsal: Rehearsal,
  point: Point,
  edits: readonly Edit[],
  where: "here" | "process" = "here",
): Promise<Crash> {
  const { place, story } = rehearsal;
  await rehearsal.strike(point, { kind: "kill" });
  const found = place.contents();
  const torn = story.files.filter(
    (file) => found[file] !== rehearsal.before[file] && found[file] !== rehearsal.after[file],
  );
  const losses = torn.map((file) => `${file} is torn: ${found[file]}`);
  place.save("crashed");
  losses.push(...(await lossesAtEnd(rehearsal, undefined, found, where)));
  if (edits.length > 0) place.restore("crashed");
  const edit = edits.find((each) => applyEdit(place, each));
  if (edit) {
    const after = await lossesAtEnd(rehearsal, edit, found);
    losses.push(...after.map((loss) => `after ${edit.words}: ${loss}`));
  }
  return { left: leftAs(rehearsal, found), edit, losses };
}

function leftAs({ before, after, story }: Rehearsal, found: Contents): Crash["left"] {
  const is = (end: Contents) => story.files.every((file) => found[file] === end[file]);
  return is(before) ? "old" : is(after) ? "new" : "between";
}

/** Runs the command to its end, and once more. `found`: what the crash left, before the edit. */
export async function lossesAtEnd(
  rehearsal: Rehearsal,
  edit: Edit | undefined,
  found: Contents,
  where: "here" | "process" = "here",
): Promise<string[]> {
  const { place, before } = rehearsal;
  try {
    await rehearsal.nextRun(where);
    const end = place.contents();
    const losses = place.leftovers().map((file) => `${file} is left behind`);
    const texts = edit === undefined ? [] : [...Object.values(end), ...place.kept()];
    if (edit && !texts.some((text) => text.includes(edit.words))) losses.push(`the edit ${edit.words} is lost`);
    const still = place.fingerprint();
    await rehearsal.nextRun(where);
    if (place.fingerprint() !== still) losses.push("the run after the next changes something");
    const moment = edit && found[edit.file] === before[edit.file] ? "before" : "after";
    const expected = edit ? await rehearsal.editedEnd(edit, moment) : rehearsal.after;
    return [...losses, ...differences(end, expected)];
  } catch (error) {
    return [String(error)];
  }
}

/** Where two contents differ: file by file, the first lines that do. */
export function differences(actual: Contents, expected: Contents): string[] {
  const files = [...new Set([...Object.keys(actual), ...Object.keys(expected)])].filter(
    (file) => actual[file] !== expected[file],
  );
  return files.map((file) => {
    const [is, should] = [actual[file], expected[file]].map((text) => text?.split("\n") ?? ["(no file)"]) as [
      string[],
      string[],
    ];
    const at = is.findIndex((line, index) => line !== should[index]);
    const shown = (lines: string[]) =>
      lines
        .slice(Math.max(0, at === -1 ? is.length : at))
        .slice(0, 3)
        .join(" ⏎ ");
    return `${file} reads ${shown(is)} in place of ${shown(should)}`;
  });
}
