import { mapOf, type Value } from "../../core/value.ts";

/** An MCP server as a manifest declares it, once for every runtime. */
export interface ServerDeclaration {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the user is asked for, by the name that `${input:NAME}` has above: a secret that stands in no file. */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
}

/** The inputs that a server's fields name. */
export function inputsIn({ command, args = [], env = {}, url, headers = {} }: ServerDeclaration): string[] {
  const texts = [command, ...args, ...Object.values(env), url, ...Object.values(headers)];
  return texts.flatMap((each) => [...(each ?? "").matchAll(/\$\{input:([^}]*)\}/g)].map(([, name]) => name!));
}

/** A hook, with the event as Claude Code calls it. */
export interface HookDeclaration {
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly command: string;
  /** In seconds. */
  readonly timeout?: number | undefined;
}

/**
 * Where a runtime looks, by platform where that differs. With `{owner}` in it, and `{name}` where each server needs a
 * file of its own, it is a file in a folder that the runtime reads all of.
 */
type Place = string | { readonly linux?: string; readonly darwin?: string; readonly win32?: string };

export interface Runtime {
  /** Of its files, where it is a second way to reach a runtime: only for packs that name it. */
  readonly profile?: "claude-code";
  /** Its folder, where the parent of a file does not tell whether it is installed. */
  readonly folder?: { readonly user?: string; readonly project?: string };
  /** In the user's home, and in a project; undefined where the runtime has no such file. */
  readonly servers: { readonly user?: Place; readonly project?: string };
  readonly hooks?: { readonly user?: Place; readonly project?: string };
  readonly instructions?: { readonly user?: Place; readonly project?: string };
  /** It asks the user for `${input:NAME}`. */
  readonly asks?: true;
  /** The document that declares a server, or why the runtime can't have it. */
  server(name: string, server: ServerDeclaration): Value | Inexpressible;
  hook?(hook: HookDeclaration): Value | Inexpressible;
}

export class Inexpressible {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

type Shape = (server: ServerDeclaration) => Value | Inexpressible;

const started = ({ command, args, env }: ServerDeclaration) => present({ command, args, env });
const reached = ({ url, headers }: ServerDeclaration) => present({ url, headers });

function present(fields: Readonly<Record<string, unknown>>): Value {
  return mapOf(Object.entries(fields).filter(([, value]) => value !== undefined) as [string, Value][]);
}

function withFields(first: Readonly<Record<string, unknown>>, then: Value): Value {
  return mapOf([...Object.entries(first), ...Object.entries(then as object)] as [string, Value][]);
}

/** A server under its name in a map of servers. */
function under(container: string, local: Shape, remote: Shape): Runtime["server"] {
  return (name, server) => {
    const shape = server.url === undefined ? local(server) : remote(server);
    return shape instanceof Inexpressible ? shape : mapOf([[container, mapOf([[name, shape]])]]);
  };
}

const startsOnly: Shape = () => new Inexpressible("it only knows servers that it starts by a command");
const withType = (type: string, more: object = {}): Shape => {
  return (server) =>
    withFields(
      { type },
      withFields({}, {
        ...((server.url === undefined ? started(server) : reached(server)) as object),
        ...more,
      } as Value),
    );
};

/** Groups by matcher, as Claude Code has them. */
function nestedHook(eventOf: (event: string) => string | undefined, perSecond = 1): NonNullable<Runtime["hook"]> {
  return ({ event, matcher, command, timeout }) => {
    const name = eventOf(event);
    if (name === undefined) return new Inexpressible(`it has no event like ${event}`);
    const handler = present({
      type: "command",
      command,
      timeout: timeout === undefined ? undefined : timeout * perSecond,
    });
    return mapOf([["hooks", mapOf([[name, [present({ matcher, hooks: [handler] })]]])]]);
  };
}

const geminiEvents: Readonly<Record<string, string>> = {
  PreToolUse: "BeforeTool",
  PostToolUse: "AfterTool",
  UserPromptSubmit: "BeforeAgent",
  Stop: "AfterAgent",
  SessionStart: "SessionStart",
  SessionEnd: "SessionEnd",
  Notification: "Notification",
  PreCompact: "PreCompress",
};
const cursorEvents: Readonly<Record<string, string>> = {
  PreToolUse: "preToolUse",
  PostToolUse: "postToolUse",
  UserPromptSubmit: "beforeSubmitPrompt",
  Stop: "stop",
  SubagentStop: "subagentStop",
  SessionStart: "sessionStart",
  SessionEnd: "sessionEnd",
  PreCompact: "preCompact",
};
const codexEvents = new Set([
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
  "Stop",
]);

/** The events of Copilot, in the spelling that gives hooks the fields they know from Claude Code. */
const copilotEvents = new Set([
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "SubagentStop",
  "PreCompact",
]);

/** Variables that Goose does not let an extension set: it refuses the whole extension. */
const refusedByGoose = new Set(
  "PATH PATHEXT SYSTEMROOT WINDIR LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT LD_DEBUG LD_BIND_NOW LD_ASSUME_KERNEL DYLD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_FRAMEWORK_PATH PYTHONPATH PYTHONHOME NODE_OPTIONS RUBYOPT GEM_PATH GEM_HOME CLASSPATH GO111MODULE GOROOT APPINIT_DLLS SESSIONNAME COMSPEC TEMP TMP LOCALAPPDATA USERPROFILE HOMEDRIVE HOMEPATH".split(
    " ",
  ),
);

const agents = { project: "AGENTS.md" };
const plainServers = under("mcpServers", started, reached);

/** A file that an extension of VS Code keeps for itself. */
function inCode(file: string): Place {
  const below = `Code/User/globalStorage/${file}`;
  return {
    linux: `~/.config/${below}`,
    darwin: `~/Library/Application Support/${below}`,
    win32: `~/AppData/Roaming/${below}`,
  };
}

/** By the names of profiles, but for those that say which profile they have. */
export const runtimes: Readonly<Record<string, Runtime>> = {
  "claude-code": {
    servers: { user: "~/.claude.json", project: ".mcp.json" },
    hooks: { user: "~/.claude/settings.json", project: ".claude/settings.json" },
    instructions: { user: "~/.claude/CLAUDE.md", project: "CLAUDE.md" },
    server: under("mcpServers", withType("stdio"), withType("http")),
    hook: nestedHook((event) => event),
  },
  // For everybody on the machine. No servers: a file of these would shut out those that users added.
  "claude-code-managed": {
    profile: "claude-code",
    servers: {},
    hooks: {
      user: {
        linux: "/etc/claude-code/managed-settings.d/{owner}.json",
        darwin: "/Library/Application Support/ClaudeCode/managed-settings.d/{owner}.json",
        win32: "C:/Program Files/ClaudeCode/managed-settings.d/{owner}.json",
      },
    },
    server: () => new Inexpressible("its managed settings have no servers"),
    hook: nestedHook((event) => event),
  },
  "claude-desktop": {
    servers: {
      user: {
        linux: "~/.config/Claude/claude_desktop_config.json",
        darwin: "~/Library/Application Support/Claude/claude_desktop_config.json",
        win32: "~/AppData/Roaming/Claude/claude_desktop_config.json",
      },
    },
    server: under("mcpServers", started, startsOnly),
  },
  codex: {
    servers: { user: "~/.codex/config.toml", project: ".codex/config.toml" },
    hooks: { user: "~/.codex/hooks.json", project: ".codex/hooks.json" },
    instructions: { user: "~/.codex/AGENTS.md", ...agents },
    server: under("mcp_servers", started, ({ url, headers }) => present({ url, http_headers: headers })),
    hook: nestedHook((event) => (codexEvents.has(event) ? event : undefined)),
  },
  cursor: {
    servers: { user: "~/.cursor/mcp.json", project: ".cursor/mcp.json" },
    hooks: { user: "~/.cursor/hooks.json", project: ".cursor/hooks.json" },
    instructions: agents,
    server: plainServers,
    hook: ({ event, matcher, command, timeout }) => {
      const name = cursorEvents[event];
      if (name === undefined) return new Inexpressible(`it has no event like ${event}`);
      return mapOf([
        ["version", 1],
        ["hooks", mapOf([[name, [present({ command, matcher, timeout })]]])],
      ]);
    },
  },
  gemini: {
    servers: { user: "~/.gemini/settings.json", project: ".gemini/settings.json" },
    hooks: { user: "~/.gemini/settings.json", project: ".gemini/settings.json" },
    instructions: { user: "~/.gemini/GEMINI.md", project: "GEMINI.md" },
    server: under("mcpServers", started, ({ url, headers }) => present({ httpUrl: url, headers })),
    hook: nestedHook((event) => geminiEvents[event], 1000),
  },
  opencode: {
    servers: { user: "~/.config/opencode/opencode.json", project: "opencode.json" },
    instructions: { user: "~/.config/opencode/AGENTS.md", ...agents },
    server: under(
      "mcp",
      ({ command, args, env }) => present({ type: "local", command: [command, ...(args ?? [])], environment: env }),
      ({ url, headers }) => present({ type: "remote", url, headers }),
    ),
  },
  vscode: {
    servers: {
      user: {
        linux: "~/.config/Code/User/mcp.json",
        darwin: "~/Library/Application Support/Code/User/mcp.json",
        win32: "~/AppData/Roaming/Code/User/mcp.json",
      },
      project: ".vscode/mcp.json",
    },
    instructions: { project: ".github/copilot-instructions.md" },
    asks: true,
    server: (name, { inputs = {}, ...server }) => {
      const asked = Object.entries(inputs).map(([id, description]) =>
        present({ type: "promptString", id, description, password: true }),
      );
      const declared = under("servers", withType("stdio"), withType("http"))(name, server);
      return asked.length === 0 ? declared : withFields({ inputs: asked }, declared as Value);
    },
  },
  "copilot-cli": {
    folder: { user: "~/.copilot" },
    servers: { user: "~/.copilot/mcp-config.json", project: ".github/mcp.json" },
    hooks: { user: "~/.copilot/hooks/{owner}.json", project: ".github/hooks/{owner}.json" },
    instructions: { user: "~/.copilot/copilot-instructions.md", project: ".github/copilot-instructions.md" },
    server: under("mcpServers", withType("local", { tools: ["*"] }), withType("http", { tools: ["*"] })),
    hook: ({ event, matcher, command, timeout }) => {
      if (!copilotEvents.has(event)) return new Inexpressible(`it has no event like ${event}`);
      const handler = present({ type: "command", matcher, bash: command, powershell: command, timeoutSec: timeout });
      return mapOf([
        ["version", 1],
        ["hooks", mapOf([[event, [handler]]])],
      ]);
    },
  },
  windsurf: {
    servers: { user: "~/.codeium/windsurf/mcp_config.json" },
    instructions: agents,
    server: under("mcpServers", started, ({ url, headers }) => present({ serverUrl: url, headers })),
  },
  zed: {
    servers: {
      user: {
        linux: "~/.config/zed/settings.json",
        darwin: "~/.config/zed/settings.json",
        win32: "~/AppData/Roaming/Zed/settings.json",
      },
      project: ".zed/settings.json",
    },
    instructions: agents,
    // Releases before 2025-11 ask for `source`, later ones leave it alone.
    server: under("context_servers", (server) => withFields({ source: "custom" }, started(server)), reached),
  },
  goose: {
    servers: {
      user: {
        linux: "~/.config/goose/config.yaml",
        darwin: "~/.config/goose/config.yaml",
        win32: "~/AppData/Roaming/Block/goose/config/config.yaml",
      },
    },
    instructions: {
      user: {
        linux: "~/.config/goose/.goosehints",
        darwin: "~/.config/goose/.goosehints",
        win32: "~/AppData/Roaming/Block/goose/config/.goosehints",
      },
      ...agents,
    },
    server: (name, { command, args, env = {}, url, headers }) => {
      const refused = Object.keys(env).find((variable) => refusedByGoose.has(variable.toUpperCase()));
      if (refused !== undefined) return new Inexpressible(`it lets no extension set ${refused}`);
      // Goose looks an extension up under its name without capitals and blanks.
      const key = name.replaceAll(/\s/g, "").toLowerCase();
      const common = { enabled: true, name, description: "", timeout: 300 };
      const shape =
        url === undefined
          ? present({ ...common, type: "stdio", cmd: command, args: args ?? [], envs: env })
          : present({ ...common, type: "streamable_http", uri: url, headers });
      return mapOf([["extensions", mapOf([[key, shape]])]]);
    },
  },
  continue: {
    folder: { user: "~/.continue", project: ".continue" },
    // A file of its own for each: `config.yaml` is refused where it has no name, version and schema.
    servers: {
      user: "~/.continue/mcpServers/{owner}-{name}.yaml",
      project: ".continue/mcpServers/{owner}-{name}.yaml",
    },
    instructions: { user: "~/.continue/rules/{owner}.md", project: ".continue/rules/{owner}.md" },
    server: (name, server) => {
      const remote = present({
        type: "streamable-http",
        url: server.url,
        requestOptions: server.headers && { headers: server.headers },
      });
      const shape = server.url === undefined ? started(server) : remote;
      return mapOf([
        ["name", name],
        ["version", "0.0.1"],
        ["schema", "v1"],
        ["mcpServers", [withFields({ name }, shape)]],
      ]);
    },
  },
  cline: {
    servers: { user: inCode("saoudrizwan.claude-dev/settings/cline_mcp_settings.json") },
    instructions: agents,
    // Without a type it would take a url for the older protocol.
    server: under("mcpServers", started, withType("streamableHttp")),
  },
  roo: {
    servers: { user: inCode("rooveterinaryinc.roo-cline/settings/mcp_settings.json"), project: ".roo/mcp.json" },
    // It reads every file of that folder.
    instructions: { user: "~/.roo/rules/{owner}.md", ...agents },
    server: under("mcpServers", started, withType("streamable-http")),
  },
  amp: {
    servers: { user: "~/.config/amp/settings.json", project: ".amp/settings.json" },
    instructions: { user: "~/.config/amp/AGENTS.md", ...agents },
    server: under("amp.mcpServers", started, reached),
  },
  warp: {
    servers: { user: "~/.warp/.mcp.json", project: ".warp/.mcp.json" },
    instructions: agents,
    server: under("mcpServers", ({ args = [], ...server }) => started({ ...server, args }), reached),
  },
  junie: {
    servers: { user: "~/.junie/mcp/mcp.json", project: ".junie/mcp/mcp.json" },
    instructions: { user: "~/.junie/AGENTS.md", project: ".junie/AGENTS.md" },
    server: plainServers,
  },
  antigravity: {
    servers: { user: "~/.gemini/config/mcp_config.json", project: ".agents/mcp_config.json" },
    instructions: { user: "~/.gemini/GEMINI.md", ...agents },
    server: under("mcpServers", started, ({ url, headers }) => present({ serverUrl: url, headers })),
  },
};
