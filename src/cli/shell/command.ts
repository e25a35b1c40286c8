import { parseArgs } from "node:util";
import { closest, didYouMean, InputError } from "../../core/diagnostic.ts";
import { commonOptions } from "./common-options.ts";
import type { Io } from "./io.ts";

/**
 * One option of a command. Node's parser reads the first four; help, completion and the manual are made of all of them.
 */
export interface Option {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: string;
  /** What its value is called: `FILE` and `DIR` are completed as paths. */
  readonly value?: string;
  /** What it does, in a few words. An option without a text is not listed: it is an old name of another. */
  readonly help?: string;
  /** The heading it stands under; options without one come first. */
  readonly section?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What a command line with these options (and the common ones) parses to. Named, so that declarations can say it. */
export type Parsed<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: typeof commonOptions & T; allowPositionals: true; strict: true }>
>;

/** What the arguments beside options are: completion offers those. */
export type ArgumentKind = "file" | "owner" | "key" | "shell" | "nothing";

/** A command, said once: parsing, help, completion, `docs/commands.md` and the manual are made of this. */
export interface Declaration<T extends Options> {
  /** As it is called: `plan`, `host apply`. */
  readonly name: string;
  /** The arguments as the usage line shows them; left out: it takes none. */
  readonly usage?: string;
  /** Left out: nothing. */
  readonly argument?: ArgumentKind;
  /** How many arguments it takes at most; left out of a command that takes some: any number. */
  readonly most?: number;
  /** What it does. Lines are joined to paragraphs; what is indented stays. */
  readonly about: string;
  readonly options: T;
  /** What is worth saying behind the options, such as exit codes. */
  readonly notes?: string;
  readonly example: string;
  /** The exit code of an error, for a command to which 1 says something else. One of usage is 1 everywhere. */
  errorCode?(args: readonly string[]): number;
  run(parsed: Parsed<T>, io: Io, args: readonly string[]): Promise<number>;
}

/** A command as the command line sees it. Its module is loaded when it is called. */
export interface Command {
  readonly name: string;
  readonly help: string;
  readonly usage: string;
  readonly about: string;
  readonly notes: string | undefined;
  readonly example: string;
  readonly options: Options;
  readonly argument: ArgumentKind;
  readonly errorCode?: ((args: readonly string[]) => number) | undefined;
  /** The commands below it, for `host` and `toolset`. */
  readonly commands?: CommandTable;
  run(args: readonly string[], io: Io): Promise<number>;
}

export type CommandTable = Readonly<
  Record<string, { readonly summary: string; load(): Promise<{ readonly command: Command }> }>
>;

export function defineCommand<const T extends Options>(declaration: Declaration<T>): Command {
  const { name, usage = "", about, notes, example, options, argument = "nothing", errorCode, run } = declaration;
  const most = declaration.most ?? (usage === "" ? 0 : undefined);
  return {
    errorCode,
    name,
    usage,
    about,
    notes,
    example,
    argument,
    options: { ...options, ...commonOptions },
    get help() {
      return helpText(declaration);
    },
    run: (args, io) => run(parseOptions(args, options, io, name, most), io, args),
  };
}

/** What a group of commands says of itself. Its own options are those of its commands, which list them. */
export interface GroupDeclaration {
  readonly name: string;
  readonly about: string;
  readonly commands: CommandTable;
  readonly notes?: string;
  readonly example: string;
}

/** `stet host …`, `stet toolset …`: each command below it is loaded only when it is called. */
export function defineGroup({ name, about, commands, notes, example }: GroupDeclaration): Command {
  const usage = `${Object.keys(commands).join(" | ")} [options]`;
  return {
    name,
    usage,
    about,
    notes,
    example,
    argument: "nothing",
    options: commonOptions,
    commands,
    get help() {
      const rows = Object.entries(commands).map(([each, { summary }]): Row => [each, summary]);
      const more = `  stet ${name} COMMAND --help   the options of one of them`;
      return joined(`usage: stet ${name} ${usage}`, inLines(about), table(rows), more, notes, `example: ${example}`);
    },
    async run([word = "", ...rest], io) {
      const found = Object.hasOwn(commands, word) ? commands[word] : undefined;
      if (found !== undefined) return (await found.load()).command.run(rest, io);
      const names = Object.keys(commands);
      const what =
        word === ""
          ? `name one of its commands (${names.join(", ")})`
          : `there is no ${name} command ${word}${didYouMean(word, names)}`;
      throw new InputError({ code: "usage", message: `${what}; see: ${io.program} ${name} --help` });
    },
  };
}

/** Parse a command's arguments; a mistake is one line that says what to do. */
export function parseOptions<T extends Options>(
  args: readonly string[],
  own: T,
  io: Io,
  command: string,
  most = Number.POSITIVE_INFINITY,
): Parsed<T> {
  const parsed = parseStrictly(args, { ...commonOptions, ...own }, io, command);
  // An argument that nobody looks at was meant: `uninstall a b` for both, `rollback a 3` for `--to 3`.
  const surplus = parsed.positionals[most];
  if (surplus === undefined) return parsed as Parsed<T>;
  const meant = "to" in own && /^\d+$/.test(surplus) ? ` (did you mean --to ${surplus}?)` : "";
  throw new InputError({
    code: "usage",
    message: `'${surplus}' is one argument too many${meant}; see: ${io.program} ${command} --help`,
  });
}

function parseStrictly<T extends Options>(args: readonly string[], options: T, io: Io, command: string) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [message = ""] = error instanceof Error ? error.message.split(/\.\s/) : [String(error)];
    const valueless = /^Option '(?:-\w, )?--([\w-]+) <value>' argument missing/.exec(message)?.[1];
    if (valueless !== undefined) {
      const { value = "VALUE" } = options[valueless] ?? {};
      const help = `see: ${io.program} ${command} --help`;
      throw new InputError({
        code: "usage",
        message: `--${valueless} needs a value: --${valueless} ${value}; ${help}`,
      });
    }
    const unknown = /^Unknown option '--([^']+)'/.exec(message)?.[1];
    const meant = unknown === undefined ? undefined : closest(unknown, Object.keys(options));
    const hint = meant === undefined ? "" : ` (did you mean --${meant}?)`;
    throw new InputError({ code: "usage", message: `${message}${hint}; see: ${io.program} ${command} --help` });
  }
}

type Row = readonly [left: string, right: string];

function helpText({ name, usage, about, options, notes, example }: Declaration<Options>): string {
  const sections = [...new Set(Object.values(options).map(({ section = "" }) => section))].sort((a) =>
    a === "" ? -1 : 0,
  );
  const own = sections.map((section) => {
    const listed = Object.entries(options).filter(([, option]) => (option.section ?? "") === section);
    const lines = table(rowsOf(Object.fromEntries(listed)));
    return lines === "" || section === "" ? lines : `${section}:\n${lines}`;
  });
  const common = `common options:\n${table(rowsOf(commonOptions))}`;
  return joined(
    `usage: stet ${name}${usage ? ` ${usage}` : ""}`,
    inLines(about),
    ...own,
    common,
    notes && inLines(notes),
    `example: ${example}`,
  );
}

/** Left to right: the option with its value, and what it does. */
function rowsOf(options: Options): Row[] {
  return Object.entries(options).flatMap(([name, { short, value, help }]): Row[] => {
    if (help === undefined) return [];
    const flag = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return [[value === undefined ? flag : `${flag} ${value}`, help]];
  });
}

/** Two columns. A left side that is wider than most stands on a line of its own. */
function table(rows: readonly Row[]): string {
  const widest = 24;
  const width = Math.max(0, ...rows.map(([left]) => left.length).filter((length) => length <= widest));
  return rows
    .map(([left, right]) => {
      const between = left.length > width ? `\n${"".padEnd(width + 2)}` : "".padEnd(width - left.length);
      return `  ${left}${between}  ${right}`;
    })
    .join("\n");
}

/** Each paragraph on one line: how wide the terminal is, is known when it is printed. What is indented stays. */
function inLines(text: string): string {
  const paragraphs: string[] = [];
  for (const line of text.split("\n")) {
    const last = paragraphs.at(-1);
    const goesOn = last !== undefined && last !== "" && !/[.:]$/.test(last) && !/^(?: |$)/.test(line + last);
    if (goesOn) paragraphs[paragraphs.length - 1] = `${last} ${line}`;
    else paragraphs.push(line);
  }
  return paragraphs.join("\n");
}

function joined(...parts: (string | undefined)[]): string {
  return `${parts.filter((part) => part !== undefined && part !== "").join("\n\n")}\n`;
}
