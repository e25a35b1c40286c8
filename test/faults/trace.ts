/** One system call of the program's main thread, as strace tells it. */
export interface Call {
  readonly name: string;
  /** The how-manieth of its name since the process began: what strace counts by. */
  readonly nth: number;
  /** The whole line. Files that are open appear as `18</path>`. */
  readonly line: string;
  /** Whether a disk can look different afterwards; what only reads leaves what the call after it finds. */
  readonly changes: boolean;
}

/**
 * Every call that a trace of `strace -y` tells of. Only the main thread is traced: all of stet's own calls are made
 * there.
 */
export function callsOf(trace: string): readonly Call[] {
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of trace.split("\n")) {
    const name = /^(\w+)\(/.exec(line)?.[1];
    if (name === undefined) continue;
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    calls.push({ name, nth, line, changes: changes(name, line) });
  }
  return calls;
}

/** A call that is about a story's files: the how-manieth of these. */
export interface Point extends Call {
  readonly at: number;
}

/**
 * The calls that touch a folder or the table of mounts; the rest is Node's own business. Starting the program is none
 * of them.
 */
export function pointsOf(calls: readonly Call[], folder: string): readonly Point[] {
  const isOurs = (file: string) => file.startsWith(folder) || file === "/proc/self/mountinfo";
  return calls
    .filter((call) => call.name !== "execve" && call.name !== "getcwd" && pathsOf(call).some(isOurs))
    .map((call, at) => ({ ...call, at }));
}

/**
 * Whether two calls of two runs are the same one, by name and the files it is about, whatever stage and run they are
 * of.
 */
export function isSameCall(a: Call, b: Call): boolean {
  return a.name === b.name && placesOf(a) === placesOf(b);
}

/** Without what differs from run to run: the stage, and names that are random or hashes of paths. */
function placesOf(call: Call): string {
  return pathsOf(call)
    .join(" ")
    .replace(/\/stage-\w+\//g, "/stage/")
    .replace(/[0-9a-f]{12,}/g, "*");
}

/** The files a call is about: those it names, and those that are open behind its numbers. */
export function pathsOf({ line }: Call): readonly string[] {
  // What a call returned is no part of what it is about: one that is killed returns nothing.
  const asked = line.slice(0, line.lastIndexOf(" = "));
  return [...asked.matchAll(/"(\/[^"]*)"|\d+<(\/[^>]*)>/g)].map((match) => match[1] ?? match[2]!);
}

const reading = new Set(
  "statx newfstatat fstat lstat stat statfs readlink readlinkat read pread64 close access faccessat2 mmap flistxattr fgetxattr getdents64 fcntl lseek ioctl".split(
    " ",
  ),
);

function changes(name: string, line: string): boolean {
  if (name === "openat" || name === "open") return line.includes("O_CREAT") || line.includes("O_TRUNC");
  return !reading.has(name);
}
