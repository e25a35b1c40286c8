import { load } from "js-yaml";
import * as v from "valibot";

/**
 * What a HolmesGPT takes as `custom_toolset.yaml`, written down from its loader: `toolsets` and `mcp_servers` are maps
 * (a list is refused), at least one of them is not empty, no key anywhere has a dot in it (its reader takes a dot for a
 * path), and a toolset has these fields only.
 */
const tool = v.strictObject({
  name: v.string(),
  description: v.string(),
  command: v.optional(v.string()),
  script: v.optional(v.string()),
  parameters: v.optional(v.record(v.string(), v.unknown())),
});

const toolset = v.strictObject({
  description: v.optional(v.string()),
  enabled: v.optional(v.boolean()),
  type: v.optional(v.picklist(["built-in", "customized", "mcp", "http", "mongodb", "database"])),
  prerequisites: v.optional(v.array(v.record(v.string(), v.unknown()))),
  tools: v.optional(
    v.array(
      v.pipe(
        tool,
        v.check((each) => (each.command ?? each.script) !== undefined, "a tool needs a command or a script"),
      ),
    ),
  ),
  config: v.optional(v.record(v.string(), v.unknown())),
  tags: v.optional(v.array(v.picklist(["core", "cluster", "cli"]))),
  icon_url: v.optional(v.string()),
  docs_url: v.optional(v.string()),
  installation_instructions: v.optional(v.string()),
  additional_instructions: v.optional(v.string()),
  llm_instructions: v.optional(v.string()),
  url: v.optional(v.string()),
});

const httpConfig = v.looseObject({
  endpoints: v.array(
    v.looseObject({
      hosts: v.pipe(v.array(v.string()), v.minLength(1)),
      paths: v.array(v.string()),
      methods: v.array(v.picklist(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])),
    }),
  ),
  timeout_seconds: v.optional(v.pipe(v.number(), v.integer())),
  verify_ssl: v.optional(v.boolean()),
});

/** The fields each of HolmesGPT's own toolsets can't do without, in one instance or in each of several. */
const addressFields: Readonly<Record<string, string>> = {
  "prometheus/metrics": "prometheus_url",
  "grafana/dashboards": "api_url",
  "grafana/loki": "api_url",
  "grafana/tempo": "api_url",
  "elasticsearch/data": "api_url",
  "elasticsearch/cluster": "api_url",
};

const root = v.strictObject({
  toolsets: v.optional(v.record(v.string(), toolset), {}),
  mcp_servers: v.optional(v.record(v.string(), v.looseObject({ description: v.optional(v.string()) })), {}),
});

export type HolmesFile = v.InferOutput<typeof root>;

/** Load a text as HolmesGPT would; throws where it would not start, or where a toolset would fail. */
export function loadAsHolmes(text: string): HolmesFile {
  const parsed: unknown = load(text);
  refuseDots(parsed);
  const file = v.parse(root, parsed);
  if (Object.keys(file.toolsets).length + Object.keys(file.mcp_servers).length === 0)
    throw new Error("no 'toolsets' or 'mcp_servers'");
  for (const [name, { type, enabled, config }] of Object.entries(file.toolsets)) {
    if (type === "http" && enabled !== false) v.parse(httpConfig, config);
    const field = addressFields[name];
    if (field !== undefined && enabled !== false) checkInstances(name, field, config ?? {});
  }
  return file;
}

function checkInstances(name: string, field: string, config: Record<string, unknown>): void {
  const instances = (config.instances as Record<string, unknown>[] | undefined) ?? [{ name, ...config }];
  const names = instances.map((instance) => instance.name);
  if (new Set(names).size !== names.length) throw new Error(`${name}: instances share a name`);
  for (const instance of instances) {
    if (typeof instance.name !== "string" || typeof instance[field] !== "string")
      throw new Error(`${name}: an instance lacks name or ${field}`);
  }
}

function refuseDots(value: unknown): void {
  if (Array.isArray(value)) value.forEach(refuseDots);
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (key.includes(".")) throw new Error(`a dot in the key ${key}`);
      refuseDots(member);
    }
  }
}
