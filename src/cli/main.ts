import { didYouMean, InputError, renderDiagnostic } from "../core/diagnostic.ts";
import { printableLine } from "../report/colour.ts";
import type { Command, CommandTable } from "./shell/command.ts";
import { commonOptions } from "./shell/common-options.ts";
import { complain, type Io, tell } from "./shell/io.ts";
import type { Progress } from "./shell/progress.ts";

/** Every command with one line about it; its code is loaded when it is called. */
export const commands: CommandTable = {
  plan: {
    summary: "show what a pack would change, and why",
    load: async () => ({ command: (await import("./files/plan.ts")).planCommand }),
  },
  apply: {
    summary: "install or upgrade a pack",
    load: async () => ({ command: (await import("./files/plan.ts")).applyCommand }),
  },
  status: {
    summary: "show what is managed, what you edited, and what needs you",
    load: () => import("./files/status.ts"),
  },
  blame: { summary: "show who owns each line of a file", load: () => import("./files/blame.ts") },
  explain: {
    summary: "tell the whole story of one entry",
    load: () => import("./files/explain.ts"),
  },
  review: { summary: "decide what needs you, one key per entry", load: () => import("./decide/review.ts") },
  ui: { summary: "do the same in a browser, with files, history and who runs what", load: () => import("./ui/ui.ts") },
  resolve: {
    summary: "settle a conflict",
    load: async () => ({ command: (await import("./files/resolve.ts")).resolveCommand }),
  },
  adopt: {
    summary: "let an owner manage entries that are yours",
    load: async () => ({ command: (await import("./files/resolve.ts")).adoptCommand }),
  },
  disown: {
    summary: "make entries yours for good, or keep them out",
    load: async () => ({ command: (await import("./files/resolve.ts")).disownCommand }),
  },
  history: {
    summary: "list what was changed, and when",
    load: async () => ({ command: (await import("./files/rollback.ts")).historyCommand }),
  },
  rollback: {
    summary: "go back to an earlier generation",
    load: async () => ({ command: (await import("./files/rollback.ts")).rollbackCommand }),
  },
  uninstall: {
    summary: "remove everything an owner wrote that you have not changed",
    load: () => import("./files/uninstall.ts"),
  },
  watch: {
    summary: "apply a pack whenever something changes",
    load: () => import("./files/watch.ts"),
  },
  doctor: { summary: "check that what is installed works", load: () => import("./files/doctor.ts") },
  init: { summary: "make a pack from existing files or from an installer", load: () => import("./files/init.ts") },
  check: {
    summary: "for pack authors: try installing, upgrading and uninstalling a pack",
    load: () => import("./files/check.ts"),
  },
  "who-runs": {
    summary: "list every hook, server and permission of every runtime, with its owner",
    load: () => import("./decide/who-runs.ts"),
  },
  merge: {
    summary: "merge two changes of one file, entry by entry; also a git merge driver",
    load: () => import("./merge/merge.ts"),
  },
  modify: { summary: "print what apply would make of a text, as a filter", load: () => import("./merge/modify.ts") },
  diff: { summary: "show the entries in which two files differ", load: () => import("./merge/diff.ts") },
  mcp: { summary: "start a Model Context Protocol server, for agents", load: () => import("./decide/mcp.ts") },
  demo: { summary: "show the whole story in one minute, on made-up files", load: () => import("./demo/demo.ts") },
  completion: {
    summary: "print a completion script for bash, zsh, fish or PowerShell",
    load: () => import("./shell/completion.ts"),
  },
  host: {
    summary: "turn shared services and host overlays in Git into running units",
    load: () => import("./host/host.ts"),
  },
  toolset: {
    summary: "keep one ConfigMap of discovered tools, under your overrides",
    load: () => import("./toolset/toolset.ts"),
  },
};

/** What people type who come from other tools, and what does that here. */
const otherWords: Readonly<Record<string, string>> = {
  install: "apply DIR",
  upgrade: "apply DIR",
  update: "apply DIR",
  remove: "uninstall NAME",
  delete: "uninstall NAME",
  rm: "uninstall NAME",
  undo: "rollback",
  revert: "rollback",
  restore: "rollback",
  list: "status",
  ls: "status",
  info: "status",
  log: "history",
  show: "explain KEY",
  why: "explain KEY",
  conflicts: "review",
  decide: "review",
  edit: "resolve KEY --edit",
  sync: "apply DIR",
  config: "status",
  hooks: "who-runs",
  who: "who-runs",
  validate: "check DIR",
  version: "--version",
};

/** Run one command line. Returns the exit code; prints only through `io`. */
export async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...args] = commandFirst(argv);
  if (name === undefined && (await somethingInstalled(io))) return showOverview(io);
  if (name === "--version" || name === "-V") {
    io.out(versionText(io, args.includes("--json")));
    return 0;
  }
  if (name === undefined || name === "help" || name === "--help" || name === "-h") return showHelp(args, io);
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (known === undefined) return refuse(unknownCommand(name, io), args, io);
  if (args.includes("--help") || args.includes("-h")) return showHelp([name, ...args], io);
  const { command } = await known.load();
  const progress = await progressOf(
    `${io.program} ${name}`,
    io,
    io.errorTerminal === true && !speaksForItself(name, args),
  );
  let spoke = false;
  const out = (text: string) => {
    spoke = true;
    progress.io.out(text);
  };
  try {
    return await command.run(args, { ...progress.io, out });
  } catch (error) {
    const told = error instanceof InputError ? error : unexpected(error, args, io);
    // What was said already is the one document.
    const code = await refuse(told, spoke ? [] : args, progress.io);
    return told.code === "usage" ? code : (command.errorCode?.(args) ?? code);
  } finally {
    progress.stop();
  }
}

/** The overview, or the help of the command (and the one below it) that is named. */
async function showHelp([name = "", below = ""]: readonly string[], io: Io): Promise<number> {
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (known === undefined && name !== "" && !name.startsWith("-")) return refuse(unknownCommand(name, io), [], io);
  if (known === undefined) {
    tell(io, overview(io.program, commands));
    return 0;
  }
  const { command } = await known.load();
  const found = command.commands && Object.hasOwn(command.commands, below) ? command.commands[below] : undefined;
  tell(io, helpFor(found === undefined ? command : (await found.load()).command, io.program));
  return 0;
}

function unknownCommand(name: string, { program }: Io): InputError {
  if (name.startsWith("-")) {
    const meant = name === "-v" ? " (did you mean --version?)" : didYouMean(name, ["--version", "--help"]);
    return new InputError({ code: "usage", message: `there is no option ${name}${meant}; see: ${program} help` });
  }
  const names = Object.keys(commands);
  const meant = didYouMean(name, names);
  const other = Object.hasOwn(otherWords, name) ? `; use: ${program} ${otherWords[name]}` : undefined;
  const rest = other ?? `${meant}; see: ${program} help`;
  return new InputError({ code: "usage", message: `there is no command ${name}${rest}` });
}

/** Whoever types the name alone wants to know how things are; who has nothing yet, what there is to do. */
async function somethingInstalled(io: Io): Promise<boolean> {
  const { instancesOf } = await import("./files/instances.ts");
  const { ownersOf } = await import("../engine/records.ts");
  try {
    return instancesOf({}, io).some((machine) => ownersOf(machine).length > 0);
  } catch {
    return false;
  }
}

async function showOverview(io: Io): Promise<number> {
  try {
    await (await import("./files/status.ts")).showStatus(undefined, {}, io, { suggest: true });
    return 0;
  } catch (error) {
    return refuse(error instanceof InputError ? error : unexpected(error, [], io), [], io);
  }
}

/** A mistake of ours. Where it is in the code matters only to whoever looks for it. */
function unexpected(error: unknown, args: readonly string[], { program }: Io): InputError {
  if (args.includes("-v") || args.includes("--verbose")) throw error;
  const [what] = String(error instanceof Error ? error.message : error).split("\n", 1);
  const message = `this is a bug in stet (${what}); no file is left half written; run ${program} again with -v and report what it says`;
  return new InputError({ code: "internal-error", message });
}

/** Options that every command takes may stand before it as well: they go behind the words that follow it. */
function commandFirst(argv: readonly string[]): readonly string[] {
  let at = 0;
  for (let words = optionWords(argv[0]); words > 0; words = optionWords(argv[at])) at += words;
  if (at === 0 || at >= argv.length) return argv;
  const option = argv.findIndex((word, i) => i > at && word.startsWith("-"));
  const end = option === -1 ? argv.length : option;
  return [...argv.slice(at, end), ...argv.slice(0, at), ...argv.slice(end)];
}

/** How many words a common option takes up; 0 for anything else, and for the call for help, which is a command too. */
function optionWords(word = ""): number {
  const [flag] = word.split("=", 1);
  const known = Object.entries(commonOptions).find(
    ([name, option]) => flag === `--${name}` || ("short" in option && flag === `-${option.short}`),
  );
  if (known === undefined || known[0] === "help") return 0;
  return known[1].type === "string" && flag === word ? 2 : 1;
}

/** One line for people; and whoever asked for a document gets one. */
async function refuse(error: InputError, args: readonly string[], io: Io): Promise<number> {
  for (const each of error.diagnostics) complain(io, `${io.program}: ${printableLine(renderDiagnostic(each))}\n`);
  if (args.includes("--json")) io.out((await import("../report/json-text.ts")).failureDocument(error.diagnostics));
  return 1;
}

/** Only where somebody looks on: a script does not wait for a thread to begin. */
async function progressOf(label: string, io: Io, wanted: boolean): Promise<Progress> {
  return wanted ? (await import("./shell/progress.ts")).showProgress(label, io) : { io, stop: () => {} };
}

/** Commands that go on speaking, those that open an editor, and those told to be quiet. */
function speaksForItself(name: string, args: readonly string[]): boolean {
  const loops =
    name === "watch" ||
    name === "demo" ||
    name === "review" ||
    name === "resolve" ||
    (name === "host" && args[0] === "watch") ||
    (name === "toolset" && args[0] === "run");
  return loops || ["--edit", "-q", "--quiet"].some((option) => args.includes(option));
}

/** A command's help, in the words of the program that it is part of. */
function helpFor({ help }: Command, program: string): string {
  const names = Object.keys(commands).join("|");
  return program === "stet" ? help : help.replaceAll(new RegExp(`\\bstet (?=(?:${names})\\b)`, "g"), `${program} `);
}

/** Put in by `scripts/bundle.mjs`. */
declare const STET_VERSION: string | undefined;

/** Who this is. A framework's program has its own name and version beside stet's. */
export function versionsOf({ manifest }: Io): {
  readonly name: string;
  readonly version: string;
  readonly stet: string;
} {
  const stet = typeof STET_VERSION === "undefined" ? "0.0.0" : STET_VERSION;
  return { name: manifest?.name ?? "stet", version: manifest?.version ?? stet, stet };
}

/** The version, and as JSON also what it runs on. */
function versionText(io: Io, asJson: boolean): string {
  const { name, version, stet } = versionsOf(io);
  if (!asJson) return `${version}\n`;
  const { platform } = io;
  const { node } = process.versions;
  return `${JSON.stringify({ format_version: 1, name, version, stet, node, platform, arch: process.arch }, undefined, 2)}\n`;
}

/** What `stet help` says: the commands by what people come for, and where to go on. */
function overview(program: string, table: CommandTable): string {
  const width = Math.max(...Object.keys(table).map((name) => name.length));
  const rows = Object.entries(table).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Keeps configuration current when it has more than one owner, and never loses what a person wrote.

usage: ${program} COMMAND [options]

${rows.join("\n")}

  ${program} COMMAND --help   options and an example
  ${program} demo             the whole story in one minute
  ${program} --version        the version (--json: also what it runs on)
`;
}
