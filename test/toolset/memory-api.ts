import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, type Call, type KubeApi } from "../../src/toolset/api/api.ts";

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly uid: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/**
 * As much of an API server as quick tests need: objects by path, versions, creation, replacement, and server-side apply
 * of flat maps.
 */
export class MemoryApi implements KubeApi {
  readonly calls: Call[] = [];
  readonly #objects = new Map<string, Stored>();
  readonly #owned = new Map<string, ReadonlySet<string>>();
  #version = 0;
  /** Called before each request: may throw, or change something behind the caller's back. */
  before: (call: Call) => void | Promise<void> = () => {};

  async request(call: Call): Promise<unknown> {
    // Every request travels, so that concurrent ones really overlap.
    await sleep(Math.random() * 3);
    this.calls.push(call);
    await this.before(call);
    switch (call.method) {
      case "GET":
        return this.#get(call.path);
      case "POST":
        return this.#create(call);
      case "PUT":
        return this.#replace(call);
      case "PATCH":
        return call.contentType?.includes("apply") ? this.#apply(call) : this.#merge(call);
      case "DELETE":
        this.#get(call.path);
        this.#objects.delete(call.path);
        return {};
    }
  }

  stream(): AsyncIterable<unknown> {
    throw new Error("not a part of this API");
  }

  writes(): Call[] {
    return this.calls.filter((call) => call.method !== "GET");
  }

  #get(path: string): Stored {
    const found = this.#objects.get(path);
    if (found) return structuredClone(found);
    throw new ApiError(404, "NotFound", `${path} not found`);
  }

  #put(path: string, body: object, name: string, uid: string): Stored {
    const metadata = { ...(body as Stored).metadata, name, uid, resourceVersion: String(++this.#version) };
    const stored = structuredClone({ ...body, metadata }) as Stored;
    this.#objects.set(path, stored);
    return structuredClone(stored);
  }

  #create({ path, body }: Call): Stored {
    const { name = `generated-${this.#version}` } = (body as Stored).metadata;
    const at = `${path}/${name}`;
    if (this.#objects.has(at)) throw new ApiError(409, "AlreadyExists", `${at} already exists`);
    return this.#put(at, body as object, name, `uid-${this.#version}`);
  }

  #replace({ path, body }: Call): Stored {
    const found = this.#get(path);
    this.#check(found, body as Stored);
    return this.#put(path, body as object, found.metadata.name, found.metadata.uid);
  }

  #check(found: Stored, sent: Stored): void {
    const { resourceVersion, uid } = sent.metadata;
    const isStale =
      (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion) ||
      (uid !== undefined && uid !== found.metadata.uid);
    if (isStale) throw new ApiError(409, "Conflict", "the object has been modified");
  }

  /** As a strategic merge patch of maps goes. */
  #merge({ path, body }: Call): Stored {
    const found = this.#get(path);
    return this.#put(path, joined(found, body as object), found.metadata.name, found.metadata.uid);
  }

  #apply({ path, body, query }: Call): Stored {
    const [found, sent] = [this.#get(path) as Stored & Sections, body as Stored & Sections];
    this.#check(found, sent);
    const owner = `${path} ${query?.fieldManager}`;
    const before = this.#owned.get(owner) ?? new Set<string>();
    const data = merge(found.data ?? {}, sent.data ?? {}, before);
    const annotations = merge(found.metadata.annotations ?? {}, sent.metadata.annotations ?? {}, before);
    this.#owned.set(owner, new Set([...Object.keys(sent.data ?? {}), ...Object.keys(sent.metadata.annotations ?? {})]));
    return this.#put(
      path,
      { ...found, data, metadata: { ...found.metadata, annotations } },
      found.metadata.name,
      found.metadata.uid,
    );
  }
}

interface Sections {
  readonly data?: Record<string, string>;
  readonly metadata: Stored["metadata"] & { readonly annotations?: Record<string, string> };
}

function joined(under: object, over: object): object {
  const result: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const below = result[name];
    const both = typeof value === "object" && value !== null && typeof below === "object" && below !== null;
    result[name] = both ? joined(below, value) : value;
  }
  return result;
}

/** What is sent is there; what was the sender's and is no longer sent is gone; the rest stays. */
function merge(
  found: Record<string, string>,
  sent: Record<string, string>,
  owned: ReadonlySet<string>,
): Record<string, string> {
  return { ...Object.fromEntries(Object.entries(found).filter(([name]) => !owned.has(name))), ...sent };
}
