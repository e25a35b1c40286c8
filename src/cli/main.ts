import { InputError } from "../core/diagnostic.ts";
import { printableLine } from "../report/colour.ts";
import { commonOptions } from "./shell/common-options.ts";
import type { Command, Io } from "./shell/io.ts";
import type { Progress } from "./shell/progress.ts";

/** Every command with one line about it; its code is loaded when it is called. */
export const commands: Readonly<Record<string, { readonly summary: string; load(): Promise<{ command: Command }> }>> = {
  plan: { summary: "show what would change, and why", load: () => import("./files/plan.ts") },
  apply: { summary: "make it so", load: () => import("./files/apply.ts") },
  status: { summary: "every managed file and entry: owner, version, edits, conflicts, drift", load: () => import("./files/status.ts") },
  blame: { summary: "every line of a file with its owner", load: () => import("./files/blame.ts") },
  explain: { summary: "template, recorded, yours, verdict and history of one entry", load: () => import("./files/explain.ts") },
  resolve: { summary: "settle a conflict", load: () => import("./files/resolve.ts") },
  adopt: { summary: "take entries under management", load: () => import("./files/adopt.ts") },
  disown: { summary: "hand entries to the user for good", load: () => import("./files/disown.ts") },
  history: { summary: "what was changed, and when", load: () => import("./files/history.ts") },
  rollback: { summary: "go back to an earlier generation", load: () => import("./files/rollback.ts") },
  uninstall: { summary: "take out everything an owner wrote that you have not changed", load: () => import("./files/uninstall.ts") },
  watch: { summary: "keep it so: reconcile on change and on an interval", load: () => import("./files/watch.ts") },
  doctor: { summary: "is everything that is installed effective?", load: () => import("./files/doctor.ts") },
  init: { summary: "a first manifest and templates from existing files", load: () => import("./files/init.ts") },
  check: { summary: "for pack authors: does this pack install, upgrade and uninstall cleanly?", load: () => import("./files/check.ts") },
  demo: { summary: "the story in one minute, on made-up files", load: () => import("./files/demo.ts") },
  completion: { summary: "completion for bash, zsh and fish", load: () => import("./shell/completion.ts") },
  host: { summary: "shared services and host overlays, from Git to running units", load: () => import("./host/host.ts") },
  toolset: { summary: "discovered services and your overrides, in one ConfigMap", load: () => import("./toolset/toolset.ts") },
};

/** Run one command line. Returns the exit code; prints only through `io`. */
export async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...args] = commandFirst(argv);
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const { overview } = await import("./shell/help.ts");
    io.out(overview(io.program, commands));
    return 0;
  }
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (known === undefined) {
    return refuse(new InputError({ code: "usage", message: `there is no command ${name}; see: ${io.program} help` }), args, io);
  }
  const { command } = await known.load();
  if (args.includes("--help") || args.includes("-h")) {
    io.out(helpFor(command, io.program));
    return 0;
  }
  const progress = await progressOf(`${io.program} ${name}`, io, io.errorTerminal === true && !speaksForItself(name, args));
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
    return await refuse(told, spoke ? [] : args, progress.io);
  } finally {
    progress.stop();
  }
}

/** A mistake of ours. Where it is in the code matters only to whoever looks for it. */
function unexpected(error: unknown, args: readonly string[], { program }: Io): InputError {
  if (args.includes("-v") || args.includes("--verbose")) throw error;
  const [what] = String(error instanceof Error ? error.message : error).split("\n", 1);
  const message = `something that should not happen did (${what}); no file is left half written: run ${program} again with -v and report what it says`;
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
  io.err(`${io.program}: ${printableLine(error.message)}\n`);
  if (args.includes("--json")) io.out((await import("./shell/failure-document.ts")).failureDocument(error.diagnostic));
  return 1;
}

/** Only where somebody looks on: a script does not wait for a thread to begin. */
async function progressOf(label: string, io: Io, wanted: boolean): Promise<Progress> {
  return wanted ? (await import("./shell/progress.ts")).showProgress(label, io) : { io, stop: () => {} };
}

/** Commands that go on speaking, those that open an editor, and those told to be quiet. */
function speaksForItself(name: string, args: readonly string[]): boolean {
  const loops =
    name === "watch" || name === "demo" || (name === "host" && args[0] === "watch") || (name === "toolset" && args[0] === "run");
  return loops || ["--edit", "-q", "--quiet"].some((option) => args.includes(option));
}

/** A command's help, in the words of the program that it is part of. */
function helpFor({ help }: Command, program: string): string {
  const names = Object.keys(commands).join("|");
  return program === "stet" ? help : help.replaceAll(new RegExp(`\\bstet (?=(?:${names})\\b)`, "g"), `${program} `);
}
