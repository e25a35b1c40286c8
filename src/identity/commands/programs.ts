import type { Platform } from "../paths/path-context.ts";

/** A program that only runs another: what of its own comes before that. */
export interface Wrapper {
  /** Options that take the next word with them. */
  readonly valued: readonly string[];
  /** Words of its own after the options: the duration of `timeout`. */
  readonly positional: number;
}

const plainWrapper: Wrapper = { valued: [], positional: 0 };

const wrappers = byName<Wrapper>([
  ["env", { valued: ["-u", "--unset", "-C", "--chdir", "-S", "--split-string"], positional: 0 }],
  ["nice", { valued: ["-n", "--adjustment"], positional: 0 }],
  ["ionice", { valued: ["-c", "--class", "-n", "--classdata"], positional: 0 }],
  ["timeout gtimeout", { valued: ["-k", "--kill-after", "-s", "--signal"], positional: 1 }],
  [
    "sudo",
    { valued: ["-u", "--user", "-g", "--group", "-h", "--host", "-p", "--prompt", "-D", "--chdir"], positional: 0 },
  ],
  ["doas", { valued: ["-u", "-C"], positional: 0 }],
  ["stdbuf", { valued: ["-i", "-o", "-e"], positional: 0 }],
  ["flock", { valued: ["-w", "--timeout", "-E", "--conflict-exit-code"], positional: 1 }],
  ["time", { valued: ["-f", "--format", "-o", "--output"], positional: 0 }],
  // `cmd /c` takes the rest of the line, not one word of it.
  ["cmd", { valued: [], positional: 1 }],
  ["exec", { valued: ["-a"], positional: 0 }],
  ["nohup setsid command builtin caffeinate chronic unbuffer xvfb-run", plainWrapper],
  // What a shell reads as grammar: the command comes after it.
  ["if then elif else while until do ! {", plainWrapper],
]);

/** A row for several names has blanks between them. */
function byName<T>(rows: readonly (readonly [names: string, program: T])[]): ReadonlyMap<string, T> {
  const all = new Map<string, T>();
  for (const [names, program] of rows) for (const name of names.split(" ")) all.set(name, program);
  return all;
}

/** A program that runs a script, or a package, or a text given to it. */
export interface Interpreter {
  readonly runs: "script" | "package" | "shell";
  readonly valued: readonly string[];
  /** The next word is the program itself: there is no script. */
  readonly inline: readonly string[];
  /** The next word is a module by name. */
  readonly module: readonly string[];
  /** A first word of its own: `deno run x.ts`. */
  readonly subcommands: readonly string[];
}

const none = { valued: [], inline: [], module: [], subcommands: [] };
const nodeOptions = [
  "-r",
  "--require",
  "--import",
  "--loader",
  "--experimental-loader",
  "-C",
  "--conditions",
  "--env-file",
];
const script: Interpreter = { ...none, runs: "script" };
const node: Interpreter = { ...script, valued: nodeOptions, inline: ["-e", "--eval", "-p", "--print", "-pe"] };
const python: Interpreter = {
  ...script,
  valued: ["-W", "-X", "--check-hash-based-pycs"],
  inline: ["-c"],
  module: ["-m"],
};
const shell: Interpreter = {
  ...none,
  runs: "shell",
  valued: ["-o", "-O", "--rcfile", "--init-file"],
  inline: ["-c"],
};
const powershell: Interpreter = { ...script, valued: ["-ExecutionPolicy", "-ep"], inline: ["-Command", "-c"] };
const packages: Interpreter = {
  ...none,
  runs: "package",
  valued: ["-p", "--package", "--from", "--with", "--python"],
  inline: ["-c", "--call"],
};

const interpreters = byName<Interpreter>([
  ["node nodejs tsx ts-node", node],
  ["bun", { ...node, subcommands: ["run"] }],
  ["deno", { ...script, subcommands: ["run"] }],
  ["uv", { ...python, valued: ["--with", "--python", "--project", "--directory", "--extra"], subcommands: ["run"] }],
  ["python python2 python3 pypy pypy3 py", python],
  ["ruby perl lua Rscript", { ...script, inline: ["-e"], valued: ["-I"] }],
  ["php", { ...script, inline: ["-r"], valued: ["-c", "-d"] }],
  ["sh bash zsh dash ksh fish", shell],
  ["pwsh powershell", { ...powershell, module: ["-File", "-f"] }],
  ["npx bunx pnpx uvx pipx", { ...packages, subcommands: ["run"] }],
]);

/** Commands that only prepare: a script behind them is what the line is for. */
const preparations = new Set(
  "cd pushd popd export set unset source . true false : exit return test [ [[ echo printf mkdir which type sleep wait fi done esac }".split(
    " ",
  ),
);

export function wrapperNamed(name: string): Wrapper | undefined {
  return wrappers.get(name);
}

export function interpreterNamed(name: string): Interpreter | undefined {
  return interpreters.get(name) ?? (/^python[23]\.\d+$/.test(name) ? python : undefined);
}

export function onlyPrepares(name: string): boolean {
  return preparations.has(name);
}

/** The name of a program without its folder and, on Windows, without what makes it a program there. */
export function programName(text: string, platform: Platform): string {
  if (platform !== "win32") return text.slice(text.lastIndexOf("/") + 1);
  const name = text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1);
  const bare = name.replace(/\.(exe|cmd|bat)$/i, "").toLowerCase();
  return interpreterNamed(bare) || wrapperNamed(bare) ? bare : name.replace(/\.exe$/i, "");
}

/** Whether a program counts by its name, wherever it was installed. */
export function countsByName(name: string): boolean {
  return interpreterNamed(name) !== undefined || wrapperNamed(name) !== undefined;
}

/** The words in which a program is named: the wrappers from the left, and the command they come to. */
export function programPositions(words: readonly string[], platform: Platform): readonly number[] {
  const positions: number[] = [];
  for (let at = 0; ; ) {
    while (isAssignment(words[at])) at++;
    const word = words[at];
    if (word === undefined) return positions;
    positions.push(at);
    const wrapper = wrapperNamed(programName(word, platform));
    if (wrapper === undefined) return positions;
    at = afterOptions(words, at + 1, wrapper.valued) + wrapper.positional;
  }
}

/**
 * Where the words of an interpreter (the first of them) lead: to an option that says what to run, or to the script
 * itself.
 */
export interface Given {
  readonly kind: "inline" | "module" | "script";
  /** Of the word that is run. It may be missing. */
  readonly at: number;
}

export function givenTo(interpreter: Interpreter, words: readonly string[]): Given {
  const { valued, inline, module, subcommands } = interpreter;
  const own = subcommands.includes(words[1] ?? "") ? 2 : 1;
  if (!words[own]?.startsWith("-")) return { kind: "script", at: own };
  const names = interpreter.runs === "shell" ? words.map(shellOption) : words;
  const at = afterOptions(names, own, [...valued, ...inline, ...module]);
  for (let option = own; option < at; option++) {
    const name = names[option] ?? "";
    if (inline.includes(name)) return { kind: "inline", at: option + 1 };
    if (module.includes(name)) return { kind: "module", at: option + 1 };
    if (valued.includes(name)) option++;
  }
  return { kind: "script", at };
}

/** Shells take their letters together: `-euo pipefail` has a value, `-lc` a command. */
function shellOption(word: string): string {
  if (!/^-[A-Za-z]+$/.test(word)) return word;
  return word.includes("c") ? "-c" : `-${word.at(-1)}`;
}

/** The first word that is no option, nor the value of one. */
function afterOptions(words: readonly string[], start: number, valued: readonly string[]): number {
  for (let at = start; ; ) {
    const word = words[at];
    if (word === "--") return at + 1;
    if (word === undefined || !word.startsWith("-") || word === "-") return at;
    at += valued.includes(word) ? 2 : 1;
  }
}

function isAssignment(word: string | undefined): boolean {
  return word !== undefined && /^[A-Za-z_]\w*=/.test(word);
}
