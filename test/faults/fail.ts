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
 * What a run did that an error met. It says so in one line and leaves everything as it was, or says that the next run
 * completes it; and it does.
 */
export async function afterError(rehearsal: Rehearsal, ran: TracedRun): Promise<Failure> {
  const { place } = rehearsal;
  const end = endOf(ran);
  const found = place.contents();
  const losses = [...saidWrong(rehearsal, ran), ...(end === "broken" ? [`it ended with ${ran.code}`] : [])];
  const expected = end === "refused" ? rehearsal.before : end === "done without" ? rehearsal.after : undefined;
  if (expected !== undefined) {
    losses.push(...differences(found, expected), ...place.leftovers().map((file) => `${file} is left behind at once`));
  }
  losses.push(...(await rehearsal.sameEnd(() => lossesAtEnd(rehearsal, undefined, found))));
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

const reading = ["EIO", "EACCES"];
const naming = [...reading, "EROFS"];
const adding = [...naming, "ENOSPC"];

/**
 * What a call can be met with, as its manual says: disks break at any time and fill up where something is written,
 * rights and limits show where files are opened or named, and some disks have no exchange and no second names.
 */
const errorsOf: Readonly<Record<string, readonly string[]>> = {
  statx: reading,
  readlink: reading,
  access: reading,
  open: [...reading, "EMFILE"],
  create: [...adding, "EMFILE"],
  mkdir: adding,
  symlink: adding,
  rename: [...adding, "EXDEV"],
  renameat2: [...adding, "EXDEV", "EINVAL"],
  link: [...adding, "EXDEV", "EPERM"],
  unlink: naming,
  rmdir: naming,
  write: ["EIO", "ENOSPC"],
  pwrite64: ["EIO", "ENOSPC"],
  fsync: ["EIO", "ENOSPC"],
  ftruncate: ["EIO", "EROFS"],
  fchmod: naming,
  fchown: naming,
  fsetxattr: adding,
};

export function errorsAt({ changes, name }: Point): readonly string[] {
  const call = name === "openat" ? (changes ? "create" : "open") : name;
  return errorsOf[call] ?? (changes ? adding : ["EIO"]);
}
