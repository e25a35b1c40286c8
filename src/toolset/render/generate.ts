import { byText, type DiscoveredTool, refText } from "../tool.ts";
import { yamlLines, yamlScalar } from "./yaml-text.ts";

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

/** The text of `toolset.yaml`. A tool whose block is as it was keeps its time, so that nothing changes when nothing changed. */
export function generateToolset(bodies: BlockBodies, former: ReadonlyMap<string, GeneratedBlock>, now: Date): string {
  if (bodies.size === 0) return `${header}tools: []\n`;
  const time = now.toISOString().replace(/\.\d+Z$/, "Z");
  const blocks = [...bodies.keys()].sort(byText).map((name) => {
    const [body, before] = [bodies.get(name)!, former.get(name)];
    return `${body}${updatedStart}${before?.body === body ? before.updated : time}\n`;
  });
  return `${header}tools:\n${blocks.join("\n")}`;
}

function blockBody(tool: DiscoveredTool): string {
  const fields = yamlLines(tool.fields, "    ");
  return [itemStart + yamlScalar(tool.name), ...fields, sourceStart + refText(tool.source), ""].join("\n");
}

/**
 * The blocks of a text that `generateToolset` wrote, by tool. Reads that one form only: a block that somebody changed comes out with a
 * different body, and one that lost its name or comments is left out; both are then generated anew.
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
