import { dirname, join, parse, resolve, sep } from "node:path";
import type { FileStatus, Gate, Reader } from "./gate.ts";
import { storeError } from "./store-error.ts";

/** More links on one way than any system follows. */
const maxLinks = 40;

/** What looking for links takes: reading, and whom we act as. */
export type LinkReader = Pick<Reader, "stat" | "readLink" | "realPath"> & Pick<Gate, "userId">;

/**
 * Refuses a path that somebody else's link leads on: whoever may put a link into a folder could otherwise choose which
 * of our files is read or written. Links of root and our own are trusted. An ordinary user also follows those that lead
 * to what belongs to whoever made them; root does not, since such a link can be pointed elsewhere once it has been
 * looked at.
 */
export function refuseForeignLinks(gate: LinkReader, path: string): void {
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

function refuseForeign(gate: LinkReader, path: string, link: string, { uid }: FileStatus): void {
  if (uid === 0 || uid === gate.userId) return;
  const real = gate.realPath(link);
  const isTheirs = ownerOf(gate, real) === uid;
  if (isTheirs && gate.userId !== 0) return;
  const why = isTheirs ? "; root follows no link of another user" : `, which is not theirs`;
  const message = `user ${uid} made the link ${link} on the way to it, which leads to ${real}${why}; remove the link, or run as that user`;
  throw storeError("foreign-link", path, message);
}

/** Of what is there, or of the folder in which it would be made. */
function ownerOf(gate: LinkReader, real: string): number | undefined {
  for (let at = real; ; at = dirname(at)) {
    const status = gate.stat(at);
    if (status !== undefined || dirname(at) === at) return status?.uid;
  }
}

/** The same file system, in which nothing is read by way of a link that `refuseForeignLinks` refuses. */
export function withoutForeignLinks(reader: Reader, userId: number | undefined): Reader {
  if (userId === undefined) return reader;
  const { stat, realPath, readLink } = reader;
  const links: LinkReader = { stat, realPath, readLink, userId };
  const refuse = (path: string) => {
    if (reader.realPath(path) !== path) refuseForeignLinks(links, path);
  };
  return {
    stat,
    realPath,
    read(path) {
      refuse(path);
      return reader.read(path);
    },
    readLink(path) {
      refuse(dirname(path));
      return reader.readLink(path);
    },
    list(path) {
      refuse(path);
      return reader.list(path);
    },
  };
}
