import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { endingWithUs } from "./api-server.ts";

/**
 * `stet toolset` bundled as it ships, to be run as a process of its own. Below node_modules, so that it finds its
 * dependencies.
 */
export interface Bundle {
  readonly entry: string;
  remove(): void;
}

export async function bundleCli(): Promise<Bundle> {
  const root = join(import.meta.dirname, "..", "..", "..");
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "stet-toolset-"));
  await build({
    stdin: { contents: entryText, resolveDir: root },
    outfile: join(folder, "cli.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    external: ["fs-native-extensions"],
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return { entry: join(folder, "cli.mjs"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Only this command: the others need not even compile for it to be tested. */
const entryText = `
import { command } from "./src/cli/toolset/toolset.ts";
const io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  cwd: process.cwd(),
  platform: process.platform,
  terminal: undefined,
  readInput: async () => "",
  now: () => new Date(),
  program: "stet",
};
process.exitCode = await command.run(process.argv.slice(2), io);
`;

/** A controller of its own, with its log. */
export interface RunningController {
  readonly child: ChildProcess;
  readonly log: readonly LogLine[];
  readonly port: number;
  readonly output: () => string;
  /** Ask `/health`, `/ready` or `/metrics`. */
  ask(path: string): Promise<{ status: number; body: string }>;
  metric(name: string): Promise<number>;
  logged(message: string): boolean;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export async function startController(entry: string, args: readonly string[]): Promise<RunningController> {
  const command = [entry, "run", "--listen", "127.0.0.1:0", ...args];
  const child = endingWithUs(spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] }));
  const log: LogLine[] = [];
  let [rest, errors] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) log.push(JSON.parse(line) as LogLine);
  });
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  const port = await startedPort(log, ended, () => errors);
  const ask = async (path: string): Promise<{ status: number; body: string }> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.text() };
  };
  return {
    child,
    log,
    port,
    output: () => errors,
    ask,
    metric: async (name) =>
      Number(new RegExp(`^dynamictoolset_${name} (\\S+)$`, "m").exec((await ask("/metrics")).body)?.[1] ?? Number.NaN),
    logged: (message) => log.some((line) => line.msg === message),
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function startedPort(
  log: readonly LogLine[],
  ended: Promise<number | null>,
  errors: () => string,
): Promise<number> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (;;) {
    const started = log.find((line) => line.msg === "Started");
    if (started) return started.port as number;
    if (isOver) throw new Error(`the controller ended at once: ${errors()}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
