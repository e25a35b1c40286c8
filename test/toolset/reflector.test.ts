import { describe, expect, it } from "vitest";
import { ApiError, type Call, ConnectionError, type KubeApi } from "../../src/toolset/api/api.ts";
import {
  type ObjectMirror,
  type ReflectorTiming,
  reflect,
  ServiceMirror,
} from "../../src/toolset/controller/reflector.ts";
import { grafana, prometheus, rules, service } from "./sample.ts";

type Step =
  | { readonly list: readonly unknown[]; readonly version: string; readonly next?: string }
  | { readonly watch: readonly unknown[] }
  | { readonly fails: Error };

/** An API server that follows a script; when it is over, the reflector is stopped. */
function scripted(steps: readonly Step[], stop: AbortController): { api: KubeApi; calls: Call[] } {
  const [left, calls] = [[...steps], [] as Call[]];
  const next = (call: Call): Step | undefined => {
    calls.push(call);
    const step = left.shift();
    if (step === undefined) stop.abort();
    if (step && "fails" in step) throw step.fails;
    return step;
  };
  const api: KubeApi = {
    async request(call) {
      const step = next(call);
      if (!step || !("list" in step)) throw new ConnectionError("the script says something else");
      return {
        metadata: { resourceVersion: step.version, continue: step.next },
        items: step.list.map((name) => ({ metadata: { name } })),
      };
    },
    async *stream(call) {
      const step = next(call);
      if (step && "watch" in step) yield* step.watch;
    },
  };
  return { api, calls };
}

const timing: ReflectorTiming = {
  watchSeconds: 1,
  silence: 1000,
  resync: 600_000,
  firstBackoff: 100,
  longestBackoff: 1,
};

interface Told {
  readonly lists: unknown[][];
  readonly changes: string[];
}

function recording(): ObjectMirror & Told {
  const [lists, changes]: [unknown[][], string[]] = [[], []];
  return {
    lists,
    changes,
    beginList() {
      const items: unknown[] = [];
      return { take: (item) => void items.push(nameOf(item)), commit: () => void lists.push(items) };
    },
    changed: (type, item) => void changes.push(`${type} ${nameOf(item)}`),
  };
}

function nameOf(item: object): string {
  return (item as { metadata: { name: string } }).metadata.name;
}

async function follow(steps: readonly Step[], mirror: ObjectMirror = recording(), more: Partial<ReflectorTiming> = {}) {
  const stop = new AbortController();
  const { api, calls } = scripted(steps, stop);
  const restarts: string[] = [];
  let clock = 0;
  await reflect(api, { path: "/things", query: { fieldSelector: "x" } }, mirror, {
    timing: { ...timing, ...more },
    signal: stop.signal,
    // Every look at the clock is ten seconds later: no watch of the script ends "at once".
    now: () => (clock += 10_000),
    onRestart: (error) => void restarts.push((error as Error).message),
  });
  return { calls, restarts };
}

const event = (type: string, id: string, resourceVersion: string) => ({
  type,
  object: { metadata: { name: id, resourceVersion } },
});
const versions = (calls: readonly Call[]) =>
  calls.map((call) =>
    call.query?.watch ? `watch ${call.query.resourceVersion}` : `list ${call.query?.continue ?? ""}`.trim(),
  );

describe("the reflector", () => {
  it("lists page by page, watches, and resumes where it was", async () => {
    const mirror = recording();
    const { calls, restarts } = await follow(
      [
        { list: ["a"], version: "5", next: "more" },
        { list: ["b"], version: "5" },
        { watch: [event("ADDED", "c", "6"), event("BOOKMARK", "", "9")] },
        { watch: [event("DELETED", "c", "10")] },
      ],
      mirror,
    );
    expect(mirror.lists).toEqual([["a", "b"]]);
    expect(mirror.changes).toEqual(["ADDED c", "DELETED c"]);
    expect(versions(calls)).toEqual(["list", "list more", "watch 5", "watch 9", "watch 10"]);
    expect(restarts).toEqual([]);
  });

  it("lists again when the version is too old, in whatever way it is told", async () => {
    const gone = { type: "ERROR", object: { code: 410, reason: "Expired", message: "too old resource version" } };
    const { calls, restarts } = await follow([
      { list: [], version: "5" },
      { watch: [gone] },
      { list: [], version: "50" },
      { fails: new ApiError(410, "Gone", "too old") },
      { list: [], version: "60" },
    ]);
    expect(versions(calls)).toEqual(["list", "watch 5", "list", "watch 50", "list", "watch 60"]);
    expect(restarts).toEqual(["too old resource version", "too old"]);
  });

  it("lists again at once when the version is too old, and backs off only when that does not help", async () => {
    const old = () => ({ fails: new ApiError(410, "Gone", "too old") });
    const once = [{ list: [], version: "5" }, old(), { list: [], version: "6" }];
    // Whoever backs off here never comes back.
    const { calls } = await follow(once, recording(), { firstBackoff: 3_600_000, longestBackoff: 3_600_000 });
    expect(versions(calls)).toEqual(["list", "watch 5", "list", "watch 6"]);
    const started = performance.now();
    await follow([...once, old(), { list: [], version: "7" }], recording(), { longestBackoff: 60_000 });
    expect(performance.now() - started).toBeGreaterThan(70);
  });

  it("resumes, without a list, when a connection breaks", async () => {
    const { calls } = await follow([
      { list: [], version: "5" },
      { watch: [event("ADDED", "a", "6")] },
      { fails: new ConnectionError("cut") },
      { watch: [] },
    ]);
    expect(versions(calls)).toEqual(["list", "watch 5", "watch 6", "watch 6", "watch 6"]);
  });

  it("never takes a failed list for an empty one", async () => {
    const mirror = recording();
    await follow(
      [
        { fails: new ConnectionError("down") },
        { list: ["a"], version: "5", next: "more" },
        { fails: new ApiError(500, "", "half-way") },
        { list: ["a", "b"], version: "6" },
      ],
      mirror,
    );
    expect(mirror.lists).toEqual([["a", "b"]]);
  });

  it("lists everything again from time to time, whatever the watch says", async () => {
    const { calls } = await follow(
      [{ list: [], version: "5" }, { watch: [] }, { list: [], version: "7" }, { watch: [] }],
      recording(),
      {
        resync: 10_000,
      },
    );
    expect(versions(calls)).toEqual(["list", "watch 5", "list", "watch 7", "list"]);
  });
});

describe("the mirror of Services", () => {
  it("keeps what is a tool, and forgets the rest", () => {
    let changes = 0;
    const mirror = new ServiceMirror(rules, () => void changes++);
    const part = mirror.part(undefined);
    const image = part.beginList();
    for (const each of [prometheus, service("default", "other", { ports: [{ port: 80 }] })]) image.take(each);
    expect(mirror.discoveries()).toEqual([]);
    image.commit();
    part.changed("ADDED", grafana);
    part.changed("MODIFIED", service("default", "other", { ports: [{ port: 81 }] }));
    expect(mirror.discoveries().map((each) => each.kind)).toEqual(["grafana", "prometheus"]);
    expect(changes).toBe(2);
    part.changed("MODIFIED", service("monitoring", "grafana", { ports: [{ port: 80 }] }));
    part.changed("DELETED", prometheus);
    expect(mirror.discoveries()).toEqual([]);
    expect(changes).toBe(4);
  });

  it("a list of one namespace leaves the others alone", () => {
    const mirror = new ServiceMirror(rules, () => {});
    mirror.part("monitoring").changed("ADDED", grafana);
    mirror.part("a").changed("ADDED", service("a", "p", { labels: { app: "prometheus" } }));
    mirror.part("a").beginList().commit();
    expect(mirror.discoveries().map((each) => each.source.namespace)).toEqual(["monitoring"]);
  });
});
