// Clusters of any size, without a cluster.

const apps = ["prometheus", "grafana", "jaeger", "elasticsearch", "loki", "tempo"];

export function servicesOf({ serviceFacts }, count) {
  return Array.from({ length: count }, (_, i) =>
    serviceFacts({
      metadata: { namespace: `team-${i % 50}`, name: `service-${i}`, labels: { app: apps[i % apps.length] } },
      spec: { ports: [{ port: 9090 }] },
    }),
  );
}

/** Everything one reconciliation depends on. */
export function toolsetInput({ discoverTools, builtinDetectors }, services, current) {
  return {
    discovered: discoverTools(services, { detectors: builtinDetectors, allowed: [], clusterDomain: "cluster.local" }),
    detectors: builtinDetectors,
    release: undefined,
    current,
    separateOverrides: undefined,
    lastWritten: undefined,
    name: "toolset",
    namespace: "bench",
    starter: false,
    now: new Date("2026-01-01T00:00:00Z"),
  };
}

export function overridesText(count) {
  const tool = (i) =>
    `  - name: custom_${i}\n    type: http\n    description: Tool number ${i}\n    endpoint: http://custom-${i}.svc:8080\n    parameters:\n      timeout: 30s\n`;
  return `tools:\n${Array.from({ length: count }, (_, i) => tool(i)).join("")}`;
}
