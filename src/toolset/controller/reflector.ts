import { backoff, pause } from "../../system/pause.ts";
import { ApiError, type Call, hasStatus, type KubeApi, kubeObject, objectAnswer, serverMistake } from "../api/api.ts";
import { listPages } from "../api/resources.ts";
import {
  type Discovered,
  type Discovery,
  type DiscoveryRules,
  type Recognised,
  recognise,
  sortOut,
} from "../discover/discover.ts";
import { type KubeService, serviceFacts } from "../discover/service.ts";
import { refText } from "../tool.ts";

/** What is mirrored: one collection of objects. */
export interface WatchedCollection {
  readonly path: string;
  readonly query: NonNullable<Call["query"]>;
}

/**
 * Where the mirror image is kept. A list is taken over only as a whole: one that failed half-way is never an empty one.
 */
export interface ObjectMirror {
  beginList(): { take(item: object): void; commit(): void };
  changed(type: "ADDED" | "MODIFIED" | "DELETED", item: object): void;
}

export interface ReflectorTiming {
  /** The server is asked to end a watch after this many seconds; it is then resumed. */
  readonly watchSeconds: number;
  /** A watch with not a word for this long is taken for dead. */
  readonly silence: number;
  /** Everything is listed again this often, whatever the watch says. */
  readonly resync: number;
  readonly firstBackoff: number;
  readonly longestBackoff: number;
}

export const usualReflectorTiming: ReflectorTiming = {
  watchSeconds: 240,
  silence: 270_000,
  resync: 600_000,
  firstBackoff: 100,
  longestBackoff: 2_000,
};

export interface ReflectorOptions {
  readonly timing: ReflectorTiming;
  readonly signal: AbortSignal;
  now(): number;
  /** A watch or list failed; it will be tried again. */
  onRestart(error: unknown): void;
}

/**
 * List, watch, resume, and list again when needed, until the signal ends it. Survives anything the API server does. A
 * watch that ended is resumed at once, and one whose version is too old is followed by a list at once; only real
 * failures are waited for, and never for long: who waits is blind.
 */
export async function reflect(
  api: KubeApi,
  collection: WatchedCollection,
  mirror: ObjectMirror,
  options: ReflectorOptions,
): Promise<void> {
  const { signal, timing, now } = options;
  const position: Position = { version: undefined, listed: Number.NEGATIVE_INFINITY };
  let failures = 0;
  let expired = false;
  while (!signal.aborted) {
    const started = now();
    try {
      if (position.version === undefined || started - position.listed >= timing.resync) {
        position.version = await listInto(api, collection, mirror, signal);
        position.listed = now();
      }
      await watch(api, collection, mirror, position, options);
      // A server that hangs up at once is not well either.
      failures = now() - started < 1000 ? failures + 1 : 0;
      expired = false;
    } catch (error) {
      if (signal.aborted) return;
      options.onRestart(error);
      failures = now() - started < timing.longestBackoff ? failures + 1 : 1;
      const isExpired = hasStatus(error, 410);
      if (isExpired) position.version = undefined;
      // The first time it only means that we were away for long. Right after a list, the server is not well.
      if (isExpired && !expired) failures = 0;
      expired = isExpired;
    }
    if (failures > 0) await pause(backoff(failures, timing.firstBackoff, timing.longestBackoff), signal);
  }
}

interface Position {
  /** The resource version to watch from; undefined: list first. */
  version: string | undefined;
  listed: number;
}

/** Fill the mirror with what is there now. Returns the version to watch from. */
export async function listInto(
  api: KubeApi,
  { path, query }: WatchedCollection,
  mirror: ObjectMirror,
  signal: AbortSignal,
): Promise<string> {
  const image = mirror.beginList();
  const version = await listPages(api, { path, query, take: (item) => image.take(item) }, signal);
  image.commit();
  return version;
}

async function watch(
  api: KubeApi,
  { path, query }: WatchedCollection,
  mirror: ObjectMirror,
  position: Position,
  options: ReflectorOptions,
): Promise<void> {
  const { timing } = options;
  const stall = new AbortController();
  const silence = setTimeout(() => stall.abort(), timing.silence);
  const wanted = { watch: "1", allowWatchBookmarks: "true", timeoutSeconds: String(timing.watchSeconds) };
  const call: Call = { method: "GET", path, query: { ...query, ...wanted, resourceVersion: position.version } };
  try {
    for await (const line of api.stream(call, AbortSignal.any([options.signal, stall.signal]))) {
      silence.refresh();
      take(line, mirror, position, path);
    }
  } finally {
    clearTimeout(silence);
  }
  if (!stall.signal.aborted || options.signal.aborted) return;
  // What was missed in the silence is unknown, so the position is worth nothing.
  position.version = undefined;
  throw new Error(`the watch of ${path} was silent for ${timing.silence / 1000} s`);
}

function take(line: unknown, mirror: ObjectMirror, position: Position, path: string): void {
  const { type, object } = objectAnswer(line, `an event of ${path}`);
  const { metadata, code, reason, message } = objectAnswer(object, `the object of an event of ${path}`);
  if (type === "ERROR")
    throw new ApiError(Number(code ?? 500), String(reason ?? ""), String(message ?? "the watch failed"));
  if (type === "ADDED" || type === "MODIFIED" || type === "DELETED")
    mirror.changed(type, kubeObject(object, `an event of ${path}`));
  else if (type !== "BOOKMARK") throw serverMistake(`an event of ${path} has no known type`);
  const { resourceVersion } = objectAnswer(metadata, `the metadata of an event of ${path}`);
  if (typeof resourceVersion === "string") position.version = resourceVersion;
}

/** The Services that matter, and nothing else of them: of ten thousand in a cluster, a handful are tools. */
export class ServiceMirror {
  readonly #rules: DiscoveryRules;
  readonly #onChange: () => void;
  readonly #known = new Map<string, Recognised>();

  constructor(rules: DiscoveryRules, onChange: () => void) {
    this.#rules = rules;
    this.#onChange = onChange;
  }

  /** The part of the mirror that one reflector fills; each watched namespace has its own. */
  part(namespace: string | undefined): ObjectMirror {
    return {
      beginList: () => {
        const listed = new Map<string, Recognised>();
        return {
          take: (item) => {
            const found = this.#recognise(item as KubeService);
            if (found.recognised.kind !== "none") listed.set(found.key, found.recognised);
          },
          commit: () => {
            for (const key of this.#known.keys())
              if (namespace === undefined || key.startsWith(`${namespace}/`)) this.#known.delete(key);
            for (const [key, recognised] of listed) this.#known.set(key, recognised);
            this.#onChange();
          },
        };
      },
      changed: (type, item) => {
        const { key, recognised } = this.#recognise(item as KubeService);
        const isGone = type === "DELETED" || recognised.kind === "none";
        if (isGone && !this.#known.has(key)) return;
        if (isGone) this.#known.delete(key);
        else this.#known.set(key, recognised);
        this.#onChange();
      },
    };
  }

  /** What is discovered; those that are not well wait. */
  discovered(isWell: (discovery: Discovery) => boolean): Discovered {
    return sortOut(this.#known.values(), isWell);
  }

  discoveries(): readonly Discovery[] {
    return this.discovered(() => true).discoveries;
  }

  #recognise(service: KubeService): { key: string; recognised: Recognised } {
    const { name = "", namespace = "" } = service.metadata ?? {};
    const facts = serviceFacts(service);
    return { key: refText({ namespace, name }), recognised: facts ? recognise(facts, this.#rules) : { kind: "none" } };
  }
}
