import { expect, it } from "vitest";
import { ConnectionError, type KubeApi, parseAnswer, usualAnswerLimits } from "../../src/toolset/api/api.ts";
import { getConfigMap, listServices } from "../../src/toolset/api/resources.ts";
import { builtinDetectors } from "../../src/toolset/discover/detectors.ts";
import { discoverTools } from "../../src/toolset/discover/discover.ts";
import { serviceFacts } from "../../src/toolset/discover/service.ts";
import { evaluateToolset } from "../../src/toolset/evaluate.ts";
import { fuzzAsync, timeLimit } from "./budget.ts";
import { mutated } from "./mutate.ts";

const service = {
  metadata: {
    name: "loki-gateway",
    namespace: "logs",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: {
      "app.kubernetes.io/name": "loki",
      "app.kubernetes.io/instance": "l",
      "app.kubernetes.io/component": "gateway",
    },
    annotations: {
      "kubernaut.io/toolset": "true",
      "kubernaut.io/toolset-name": "logs",
      "kubernaut.io/toolset-endpoint": "http://loki-gateway.logs.svc:80",
    },
  },
  spec: {
    type: "ClusterIP",
    clusterIP: "None",
    selector: { app: "loki" },
    ports: [{ name: "http-metrics", port: 80, protocol: "TCP", appProtocol: "http" }],
  },
};
const overrides = "tools:\n  - {name: logs, service: logs/loki-gateway, parameters: {timeout: 5s}}\n";
const answers = [
  JSON.stringify({
    metadata: { resourceVersion: "7", continue: "" },
    items: [service, { metadata: { name: "x", namespace: "y" } }],
  }),
  JSON.stringify({
    kind: "ConfigMap",
    metadata: { name: "c", annotations: {} },
    data: { "overrides.yaml": overrides, "toolset.yaml": "tools: []\n" },
  }),
  "null",
  "[[[[]]]]",
  '{"items":[null]}',
  "<html></html>",
];

/** An API server that answers every request with the next of these texts. */
function answering(texts: readonly string[]): KubeApi {
  let next = 0;
  return {
    request: async () => parseAnswer(texts[next++ % texts.length]!, usualAnswerLimits),
    stream: () => {
      throw new Error("not asked for");
    },
  };
}

it("damaged answers of an API server are used as they are, or told as its mistake", {
  timeout: timeLimit,
}, async () => {
  const seen = { used: 0, refused: 0 };
  const rules = { detectors: builtinDetectors, allowed: [], clusterDomain: "cluster.local" };
  await fuzzAsync(600, async (random) => {
    const damaged = (text: string): string => (random.below(3) === 0 ? text : mutated(text, answers, random));
    try {
      const facts: ReturnType<typeof serviceFacts>[] = [];
      await listServices(answering([damaged(answers[0]!)]), [], (each) => facts.push(serviceFacts(each)));
      const current = await getConfigMap(answering([damaged(answers[1]!)]), { namespace: "n", name: "c" });
      const discovered = discoverTools(
        facts.filter((each) => each !== undefined),
        rules,
      );
      const more = {
        detectors: builtinDetectors,
        release: undefined,
        separateOverrides: undefined,
        lastWritten: undefined,
      };
      const done = evaluateToolset({
        ...more,
        discovered,
        current,
        namespace: "n",
        name: "c",
        starter: false,
        now: new Date(0),
      });
      expect(done.data["custom_toolset.yaml"]).toContain("toolsets:");
      seen.used++;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      seen.refused++;
    }
  });
  expect(Math.min(seen.used, seen.refused)).toBeGreaterThan(20);
});
