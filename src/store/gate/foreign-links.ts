import { dirname, join, parse, resolve, sep } from "node:path";
import type { FileStatus, Gate } from "./gate.ts";
import { storeError } from "./store-error.ts";

/** More links on one way than any system follows. */
const maxLinks = 40;

/**
 * Refuses a path that somebody else's link leads on to what is not theirs: whoever may put a link into a folder could otherwise choose
 * which of our files is written. Links of root and our own are trusted, and so are those that lead to what belongs to whoever made them.
 */
export function refuseForeignLinks(gate: Gate, path: string): void {
  if (gate.userId === undefined) return;
  const { root } = parse(resolve(path));
  let rest = segmentsOf(resolve(path));
  let at = root;
  for (let links = 0; rest.length > 0 && links <= maxLinks; ) {
    const [name, ...following] = rest as [string, ...string[]];
    rest = following;
    const here = join(at, name);
    const status = gate.stat(here);
    // Below what is not there, nothing is.
    if (status === undefined) return;
    if (status.kind !== "link") {
      at = here;
      continue;
    }
    links++;
    refuseForeign(gate, path, here, status);
    const target = resolve(at, gate.readLink(here) ?? "");
    [at, rest] = [root, [...segmentsOf(target), ...rest]];
  }
}

function segmentsOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((segment) => segment !== "");
}

function refuseForeign(gate: Gate, path: string, link: string, { uid }: FileStatus): void {
  if (uid === 0 || uid === gate.userId) return;
  const real = gate.realPath(link);
  const owner = ownerOf(gate, real);
  if (owner === uid) return;
  const message = `the link ${link} on the way to it was made by user ${uid}, and leads to ${real}, which is not theirs; remove the link, or run as that user`;
  throw storeError("foreign-link", path, message);
}

/** Of what is there, or of the folder in which it would be made. */
function ownerOf(gate: Gate, real: string): number | undefined {
  for (let at = real; ; at = dirname(at)) {
    const status = gate.stat(at);
    if (status !== undefined || dirname(at) === at) return status?.uid;
  }
}
