import { load } from "js-yaml";
import { isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import type { Overrides, OverrideTool } from "./overrides.ts";

/**
 * The overrides by a reader that knows no places but is several times quicker, for texts that are plainly right: almost all of them, almost
 * always. Undefined for anything out of the ordinary, also for what may well be valid; then the careful reader looks at it.
 */
export function readQuickly(text: string): Overrides | undefined {
  // Aliases, merge keys and directives (which may ask for another version of YAML) are for the careful reader.
  if (text.includes("*") || text.includes("<<") || /^%/m.test(text)) return undefined;
  // So is what readers of YAML take for different values.
  if (/\r(?!\n)|\ufeff/.test(text)) return undefined;
  const root = loadValue(text);
  if (!isMap(root)) return undefined;
  const { tools = [], toolsets = mapOf([]), mcp_servers: mcpServers = mapOf([]), ...others } = root;
  if (Object.keys(others).length > 0 || !Array.isArray(tools) || !isMapOfMaps(toolsets) || !isMapOfMaps(mcpServers)) return undefined;
  const read = new Map<string, OverrideTool>();
  for (const item of tools) {
    const tool = readTool(item);
    if (tool === undefined || read.has(tool.name)) return undefined;
    read.set(tool.name, tool);
  }
  return { tools: [...read.values()], toolsets, mcpServers };
}

function readTool(item: Value): OverrideTool | undefined {
  if (!isMap(item)) return undefined;
  const { name, enabled = true, ...fields } = item;
  if (typeof name !== "string" || name.trim() === "" || typeof enabled !== "boolean") return undefined;
  const { endpoint = null, parameters = null } = fields;
  if ((endpoint !== null && typeof endpoint !== "string") || (parameters !== null && !isMap(parameters))) return undefined;
  return { name, enabled, fields: mapOf(Object.entries(fields)) };
}

function isMapOfMaps(value: Value): value is ValueMap {
  return isMap(value) && Object.values(value).every(isMap);
}

function loadValue(text: string): Value | undefined {
  try {
    return plain(load(text));
  } catch {
    return undefined;
  }
}

/** Plain data, or undefined where it holds something that a double or JSON does not hold exactly. */
function plain(value: unknown): Value | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value)) ? value : undefined;
  if (typeof value !== "object") return undefined;
  if (Array.isArray(value)) return allOf(value.map(plain));
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return undefined;
  // By now a key that is nothing looks like this one, too.
  if (Object.hasOwn(value, "null")) return undefined;
  const values = allOf(Object.values(value).map(plain));
  return values && mapOf(Object.keys(value).map((name, i) => [name, values[i]!]));
}

function allOf(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  return values.includes(undefined) ? undefined : (values as readonly Value[]);
}
