import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { command } from "../../src/cli/toolset/toolset.ts";
import { createMetrics } from "../../src/toolset/controller/telemetry.ts";
import { builtinDetectors } from "../../src/toolset/discover/detectors.ts";
import { readDetectors } from "../../src/toolset/discover/read-objects.ts";
import { parseOverrides } from "../../src/toolset/overrides.ts";
import { annotations, dataKeys, initialOverrides } from "../../src/toolset/render/configmap.ts";
import { loadAsHolmes } from "./holmes-schema.ts";
import { evaluate, grafana, jaeger, prometheus, withOverrides } from "./sample.ts";

const root = join(import.meta.dirname, "..", "..");
const page = readFileSync(join(root, "docs", "toolset.md"), "utf8");
const snippets = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1]!);

function sources(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && entry.name.endsWith(".ts") && (folder !== "src/cli" || entry.name.startsWith("toolset")),
    )
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

describe("docs/toolset.md", () => {
  it("knows every key, annotation and metric", () => {
    const metrics = [
      ...createMetrics()
        .render()
        .matchAll(/^# TYPE (\S+)/gm),
    ].map((match) => match[1]!);
    const names = [...Object.values(dataKeys), ...Object.values(annotations), ...metrics];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("knows every diagnostic", () => {
    const codes = [...(sources("src/toolset") + sources("src/cli")).matchAll(/code: "([a-z-]+)"/g)].map(
      (match) => match[1]!,
    );
    expect([...new Set(codes)].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it("and the commands know the same options", async () => {
    const common = new Set(Object.keys(command.options).map((name) => `--${name}`));
    const loaded = await Promise.all(Object.values(command.commands ?? {}).map(({ load }) => load()));
    const declared = loaded.flatMap((each) => Object.keys(each.command.options).map((name) => `--${name}`));
    const inHelp = new Set(declared.filter((name) => !common.has(name)));
    // What kubectl is told is not ours.
    const ours = page.replaceAll(/\bkubectl [^|`]*?(?=\n|`)/g, "");
    const inPage = new Set(
      [...ours.matchAll(/--[a-z]+(?:-[a-z]+)*/g)].map(([name]) => name).filter((name) => !common.has(name)),
    );
    expect([...inHelp].filter((option) => !inPage.has(option))).toEqual([]);
    expect([...inPage].filter((option) => !inHelp.has(option))).toEqual([]);
  });

  it("knows every detector as it is", () => {
    for (const { type, names, port, scheme, healthPath, roles = [], toolName } of builtinDetectors) {
      const row = page.split("\n").find((line) => line.startsWith(`| ${type} | ${names.join(", ")} |`));
      expect(row, type).toContain(`else ${port}${scheme === undefined ? ", else the first" : ""} | `);
      expect(row, type).toContain(`| ${healthPath === "" ? "connects" : `\`${healthPath}\``} | \`${toolName}\` |`);
      for (const { component } of roles) expect(row, type).toContain(component);
    }
  });

  it("shows overrides and detectors that work", () => {
    const [overrides, detectors] = ["my_custom_api", "detectors:"].map((word) =>
      snippets.find((text) => text.includes(word)),
    );
    const result = evaluate([prometheus, grafana, jaeger], withOverrides(overrides!));
    expect(result.diagnostics).toEqual([]);
    expect(Object.keys(loadAsHolmes(result.data["custom_toolset.yaml"]!).toolsets)).toEqual([
      "grafana/dashboards",
      "kubernetes/logs",
      "my_custom_api",
      "prometheus/metrics",
    ]);
    expect(readDetectors(detectors!, "page")).toMatchObject([{ type: "zipkin", port: 9411, portNames: ["http"] }]);
  });
});

describe("the overrides a new ConfigMap starts with", () => {
  it("say nothing, and show what works when the comment signs are taken away", () => {
    const parsed = parseOverrides(initialOverrides, "overrides.yaml");
    expect(parsed).toMatchObject({ kind: "valid", overrides: { tools: [] }, diagnostics: [] });
    const example = initialOverrides
      .slice(initialOverrides.indexOf("# tools:"), initialOverrides.indexOf("# HolmesGPT's own"))
      .replace(/^# ?/gm, "");
    const shown = parseOverrides(example, "example");
    expect(shown.kind === "valid" && shown.overrides.tools.map((tool) => tool.name)).toEqual([
      "prometheus_query",
      "my_custom_api",
      "grafana_dashboard",
    ]);
  });
});
