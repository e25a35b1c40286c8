import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HealthTracker, type Probe, probeAddress } from "../../src/toolset/controller/health.ts";
import { discovered, grafana, prometheus, service } from "./sample.ts";

const timing = { interval: 1000, timeLimit: 500, grace: 300 };
const [wellKnown] = discovered([prometheus]).discoveries;

function tracker(probe: Probe) {
  const clock = { now: 1000 };
  return { clock, health: new HealthTracker(probe, timing, () => clock.now) };
}

describe("health", () => {
  it("a Service is a tool once it is well, and for a while after", async () => {
    let well = false;
    const { clock, health } = tracker(async () => (well ? "well" : "unwell"));
    let changes = 0;
    const check = () => health.checkAll([wellKnown!], () => void changes++);
    await check();
    expect(health.accepts(wellKnown!)).toBe(false);
    well = true;
    await check();
    expect(health.accepts(wellKnown!)).toBe(true);
    well = false;
    clock.now += 200;
    await check();
    expect(health.accepts(wellKnown!)).toBe(true);
    expect(health.unhealthy()).toBe(1);
    clock.now += 200;
    await check();
    expect(health.accepts(wellKnown!)).toBe(false);
    well = true;
    await check();
    expect(health.accepts(wellKnown!)).toBe(true);
    expect(changes).toBeGreaterThanOrEqual(3);
  });

  it.each(["before", "after"])(
    "one that was a tool when we started gets the same patience, known %s it was asked",
    async (when) => {
      const { clock, health } = tracker(async () => "unwell");
      if (when === "before") health.assumeWell("monitoring/prometheus-server");
      await health.checkNew([wellKnown!], () => {});
      if (when === "after") health.assumeWell("monitoring/prometheus-server");
      expect(health.accepts(wellKnown!)).toBe(true);
      clock.now += 400;
      expect(health.accepts(wellKnown!)).toBe(false);
    },
  );

  it("asks a new one at once, and nobody twice at a time", async () => {
    let asked = 0;
    const { health } = tracker(async () => {
      asked++;
      await sleep(20);
      return "well";
    });
    const { discoveries } = discovered([prometheus, grafana]);
    await Promise.all([
      health.checkNew(discoveries, () => {}),
      health.checkNew(discoveries, () => {}),
      health.answered(),
    ]);
    await health.checkNew(discoveries, () => {});
    expect(asked).toBe(2);
    expect(discoveries.every((each) => health.accepts(each))).toBe(true);
  });

  it("slow ones do not hold up the rest", async () => {
    const many = Array.from({ length: 40 }, (_, i) => service("n", `p-${i}`, { labels: { app: "prometheus" } }));
    const { health } = tracker(async (address) => {
      await sleep(address.includes("p-7.") ? 20_000 : 1, undefined, { ref: false });
      return "well";
    });
    const { discoveries } = discovered(many);
    void health.checkNew(discoveries, () => {});
    await health.answered();
    expect(discoveries.filter((each) => health.accepts(each))).toHaveLength(39);
  });
});

describe("asking", () => {
  let server: Server;
  let address: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
      const status = Number(pathname.slice(1));
      const to = searchParams.get("to");
      if (status > 0) response.writeHead(status, to === null ? {} : { location: to }).end("x");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each([
    ["/200", "well"],
    ["/204", "well"],
    ["/401", "well"],
    ["/403", "well"],
    ["/302?to=/login", "well"],
    ["/302?to=https://sso.example/oauth2/authorize", "well"],
    ["/302?to=/elsewhere", "unwell"],
    ["/302", "unwell"],
    ["/201", "unwell"],
    ["/404", "unwell"],
    ["/503", "unwell"],
    ["/0", "unwell"],
  ])("%s is %s", async (path, health) => {
    expect(await probeAddress(address + path, path === "/0" ? 200 : 60_000)).toBe(health);
  });

  it.each(["http://127.0.0.1:1/", "no address", "kafka://127.0.0.1:1"])("%s is not well", async (nobody) => {
    expect(await probeAddress(nobody, 60_000)).toBe("unwell");
  });

  it("what does not speak HTTP is well when it can be connected to", async () => {
    expect(await probeAddress(address.replace("http", "kafka"), 60_000)).toBe("well");
  });

  it("a name that means nothing here says nothing", async () => {
    expect(await probeAddress("http://does-not-exist.invalid/", 60_000)).toBe("unknown");
  });
});
