import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventRecorder, type HolmesNotice, HolmesTeller } from "../../src/toolset/controller/effects.ts";
import { MemoryApi } from "./memory-api.ts";
import { configMap } from "./sample.ts";

describe("Events", () => {
  const told = async (messages: readonly string[], minutesApart = 0) => {
    const api = new MemoryApi();
    const recorder = new EventRecorder(api);
    for (const [i, message] of messages.entries()) {
      await recorder.record(
        configMap({}),
        "Edited",
        message,
        new Date(Date.UTC(2026, 0, 1) + i * minutesApart * 60_000),
      );
    }
    return api
      .writes()
      .map(
        ({ method, body }) => `${method} ${(body as { count: number }).count} ${(body as { message: string }).message}`,
      );
  };

  it("that repeat themselves are counted in one", async () => {
    expect(await told(["a", "a", "b", "a"])).toEqual(["POST 1 a", "PATCH 2 a", "POST 1 b", "PATCH 3 a"]);
  });

  it("of many kinds about one thing are told as one", async () => {
    const all = await told(Array.from({ length: 14 }, (_, i) => `m${i}`));
    expect(all.slice(9)).toEqual([
      "POST 1 m9",
      "POST 1 (combined from similar events): m10",
      "PATCH 2 (combined from similar events): m11",
      "PATCH 3 (combined from similar events): m12",
      "PATCH 4 (combined from similar events): m13",
    ]);
  });

  it("come at most twenty-five at once, and then one in five minutes", async () => {
    expect(await told(Array.from({ length: 100 }, () => "a"))).toHaveLength(25);
    expect(
      await told(
        Array.from({ length: 40 }, () => "a"),
        5,
      ),
    ).toHaveLength(40);
  });
});

describe("telling HolmesGPT", () => {
  let server: Server;
  let status: number;
  let reloads: string[];
  beforeEach(async () => {
    [status, reloads] = [200, []];
    server = createServer((request, response) => {
      reloads.push(`${request.method} ${request.url}`);
      response.writeHead(status).end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Only ends what hangs. */
  const limit = { timeout: 240_000, interval: 5 };
  const deployment = "/apis/apps/v1/namespaces/ns/deployments/holmes";

  async function teller(restart: HolmesNotice["restart"]) {
    const api = new MemoryApi();
    await api.request({
      method: "POST",
      path: deployment.replace("/holmes", ""),
      body: { metadata: { name: "holmes" } },
    });
    const state = { again: 0 };
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
    const context = {
      namespace: "ns",
      log,
      signal: new AbortController().signal,
      now: Date.now,
      again: () => void state.again++,
    };
    return { api, state, tell: new HolmesTeller(api, { restart, reload: { address, delay: 20 } }, context) };
  }

  it("by its endpoint, once for each change, and only of the last of several", async () => {
    const { api, tell } = await teller({ deployment: "holmes", interval: 0 });
    for (const checksum of ["a", "b", "b"]) await tell.tell(checksum);
    await vi.waitUntil(() => reloads.length > 0, limit);
    await tell.tell("b");
    // Several times as long as it waits for more changes: another notice would have come.
    await sleep(100);
    expect(reloads).toEqual(["POST /base/api/admin/reload/toolsets"]);
    expect(api.writes().filter(({ method }) => method === "PATCH")).toEqual([]);
  });

  it.each([
    ["its release has no endpoint, or nobody switched it on", 404],
    ["it asks for an API key", 401],
  ])("by a restart where %s", async (_, answer) => {
    status = answer;
    const { api, state, tell } = await teller({ deployment: "holmes", interval: 0 });
    await tell.tell("a");
    await vi.waitUntil(() => state.again > 0, limit);
    expect(state.again).toBe(1);
    await tell.tell("a");
    expect(api.writes().filter(({ method, path }) => method === "PATCH" && path === deployment)).toHaveLength(1);
    expect(reloads).toHaveLength(1);
  });

  it("again where it failed", async () => {
    status = 500;
    const { state, tell } = await teller(undefined);
    await tell.tell("a");
    await vi.waitUntil(() => state.again > 0, limit);
    expect(state.again).toBe(1);
    status = 200;
    await tell.tell("a");
    await vi.waitUntil(() => reloads.length > 1, limit);
    expect(reloads).toHaveLength(2);
  });
});
