// needs: prometheus
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { afterAll, expect, it } from "vitest";

const programs = join(process.env.STET_TEST_CACHE ?? join(homedir(), ".cache/stet-test"), "prometheus/usr/bin");
const component = new URL("../../../deploy/components/monitoring/monitoring.yaml", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "stet-alerts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Rules {
  readonly kind: string;
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
}

interface Rule {
  readonly alert: string;
  readonly annotations: object;
}

const rules = (loadAll(readFileSync(component, "utf8")) as Rules[]).find(({ kind }) => kind === "PrometheusRule")!;
const alerts = rules.spec.groups.flatMap((group) => group.rules);
writeFileSync(join(folder, "rules.yaml"), JSON.stringify(rules.spec));

/** What one replica shows, a value a minute. The other replica is well, and does not lead unless it says so. */
const replica = (pod: string, metric: string, values: string) => ({
  series: `dynamictoolset_${metric}{job="stet-toolset",pod="${pod}"}`,
  values,
});
const steady = (pod: string, leads: 0 | 1, more: Record<string, string> = {}) =>
  Object.entries({
    leader: `${leads}x120`,
    overrides_valid: "1x120",
    last_success_timestamp_seconds: leads === 1 ? "0+60x120" : "0x120",
    configmap_bytes: "1000x120",
    ...more,
  }).map(([metric, values]) => replica(pod, metric, values));

type Series = ReturnType<typeof steady>;

/** The minutes at which an alert is asked for, and whether it fires. */
function story(alertname: string, severity: string, input: Series, fires: Readonly<Record<number, boolean>>) {
  const { annotations } = alerts.find(({ alert }) => alert === alertname)!;
  return {
    interval: "1m",
    input_series: input,
    alert_rule_test: Object.entries(fires).map(([minute, isFiring]) => ({
      eval_time: `${minute}m`,
      alertname,
      exp_alerts: isFiring ? [{ exp_labels: { severity }, exp_annotations: annotations }] : [],
    })),
  };
}

const stories = [
  story("ToolsetOverridesInvalid", "warning", [...steady("a", 1, { overrides_valid: "0x120" }), ...steady("b", 0)], {
    4: false,
    6: true,
  }),
  // A replica that led while they were invalid, and leads no more, knows nothing of them since.
  story("ToolsetOverridesInvalid", "warning", [...steady("a", 0, { overrides_valid: "0x120" }), ...steady("b", 1)], {
    60: false,
  }),
  story(
    "ToolsetNotReconciled",
    "warning",
    [...steady("a", 1, { last_success_timestamp_seconds: "0x120" }), ...steady("b", 0)],
    { 30: false, 37: true },
  ),
  story("ToolsetNotReconciled", "warning", [...steady("a", 1), ...steady("b", 0)], { 60: false }),
  story("ToolsetNoLeader", "critical", [...steady("a", 0), ...steady("b", 0)], { 4: false, 6: true }),
  story("ToolsetNoLeader", "critical", [], { 4: false, 6: true }),
  story("ToolsetNoLeader", "critical", [...steady("a", 1), ...steady("b", 0)], { 60: false }),
  story("ToolsetConfigMapLarge", "warning", [...steady("a", 1, { configmap_bytes: "950000x120" }), ...steady("b", 0)], {
    9: false,
    11: true,
  }),
  story("ToolsetConfigMapLarge", "warning", [...steady("a", 0, { configmap_bytes: "950000x120" }), ...steady("b", 1)], {
    60: false,
  }),
];

function promtool(...args: readonly string[]): string {
  try {
    return execFileSync(join(programs, "promtool"), args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  }
}

it("promtool accepts the rules, and each fires when it should, and only then", () => {
  writeFileSync(join(folder, "test.yaml"), JSON.stringify({ rule_files: ["rules.yaml"], tests: stories }));
  expect(promtool("check", "rules", "rules.yaml")).toContain(`SUCCESS: ${alerts.length} rules found`);
  expect(promtool("test", "rules", "test.yaml")).toMatch(/SUCCESS\s*$/);
  const told = new Set(stories.flatMap((each) => each.alert_rule_test.map(({ alertname }) => alertname)));
  expect([...told].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
});
