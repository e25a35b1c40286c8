import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ConnectionError } from "../../src/toolset/api/api.ts";
import { takePartInElection } from "../../src/toolset/controller/leader.ts";
import { MemoryApi } from "./memory-api.ts";

const timing = { duration: 20_000, renewDeadline: 10_000, retry: 30, retryAfterFailure: 50 };
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

interface Candidate {
  leads: boolean;
  /** Ends it as a shutdown does. */
  stop(): Promise<void>;
}

/** Its clock stands still unless a test moves it: nobody loses a lease because the machine is slow. */
function candidate(api: MemoryApi, identity: string, clock = { now: 0 }): Candidate {
  const stop = new AbortController();
  const state: Candidate = {
    leads: false,
    stop: async () => {
      stop.abort();
      await over;
    },
  };
  const over = takePartInElection(api, {
    namespace: "ns",
    name: "lease",
    identity,
    timing,
    signal: stop.signal,
    log: quiet,
    now: () => clock.now,
    onChange: (leads) => {
      state.leads = leads;
    },
  });
  return state;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}

/** Waits until whoever takes part has looked at the lease, and has seen what it says. */
async function looked(api: MemoryApi): Promise<void> {
  const looks = () => api.calls.filter(({ method }) => method === "GET").length;
  const before = looks();
  // The second begins when the first has been dealt with.
  await until(() => looks() >= before + 2);
}

describe("leader election", () => {
  it("of many candidates exactly one leads, and it stays so", async () => {
    const api = new MemoryApi();
    const all = ["a", "b", "c", "d", "e"].map((identity) => candidate(api, identity));
    await until(() => all.some((each) => each.leads));
    for (let i = 0; i < 30; i++) {
      expect(all.filter((each) => each.leads)).toHaveLength(1);
      await sleep(10);
    }
    await Promise.all(all.map((each) => each.stop()));
  });

  it("a lease that is handed back is taken at once", async () => {
    const api = new MemoryApi();
    const first = candidate(api, "a");
    await until(() => first.leads);
    const second = candidate(api, "b");
    await looked(api);
    await looked(api);
    expect(second.leads).toBe(false);
    await first.stop();
    // By this clock the lease never runs out.
    await until(() => second.leads);
    await second.stop();
  });

  it("a leader that can't renew steps down before another may lead", async () => {
    const api = new MemoryApi();
    let cutOff = "";
    api.before = (call) => {
      if (call.method === "PUT" && (call.body as { spec: { holderIdentity: string } }).spec.holderIdentity === cutOff)
        throw new ConnectionError("cut off");
    };
    const clock = { now: 0 };
    const first = candidate(api, "a", clock);
    await until(() => first.leads);
    const second = candidate(api, "b", clock);
    cutOff = "a";
    await looked(api);
    expect(first.leads).toBe(true);
    clock.now += timing.renewDeadline;
    await until(() => !first.leads);
    await looked(api);
    expect(second.leads).toBe(false);
    clock.now += 10 * timing.duration;
    await until(() => second.leads);
    expect(first.leads).toBe(false);
    await Promise.all([first.stop(), second.stop()]);
  });

  it("counts by its own clock: another's time of day does not matter", async () => {
    const api = new MemoryApi();
    const path = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";
    const spec = {
      holderIdentity: "elsewhere",
      leaseDurationSeconds: 1,
      renewTime: "1999-01-01T00:00:00.000000Z",
      leaseTransitions: 4,
    };
    await api.request({ method: "POST", path, body: { metadata: { name: "lease" }, spec } });
    const clock = { now: 0 };
    const late = candidate(api, "b", clock);
    await looked(api);
    clock.now = 1000;
    await looked(api);
    expect(late.leads).toBe(false);
    clock.now = 1001;
    await until(() => late.leads);
    const lease = (await api.request({ method: "GET", path: `${path}/lease` })) as {
      spec: { leaseTransitions: number };
    };
    expect(lease.spec.leaseTransitions).toBe(5);
    await late.stop();
  });

  it("does not wait anew for a leader that renewed for the last time while nobody could look", async () => {
    const api = new MemoryApi();
    const path = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";
    const lease = (renewTime: string) => ({
      metadata: { name: "lease" },
      spec: { holderIdentity: "elsewhere", leaseDurationSeconds: 2000, renewTime, leaseTransitions: 4 },
    });
    await api.request({ method: "POST", path, body: lease("1999-01-01T00:00:00.000000Z") });
    const clock = { now: 0 };
    const late = candidate(api, "b", clock);
    await looked(api);
    // The server is away for longer than the lease; the leader renewed once, soon after we looked, and died.
    api.before = ({ method }) => {
      if (method === "GET") throw new ConnectionError("away");
    };
    await looked(api);
    clock.now = 2_200_000;
    await api.request({ method: "PUT", path: `${path}/lease`, body: lease("1999-01-01T00:00:00.300000Z") });
    api.before = () => {};
    // This clock stands still: who waited anew would never lead.
    await until(() => late.leads);
    await late.stop();
  });
});
