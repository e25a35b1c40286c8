import { differences, lossesAtEnd } from "./kill.ts";
import type { Rehearsal } from "./rehearsal.ts";
import type { Point } from "./trace.ts";
import type { TracedRun } from "./traced.ts";

/** How a run ended that an error of the system met, and what must not have happened; nothing where all is well. */
export interface Failure {
  /**
   * `refused`: nothing was changed. `finished later`: it was decided already. `done without`: it could do without that
   * call.
   */
  readonly end: "refused" | "finished later" | "done without" | "broken";
  readonly losses: readonly string[];
}

/**
 * Lets one call fail. The run says so in one line and leaves everything as it was, or says that the next run completes
 * it; and it does.
 */
export async function failAt(rehearsal: Rehearsal, point: Point, errno: string): Promise<Failure> {
  const { place } = rehearsal;
  const ran = await rehearsal.strike(point, { kind: "error", errno });
  const end = endOf(ran);
  const found = place.contents();
  const losses = [...saidWrong(rehearsal, ran), ...(end === "broken" ? [`it ended with ${ran.code}`] : [])];
  const expected = end === "refused" ? rehearsal.before : end === "done without" ? rehearsal.after : undefined;
  if (expected !== undefined) {
    losses.push(...differences(found, expected), ...place.leftovers().map((file) => `${file} is left behind at once`));
  }
  losses.push(...(await lossesAtEnd(rehearsal, undefined, found)));
  return { end, losses };
}

function endOf({ code, stderr }: TracedRun): Failure["end"] {
  if (code === 0) return "done without";
  if (code !== 1) return "broken";
  return stderr.includes("the next run that writes finishes them") ? "finished later" : "refused";
}

/** An error names the file that it is about, in one line; where all went well there is none. */
function saidWrong({ place }: Rehearsal, { code, stderr }: TracedRun): string[] {
  const isClear = code === 0 ? stderr === "" : /^stet: (\/.*: .*)\n$/.test(stderr) && stderr.includes(place.folder);
  return isClear ? [] : [`it said ${JSON.stringify(stderr)}`];
}

/**
 * What a call can be met with. Disks fill up and break at any time; limits and rights show where files are opened or
 * named.
 */
export function errorsAt({ changes, name }: Point): readonly string[] {
  if (changes) return ["ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE", "EXDEV"];
  return name === "openat" ? ["EIO", "EACCES", "EMFILE"] : name === "fcntl" ? ["EIO"] : ["EIO", "EACCES"];
}
