import * as v from "valibot";
import { parse } from "yaml";
import { mapOf, type Value, type ValueMap } from "../../core/value.ts";
import { byText, type DiscoveredTool, refText, toTheSecond } from "../tool.ts";
import { flowLine, yamlLines, yamlScalar } from "./yaml.ts";

const header = `# ⚠️ WARNING: This section is AUTO-GENERATED and will be OVERWRITTEN
# To change, add or switch off a tool, write it into 'overrides.yaml' of this ConfigMap
`;

const itemStart = "  - name: ";
const sourceStart = "    # Auto-discovered from Service: ";
const updatedStart = "    # Last updated: ";

/** One tool of a generated text: what it says without its time, and the time. */
export interface GeneratedBlock {
  readonly name: string;
  /** `namespace/service`, as the comment says. */
  readonly source: string;
  readonly body: string;
  readonly updated: string;
}

/** Everything of each tool's block but the time, by name. */
export type BlockBodies = ReadonlyMap<string, string>;

export function blockBodies(tools: readonly DiscoveredTool[]): BlockBodies {
  return new Map(tools.map((tool) => [tool.name, blockBody(tool)]));
}

const keptHeader = `
# Names that stay with Services that are not there now:
`;
const keptStart = "#   ";

/** A tool whose Service is not there, but has the name. */
export interface KeptTool {
  readonly name: string;
  /** `namespace/name`. */
  readonly service: string;
  /** The detector's type; undefined: not recorded. */
  readonly kind: string | undefined;
  readonly fields: ValueMap;
}

/** One line a kept name: JSON, as a comment. */
function keptLines(kept: readonly KeptTool[]): string {
  if (kept.length === 0) return "";
  const lines = [...kept]
    .sort((a, b) => byText(a.name, b.name))
    .map(({ name, service, kind, fields }) => `${keptStart}${flowLine({ name, service, kind, fields })}\n`);
  return keptHeader + lines.join("");
}

/**
 * The text of `toolset.yaml`. A tool whose block is as it was keeps its time, so that nothing changes when nothing
 * changed.
 */
export function generateToolset({ bodies, kept, former, now }: ToolsetText): string {
  if (bodies.size === 0) return `${header}tools: []\n${keptLines(kept)}`;
  const time = toTheSecond(now);
  const blocks = [...bodies.keys()].sort(byText).map((name) => {
    const [body, before] = [bodies.get(name)!, former.get(name)];
    return `${body}${updatedStart}${before?.body === body ? before.updated : time}\n`;
  });
  return `${header}tools:\n${blocks.join("\n")}${keptLines(kept)}`;
}

export interface ToolsetText {
  readonly bodies: BlockBodies;
  readonly kept: readonly KeptTool[];
  /** The blocks of the last text. */
  readonly former: ReadonlyMap<string, GeneratedBlock>;
  readonly now: Date;
}

function blockBody(tool: DiscoveredTool): string {
  const fields = yamlLines(tool.fields, "    ");
  return [itemStart + yamlScalar(tool.name), ...fields, sourceStart + refText(tool.source), ""].join("\n");
}

/**
 * The blocks of a text that `generateToolset` wrote, by tool. Reads that one form only: a block that somebody changed
 * comes out with a different body, and one that lost its name or comments is left out; both are then generated anew.
 */
export function readBlocks(text: string): Map<string, GeneratedBlock> {
  const blocks = new Map<string, GeneratedBlock>();
  for (const chunk of splitBlocks(text)) {
    const updatedAt = chunk.indexOf(`\n${updatedStart}`);
    const sourceAt = chunk.indexOf(`\n${sourceStart}`);
    const name = readName(chunk.slice(itemStart.length, chunk.indexOf("\n")));
    if (updatedAt === -1 || sourceAt === -1 || name === undefined) continue;
    blocks.set(name, {
      name,
      source: lineAt(chunk, sourceAt + 1 + sourceStart.length),
      updated: lineAt(chunk, updatedAt + 1 + updatedStart.length),
      body: chunk.slice(0, updatedAt + 1),
    });
  }
  return blocks;
}

/** The kept tools of a text that `generateToolset` wrote, by name. */
export function readKeptTools(text: string): Map<string, KeptTool> {
  const at = text.lastIndexOf(keptHeader);
  const lines = at === -1 ? [] : text.slice(at + keptHeader.length).split("\n");
  return new Map(lines.flatMap((line) => readKept(line) ?? []).map((kept) => [kept.name, kept]));
}

const keptSchema = v.object({
  name: v.string(),
  service: v.string(),
  kind: v.optional(v.string()),
  fields: v.object({
    type: v.optional(v.string()),
    description: v.optional(v.string()),
    endpoint: v.optional(v.string()),
  }),
});

/** A line that somebody changed says nothing. */
function readKept(line: string): KeptTool | undefined {
  if (!line.startsWith(keptStart)) return undefined;
  try {
    const parsed = v.safeParse(keptSchema, JSON.parse(line.slice(keptStart.length)));
    if (!parsed.success) return undefined;
    const { name, service, kind, fields } = parsed.output;
    const stated = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { name, service, kind, fields: mapOf(stated) };
  } catch {
    return undefined;
  }
}

/** The fields of one block; none where somebody broke it. */
export function readBody(body: string): ValueMap {
  try {
    const [item] = parse(body) as unknown[];
    const { name: _, ...fields } = item as Record<string, Value>;
    return mapOf(Object.entries(fields));
  } catch {
    return mapOf([]);
  }
}

function splitBlocks(text: string): string[] {
  const chunks: string[] = [];
  let start = text.indexOf(`\n${itemStart}`);
  while (start !== -1) {
    const next = text.indexOf(`\n${itemStart}`, start + 1);
    chunks.push(text.slice(start + 1, next === -1 ? text.length : next));
    start = next;
  }
  return chunks;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? text.length : end);
}

function readName(spelling: string): string | undefined {
  if (!spelling.startsWith('"')) return spelling === "" ? undefined : spelling;
  try {
    const name: unknown = JSON.parse(spelling);
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
