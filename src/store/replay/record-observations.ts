import { sha256 } from "../gate/content.ts";
import type { FileStatus, Gate, Reader } from "../gate/gate.ts";
import {
  byFolder,
  contentSeen,
  type Environment,
  type FileObservation,
  namesSeen,
  type Observations,
  type Stamp,
  type StatusSeen,
  stampsHash,
  valueSeen,
} from "./fingerprint.ts";

/** How many bytes recordings may still read, all of a run together. */
export interface Budget {
  bytes: number;
  /** Which files may be large: to look at any other one twice would take too long. */
  mayBeLarge(path: string): boolean;
}

/** How much of what was read is kept, to be compared byte by byte: to read that again takes no time. */
const maxKept = 1 << 20;

/** When a disk was last written to, before anything was looked at, by its own clock. */
export type Moment = Pick<FileStatus, "device" | "changed">;

/**
 * Writes down what passes through it. The gate reads and does nothing else: any other member throws, so a computation
 * that ends well depends on nothing but what is on record.
 */
export class ObservationRecorder {
  readonly gate: Gate;
  readonly env: Environment;
  readonly #files = new Map<string, FileObservation>();
  readonly #variables = new Map<string, string | null>();
  readonly #stamps = new Map<string, Stamp>();
  readonly #budget: Budget;
  readonly #since: Moment;
  #read = 0;
  #useless = false;

  constructor(gate: Gate, env: Environment, budget: Budget, since: Moment) {
    this.#budget = budget;
    this.#since = since;
    this.gate = this.#onlyReading({ ...this.#reader(gate), userId: gate.userId });
    this.env = this.#environment(env);
  }

  /** Undefined if a question got two answers or none, or can't be asked again. */
  observations(): Observations | undefined {
    if (this.#useless) return undefined;
    const variables = Object.fromEntries([...this.#variables].sort(([a], [b]) => (a < b ? -1 : 1)));
    const all = [...this.#files.values()];
    if (this.#read <= maxKept) return { files: all, variables };
    const files = all.filter(([kind, path]) => kind === "realPath" || !this.#stamps.has(path));
    const folders = byFolder(this.#stamps.keys());
    const hash = stampsHash(folders, (path) => this.#stamps.get(path), sha256)!;
    return keptIn(files) > maxKept ? undefined : { files, variables, stamped: { folders, hash } };
  }

  #reader(base: Reader): Reader {
    return {
      read: (path) => {
        const status = this.#stamped(path, base);
        const bytes = this.#asked(() => base.read(path));
        this.#read += bytes?.length ?? 0;
        this.#budget.bytes -= bytes?.length ?? 0;
        const isLarge = (bytes?.length ?? 0) > maxKept && !this.#budget.mayBeLarge(path);
        if (isLarge || this.#budget.bytes < 0) this.#refuse("there is too much to read");
        if (status === undefined && bytes === undefined) this.#status(path, undefined);
        else this.#note(["read", path, contentSeen(bytes)]);
        return bytes;
      },
      stat: (path) =>
        this.#status(
          path,
          this.#asked(() => base.stat(path)),
        ),
      realPath: (path) => {
        const real = base.realPath(path);
        this.#note(["realPath", path, real]);
        return real;
      },
      list: (path) => {
        this.#stamped(path, base);
        const names = this.#asked(() => base.list(path));
        this.#note(["list", path, namesSeen(names)]);
        return names;
      },
      readLink: (path) => {
        const target = this.#asked(() => base.readLink(path));
        this.#note(["readLink", path, target ?? null]);
        return target;
      },
    };
  }

  /**
   * Taken before something is read, so that every later change shows: it is dated at the moment the recording began, or
   * later. What was changed in that very moment could change once more without another date; and of other disks nobody
   * knows the clock.
   */
  #stamped(path: string, base: Reader): FileStatus | undefined {
    const status = this.#asked(() => base.stat(path));
    const isDated = status?.device === this.#since.device && status.changed < this.#since.changed;
    if (isDated && (status.kind === "file" || status.kind === "folder") && !this.#stamps.has(path))
      this.#stamps.set(path, status);
    return status;
  }

  /** An error is an answer that can't be compared, also where it is caught and lived with. */
  #asked<T>(ask: () => T): T {
    try {
      return ask();
    } catch (error) {
      this.#useless = true;
      throw error;
    }
  }

  #refuse(why: string): never {
    this.#useless = true;
    throw new Error(`not recorded: ${why}`);
  }

  #note(observation: FileObservation): void {
    const [kind, path, seen] = observation;
    const before = this.#files.get(`${kind} ${path}`);
    if (before !== undefined && before[2] !== seen) this.#useless = true;
    this.#files.set(`${kind} ${path}`, observation);
  }

  /** The answer with its fields watched: each counts once somebody looks at it. */
  #status(path: string, status: FileStatus | undefined): FileStatus | undefined {
    const before = this.#files.get(`stat ${path}`)?.[2] as Partial<FileStatus> | null | undefined;
    if (before !== undefined && before?.kind !== status?.kind) this.#useless = true;
    const seen: Record<string, unknown> | null = before ?? (status === undefined ? null : { kind: status.kind });
    this.#files.set(`stat ${path}`, ["stat", path, seen as StatusSeen | null]);
    if (status === undefined || seen === null) return status;
    const look = <K extends keyof FileStatus>(field: K): FileStatus[K] => {
      if (Object.hasOwn(seen, field) && seen[field] !== status[field]) this.#useless = true;
      seen[field] = status[field];
      return status[field];
    };
    return {
      kind: status.kind,
      get mode() {
        return look("mode");
      },
      get uid() {
        return look("uid");
      },
      get gid() {
        return look("gid");
      },
      get links() {
        return look("links");
      },
      get size() {
        return look("size");
      },
      get modified() {
        return look("modified");
      },
      get changed() {
        return look("changed");
      },
      get inode() {
        return look("inode");
      },
      get device() {
        return look("device");
      },
    };
  }

  #environment(env: Environment): Environment {
    const ask = (name: string | symbol) => {
      if (typeof name === "string") this.#variables.set(name, valueSeen(name, env[name], sha256));
    };
    return new Proxy(env, {
      get: (_, name) => {
        ask(name);
        return env[name as string];
      },
      getOwnPropertyDescriptor: (_, name) => {
        ask(name);
        return Reflect.getOwnPropertyDescriptor(env, name);
      },
      has: (_, name) => {
        ask(name);
        return Reflect.has(env, name);
      },
      // All names at once (as on Windows, where case does not matter): the answer is every variable there is.
      ownKeys: () => {
        return this.#refuse("all variables count");
      },
    });
  }

  /**
   * Whom we act as counts without being written down: a fingerprint is believed by the user who wrote it, and nobody
   * else.
   */
  #onlyReading(reader: Reader & Pick<Gate, "userId">): Gate {
    return new Proxy(reader, {
      get: (_, name) =>
        Object.hasOwn(reader, name) ? reader[name as keyof Reader] : this.#refuse(`${String(name)} is not reading`),
      ownKeys: () => this.#refuse("all of the gate"),
    }) as Gate;
  }
}

/** How many bytes would have to be read again. */
function keptIn(files: readonly FileObservation[]): number {
  return files.reduce((sum, [kind, , seen]) => sum + (kind === "read" ? (seen?.length ?? 0) : 0), 0);
}
