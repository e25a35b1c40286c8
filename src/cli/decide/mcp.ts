import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { PlanDocument } from "../../core/plan-document.ts";
import { countsInWords } from "../../report/words.ts";
import { runCommand, versionsOf } from "../main.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import type { CommonValues } from "../shell/options.ts";

export const command = defineCommand({
  name: "mcp",
  about: `Starts a Model Context Protocol server on standard input and output. It lets an agent
plan, see what is managed and by whom, and check a pack. It writes nothing unless you
allow it, and always masks secrets.`,
  options: {
    "allow-writes": { type: "boolean", help: "also offer apply, resolve, disown and rollback" },
  },
  example: "claude mcp add stet -- stet mcp",
  async run({ values }, io) {
    const server = makeServer(values["allow-writes"] === true, values, io);
    const ended = new Promise<void>((resolve) => {
      server.onclose = resolve;
      process.stdin.once("end", resolve);
      process.once("SIGTERM", resolve);
      process.once("SIGINT", resolve);
    });
    await server.connect(new StdioServerTransport());
    await ended;
    await server.close();
    return 0;
  },
});

type Arguments = Readonly<Record<string, unknown>>;

/** One tool: a command of ours with `--json`, so that an agent sees just what a script would. */
interface CommandTool {
  readonly tool: Tool;
  readonly writes: boolean;
  argv(given: Arguments): string[];
}

const pack = { type: "string", description: "the pack: a folder with a stet.yaml, or the file itself" } as const;
const key = { type: "string", description: "the entry's key, FILE#KEY, or an unambiguous part of it" } as const;
const owner = { type: "string", description: "the owner's name, where several have the entry" } as const;

function commandTool(
  name: string,
  description: string,
  properties: NonNullable<Tool["inputSchema"]["properties"]>,
  required: readonly string[],
  argv: CommandTool["argv"],
  writes = false,
): CommandTool {
  const inputSchema: Tool["inputSchema"] = {
    type: "object",
    properties,
    required: [...required],
    additionalProperties: false,
  };
  const annotations = { readOnlyHint: !writes, destructiveHint: writes, idempotentHint: true, openWorldHint: false };
  return { tool: { name, description, inputSchema, annotations }, writes, argv };
}

const text = (value: unknown): string[] => (value === undefined ? [] : [String(value)]);
const option = (name: string, value: unknown): string[] => (value === undefined ? [] : [`--${name}`, String(value)]);

/** A key that begins with a dash is no option. */
const afterOptions = (...words: string[]): string[] => ["--", ...words];

const tools: readonly CommandTool[] = [
  commandTool("plan", "What applying a pack would change, and why. Writes nothing.", { pack }, ["pack"], (given) => [
    "plan",
    ...afterOptions(...text(given.pack)),
  ]),
  commandTool(
    "status",
    "Everything that is managed here: owners, files, entries, edits, conflicts.",
    { name: owner },
    [],
    (given) => ["status", ...afterOptions(...text(given.name))],
  ),
  commandTool("waiting", "What waits for the user's decision, with the commands that decide it.", {}, [], () => [
    "review",
  ]),
  commandTool(
    "blame",
    "Every line of a file with its owner.",
    { file: { type: "string", description: "a path, absolute or with ~" } },
    ["file"],
    (given) => ["blame", ...afterOptions(...text(given.file))],
  ),
  commandTool(
    "explain",
    "Template, record, the user's value, verdict and history of one entry.",
    { key, owner },
    ["key"],
    (given) => ["explain", ...option("owner", given.owner), ...afterOptions(...text(given.key))],
  ),
  commandTool(
    "who_runs",
    "Every hook, server and permission of every agent runtime, with its file and line, and who manages it.",
    { project: { type: "string", description: "the project's folder; default: where the server runs" } },
    [],
    (given) => ["who-runs", ...afterOptions(...text(given.project))],
  ),
  commandTool(
    "check",
    "Try a pack in temporary homes: does it install, upgrade and uninstall cleanly?",
    { pack },
    ["pack"],
    (given) => ["check", ...afterOptions(...text(given.pack))],
  ),
  commandTool(
    "resolve",
    "Settle a conflict: keep the user's value (mine) or take the owner's (theirs).",
    { key, owner, side: { type: "string", enum: ["mine", "theirs"] } },
    ["key", "side"],
    (given) => [
      "resolve",
      `--${given.side === "mine" ? "mine" : "theirs"}`,
      ...option("owner", given.owner),
      ...afterOptions(...text(given.key)),
    ],
    true,
  ),
  commandTool(
    "disown",
    "Hand an entry to the user for good: it is never written, removed or put back again.",
    { key, owner },
    ["key"],
    (given) => ["disown", ...option("owner", given.owner), ...afterOptions(...text(given.key))],
    true,
  ),
  commandTool(
    "apply",
    "Install or upgrade a pack.",
    { pack },
    ["pack"],
    (given) => ["apply", ...afterOptions(...text(given.pack))],
    true,
  ),
  commandTool(
    "rollback",
    "Go back to an earlier generation of an owner.",
    { name: owner, to: { type: "integer", minimum: 0, description: "the generation; default: the one before" } },
    ["name"],
    (given) => ["rollback", ...option("to", given.to), ...afterOptions(...text(given.name))],
    true,
  ),
];

function makeServer(allowWrites: boolean, values: CommonValues, io: Io): Server {
  const offered = tools.filter(({ writes }) => allowWrites || !writes);
  const server = new Server({ name: io.program, version: versionsOf(io).version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: offered.map(({ tool }) => tool) }));
  // One at a time: two writes of one agent must not wait for each other's locks.
  let last: Promise<unknown> = Promise.resolve();
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const found = offered.find(({ tool }) => tool.name === params.name);
    if (found === undefined) return problem(notOffered(params.name));
    const answer = last.then(() => call(found, params.arguments ?? {}, values, io));
    last = answer.catch(() => undefined);
    return answer;
  });
  return server;
}

function notOffered(name: string): string {
  const writes = tools.some(({ tool }) => tool.name === name);
  return writes ? `${name} writes, and this server was started without --allow-writes` : `there is no tool ${name}`;
}

async function call(
  { tool, argv, writes }: CommandTool,
  given: Arguments,
  values: CommonValues,
  io: Io,
): Promise<CallToolResult> {
  const wrong = Object.keys(given).find((name) => !Object.hasOwn(tool.inputSchema.properties ?? {}, name));
  if (wrong !== undefined) return problem(`${tool.name} takes no ${wrong}`);
  const unfit = Object.entries(given).map(([name, value]) => unfitFor(tool, name, value));
  const [told] = unfit.filter((each) => each !== undefined);
  if (told !== undefined) return problem(`${tool.name}: ${told}`);
  const missing = tool.inputSchema.required?.find((name) => given[name] === undefined);
  if (missing !== undefined) return problem(`${tool.name} needs ${missing}`);
  const [name = "", ...rest] = argv(given);
  const places = [...option("home", values.home), ...option("state-dir", values["state-dir"])];
  const common = [...places, ...option("project", values.project), "--json"];
  const printed = { out: "", err: "" };
  const capturing: Io = {
    ...io,
    terminal: undefined,
    errorTerminal: false,
    keyboard: () => undefined,
    out: (part) => {
      printed.out += part;
    },
    err: (part) => {
      printed.err += part;
    },
  };
  const code = await runCommand([name, ...common, ...rest], capturing);
  const document = parsed(printed.out);
  if (code === 1 && tool.name !== "check") return problem(printed.err.trim() || "it did not work", document);
  return {
    content: [{ type: "text", text: shortText(document, writes) }, ...documentParts(document)],
    ...(document && { structuredContent: document }),
  };
}

interface ArgumentSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
}

/** What is wrong with an argument, by the schema that the tool shows; a client need not have looked at it. */
function unfitFor({ inputSchema }: Tool, name: string, value: unknown): string | undefined {
  const schema: ArgumentSchema = inputSchema.properties?.[name] ?? {};
  const { type, enum: choices, minimum = 0 } = schema;
  if (choices !== undefined && !choices.some((each) => each === value)) return `${name} is ${choices.join(" or ")}`;
  if (type === "string" && typeof value !== "string") return `${name} is a text`;
  const isNumber = Number.isInteger(value) && (value as number) >= minimum;
  return type === "integer" && !isNumber ? `${name} is a whole number, ${minimum} or more` : undefined;
}

function problem(message: string, document?: Record<string, unknown>): CallToolResult {
  return { isError: true, content: [{ type: "text", text: message }, ...documentParts(document)] };
}

function documentParts(document: Record<string, unknown> | undefined): CallToolResult["content"] {
  return document === undefined ? [] : [{ type: "text", text: JSON.stringify(document) }];
}

function parsed(output: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(output);
    return Array.isArray(value) ? { documents: value } : (value as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

/** What a person would say of the document in a line. A tool that writes may have changed records alone. */
function shortText(document: Record<string, unknown> | undefined, writes: boolean): string {
  if (document === undefined) return "done";
  if (isPlan(document)) {
    const none = writes && document.entries.length > 0 ? "no file was changed" : "nothing to change";
    const words = countsInWords(document.entries);
    return `${document.name} ${document.version}: ${words.length === 0 ? none : words.join(", ")}`;
  }
  const [name, list] = Object.entries(document).find(([, value]) => Array.isArray(value)) ?? [];
  if (list === undefined) return "done";
  const { length } = list as unknown[];
  return `${length} ${length === 1 ? (singular[name!] ?? name) : name}`;
}

const singular: Readonly<Record<string, string>> = {
  owners: "owner",
  entries: "entry",
  lines: "line",
  trials: "trial",
};

function isPlan(document: object): document is PlanDocument {
  return "entries" in document && "summary" in document && "changed" in document;
}
