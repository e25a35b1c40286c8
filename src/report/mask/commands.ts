import type { Value } from "../../core/value.ts";

/** A program that takes a password on its command line, and the options that it stands behind. */
interface Program {
  readonly names: readonly string[];
  /** Only as this command of it: `docker login -p`, while `docker run -p` publishes a port. */
  readonly command?: string;
  /** The value is the next word; of a long option also behind `=`. */
  readonly separate?: string;
  /** The value follows the option's letter at once. */
  readonly attached?: string;
  /** What follows is another program's command line. */
  readonly once?: true;
}

const programs: readonly Program[] = [
  { names: ["curl"], separate: "-[sSfLkgijvNI#]{0,12}[uU]|--user|--proxy-user", attached: "-[uU]" },
  { names: ["sshpass"], separate: "-p", attached: "-p", once: true },
  // Without a value at the option itself, these ask for the password: the next word is the database.
  {
    names: ["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "mariadb-admin"],
    attached: "-p",
  },
  { names: ["7z", "7za"], attached: "-p" },
  { names: ["redis-cli", "valkey-cli"], separate: "-a" },
  { names: ["http", "https", "xh"], separate: "-a" },
  { names: ["mongo", "mongosh", "mongodump", "mongorestore"], separate: "-p" },
  { names: ["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldappasswd"], separate: "-w" },
  { names: ["smbclient", "rpcclient"], separate: "-U" },
  { names: ["unzip", "zip", "sqlcmd"], separate: "-P" },
  {
    names: ["docker", "podman", "buildah", "nerdctl", "skopeo", "oras"],
    command: "login",
    separate: "-p",
    attached: "-p",
  },
];

/** Whether a text names such a program at all. */
export const programHint = `(?<![\\w.:-])(?:${programs.flatMap(({ names }) => names).join("|")})(?![\\w.:/-])`;
const programName = new RegExp(programHint, "g");

const quoted = `\\\\"[^"\\\\]*\\\\"|"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|'[^']*'`;
const listed = `\\\\?["']?\\s{0,8},\\s{0,8}`;
const value = `(?:${quoted}|[^\\s"'\\\\]+)+`;
const listValue = `(?:${quoted}|[^\\s"'\\\\,\\]]+)`;
const before = `(?:^|(?<=[\\s"'[,(]))`;

const passwords = new Map<Program, RegExp>();

/** A program's password in a text: what stands before the value, and the value. Few texts name one of the programs. */
function passwordOf(program: Program): RegExp {
  const { separate, attached, once } = program;
  const known = passwords.get(program);
  if (known !== undefined) return known;
  const forms = [
    ...(separate === undefined
      ? []
      : [`(${before}(?:${separate})${listed})(${listValue})`, `(${before}(?:${separate})(?:=|\\s{1,8}))(${value})`]),
    ...(attached === undefined ? [] : [`(${before}(?:${attached}))(${value})`]),
  ];
  const made = new RegExp(forms.join("|"), once ? "" : "g");
  passwords.set(program, made);
  return made;
}

/** Where one command ends and the next begins. */
const commandEnd = /\s(?:\|\|?|&&?)\s|;\s|[\n`]|\$\(/;

/**
 * A text with the passwords hidden that programs take as arguments. Each part of it belongs to the program named last.
 */
export function maskCommands(text: string, hide: (value: string) => string): string {
  let [masked, done] = ["", 0];
  let program: Program | undefined;
  const take = (end: number) => {
    masked += program ? maskFirst(text.slice(done, end), program, hide) : text.slice(done, end);
    done = end;
  };
  for (const { 0: name, index } of text.matchAll(programName)) {
    take(index);
    program = programOf(name);
  }
  take(text.length);
  return masked;
}

/** Of a text that begins with a program: up to where its command ends. */
function maskFirst(text: string, program: Program, hide: (value: string) => string): string {
  const end = commandEnd.exec(text)?.index ?? text.length;
  const own = text.slice(0, end);
  if (program.command !== undefined && !new RegExp(`[\\s"',]${program.command}(?![\\w-])`).test(own)) return text;
  const shown = own.replace(passwordOf(program), (...found: unknown[]) => {
    const [option, secret] = found.slice(1).filter((each) => typeof each === "string") as [string, string];
    return option + hide(secret);
  });
  return shown + text.slice(end);
}

/**
 * The items of an argument list that are, or hold, a password: as they may be shown, by index. `command` is the program
 * beside the list.
 */
export function maskArguments(items: readonly Value[], command: Value | undefined, mask: string): Map<number, string> {
  const found = new Map<number, string>();
  let program = typeof command === "string" ? programOf(command) : undefined;
  for (const [i, item] of items.entries()) {
    if (typeof item !== "string") continue;
    const open = program !== undefined && applies(program, items) && !(program.once && found.size > 0);
    const shown = open ? maskArgument(program!, items[i - 1], item, mask) : undefined;
    if (shown !== undefined) found.set(i, shown);
    program = programOf(item) ?? program;
  }
  return found;
}

function maskArgument(program: Program, behind: Value | undefined, item: string, mask: string): string | undefined {
  if (typeof behind === "string" && isOption(program.separate, behind)) return mask;
  const option = attachedOption(program, item);
  return option === undefined ? undefined : option + mask;
}

/** The option of a word that holds the value as well. */
function attachedOption({ attached }: Program, word: string): string | undefined {
  return attached === undefined ? undefined : new RegExp(`^(?:${attached})(?=.)`).exec(word)?.[0];
}

function applies({ command }: Program, items: readonly Value[]): boolean {
  return command === undefined || items.includes(command);
}

function isOption(pattern: string | undefined, item: string): boolean {
  return pattern !== undefined && new RegExp(`^(?:${pattern})$`).test(item);
}

function programOf(text: string): Program | undefined {
  const name = text.slice(text.lastIndexOf("/") + 1);
  return programs.find(({ names }) => names.includes(name));
}

/** An argument on a line of its own: whether the next line is its value, or what the line may show. */
export function argumentLine(
  word: string,
  program: string,
): { readonly kind: "next" } | { readonly kind: "shown"; readonly option: string } | undefined {
  const known = programOf(program);
  if (known === undefined) return undefined;
  if (isOption(known.separate, word)) return { kind: "next" };
  const option = attachedOption(known, word);
  return option === undefined ? undefined : { kind: "shown", option };
}

/** The program that a line names last, by which the arguments on the lines below are read. */
export function programIn(line: string): string | undefined {
  return [...line.matchAll(programName)].at(-1)?.[0];
}
