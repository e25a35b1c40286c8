// needs: prometheus
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunOutcome, type RunRecord, readCounters, renderMetrics } from "../../../src/host/effects/run-record.ts";
import { freePort } from "../free-port.ts";

const programs = join(process.env.STET_TEST_CACHE ?? join(homedir(), ".cache/stet-test"), "prometheus/usr/bin");
const examples = new URL("../../../examples/host/", import.meta.url).pathname;
const promtool = (...args: string[]) =>
  execFileSync(join(programs, "promtool"), args, { cwd: examples, encoding: "utf8" });

describe("the example's rules", () => {
  test("promtool accepts them, and its tests of every alert pass", () => {
    expect(promtool("check", "rules", "alerts.yaml")).toContain("SUCCESS");
    expect(promtool("test", "rules", "alerts.test.yaml")).toContain("SUCCESS");
  });

  test("they use every metric that a host reports, and no other", () => {
    const reported = [...renderMetrics(readCounters(""), recordOf("unchanged", {})).matchAll(/^# TYPE (\w+)/gm)].map(
      ([, name]) => name,
    );
    const used = [...readFileSync(join(examples, "alerts.yaml"), "utf8").matchAll(/stet_host_\w+/g)].map(
      ([name]) => name,
    );
    expect([...new Set(used)].sort()).toEqual([...reported].sort());
  });
});

function recordOf(outcome: RunOutcome, more: Partial<RunRecord>): RunRecord {
  const nothing = {
    repo: "r",
    commit: "new",
    running: "new",
    held: undefined,
    paused: false,
    signer: undefined,
    changed: 0,
  };
  const lists = { files: [], actions: [], failed: [], errors: [] };
  return {
    outcome,
    host: "h",
    ...nothing,
    ...lists,
    startedAt: new Date(),
    durationMs: 100,
    retryAt: undefined,
    ...more,
  };
}

/** Two hundred hosts: most are well, and a few are in each of the states that somebody should hear of. */
const hosts = 200;
const states: Readonly<
  Record<
    string,
    { readonly outcome: RunOutcome; readonly record: Partial<RunRecord>; readonly hosts: readonly number[] }
  >
> = {
  StetHostUnitsDown: { outcome: "failed", record: { failed: ["web.service"] }, hosts: [3, 4, 5] },
  StetHostHeld: { outcome: "held", record: { held: "bad" }, hosts: [10, 11] },
  StetHostRolledBack: { outcome: "rolled-back", record: {}, hosts: [20] },
  StetHostRefused: { outcome: "refused", record: {}, hosts: [30, 31] },
  StetHostError: { outcome: "error", record: {}, hosts: [40] },
  StetHostPaused: { outcome: "paused", record: { paused: true }, hosts: [50, 51] },
  StetHostBehind: { outcome: "unchanged", record: { running: "old" }, hosts: [60] },
  StetHostSilent: { outcome: "unchanged", record: { startedAt: new Date(Date.now() - 3_000_000) }, hosts: [70, 71] },
};

describe("a Prometheus that scrapes two hundred hosts", () => {
  const folder = mkdtempSync(join(tmpdir(), "stet-prometheus-"));
  const metrics = new Map<number, string>();
  let server: Server;
  let prometheus: ReturnType<typeof spawn>;
  let address: string;

  beforeAll(async () => {
    // Each look is one more run, as a watch would have made: counters grow.
    server = createServer((request, response) => {
      const host = Number(/\d+/.exec(request.url ?? "")?.[0]);
      const state = Object.values(states).find((each) => each.hosts.includes(host));
      const record = recordOf(state?.outcome ?? "unchanged", { host: `host${host}`, ...state?.record });
      metrics.set(host, renderMetrics(readCounters(metrics.get(host) ?? ""), record));
      response.writeHead(200, { "content-type": "text/plain" }).end(metrics.get(host));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    // How long a state has to last is for promtool's tests: here it counts at once.
    const rules = readFileSync(join(examples, "alerts.yaml"), "utf8").replaceAll(/^ +for: .*\n/gm, "");
    writeFileSync(join(folder, "rules.yaml"), rules);
    const groups = Array.from({ length: hosts }, (_, i) => ({
      targets: [target],
      labels: { __metrics_path__: `/${i}`, instance: `host${i}` },
    }));
    writeFileSync(join(folder, "targets.json"), JSON.stringify(groups));
    const config = `global: { scrape_interval: 2s, evaluation_interval: 1s }
rule_files: [rules.yaml]
scrape_configs: [{ job_name: hosts, file_sd_configs: [{ files: [targets.json] }] }]
`;
    writeFileSync(join(folder, "prometheus.yml"), config);
    cpSync(join(examples, "alerts.yaml"), join(folder, "alerts.yaml"));
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    const args = [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    prometheus = spawn(join(programs, "prometheus"), args, { stdio: "ignore" });
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => prometheus.once("exit", resolve));
    prometheus.kill("SIGTERM");
    await ended;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  async function query(expression: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> {
    const response = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expression)}`).catch(
      () => undefined,
    );
    return response?.ok ? ((await response.json()) as { data: { result: [] } }).data.result : [];
  }

  async function firing(): Promise<string[]> {
    const alerts = await query('ALERTS{alertstate="firing"}');
    return [...new Set(alerts.map(({ metric }) => `${metric.alertname} ${metric.instance}`))].sort();
  }

  test("fires the alerts that it should, for the hosts that it should, and no others", async () => {
    const failing = ["StetHostUnitsDown", "StetHostHeld", "StetHostRolledBack", "StetHostRefused", "StetHostError"];
    const expected = Object.entries(states).flatMap(([alert, state]) =>
      state.hosts.map((host) => `${alert} host${host}`),
    );
    // What never succeeded has not succeeded for an hour either.
    for (const alert of failing) for (const host of states[alert]!.hosts) expected.push(`StetHostFailing host${host}`);
    let fired: string[] = [];
    for (
      const deadline = Date.now() + 240_000;
      Date.now() < deadline;
      await new Promise((resolve) => setTimeout(resolve, 1000))
    ) {
      fired = await firing();
      if (fired.length === expected.length) break;
    }
    expect(fired).toEqual(expected.sort());
    expect((await query("stet_host:hosts:count"))[0]?.value[1]).toBe(String(hosts));
    expect((await query("stet_host:down:count"))[0]?.value[1]).toBe("3");
    expect((await query("count(up == 1)"))[0]?.value[1]).toBe(String(hosts));
  });
});
