import { argumentLine, programIn } from "./commands.ts";
import { looksSecret, valueBeside } from "./shapes.ts";
import { containerEnd, isSuspicious, maskInText, maskText } from "./text.ts";

/**
 * The lines of a file or of its diff, with what looks secret masked: also what stands below a secret name, and private
 * keys.
 */
export function maskLines(text: string): string {
  if (!isSuspicious(text)) return text;
  const reader: Reader = { state: { kind: "nothing" }, program: undefined };
  const lines = text.split("\n");
  return lines.map((line, i) => maskLine(line, reader, [lines[i - 1], lines[i + 1]])).join("\n");
}

/**
 * What the lines before say about the next: it is part of a key, stands deeper than a secret name, or is an option's
 * value.
 */
type Hiding =
  | { readonly kind: "nothing" }
  | { readonly kind: "key" }
  | { readonly kind: "below"; readonly indent: number }
  /** Below `[credentials]`, as TOML and its like write it. */
  | { readonly kind: "section" }
  /** Inside quotes that go on over several lines. */
  | { readonly kind: "text"; readonly end: string }
  | { readonly kind: "next" };

interface Reader {
  state: Hiding;
  /** The program named last, while only its arguments have followed, each on a line of its own. */
  program: string | undefined;
}

function maskLine(line: string, reader: Reader, neighbours: readonly (string | undefined)[]): string {
  const { state } = reader;
  const [, margin = "", body = ""] = /^([ +-]?\s*)(.*)$/s.exec(line) ?? [];
  if (state.kind === "key") {
    if (/-----END|^@@ /.test(line)) reader.state = { kind: "nothing" };
    return /-----END|^@@ /.test(line) ? maskInText(line) : `${margin}${maskText}`;
  }
  if (state.kind === "text" && !line.startsWith("@@ ")) {
    if (body.includes(state.end)) reader.state = { kind: "nothing" };
    return `${margin}${maskText}`;
  }
  if (state.kind === "below" && (body === "" || (margin.length > state.indent && !line.startsWith("@@ ")))) {
    return body === "" || /^[\])}]+[,;]?$/.test(body) ? line : `${margin}${maskText}`;
  }
  if (state.kind === "section" && !/^(?:\[|@@ )/.test(body))
    return /^(?:#|$)/.test(body) ? line : `${margin}${maskText}`;
  reader.state = nextState(margin, body);
  if (state.kind === "next" && body !== "") return `${margin}${maskText}`;
  const argument = argumentIn(body, reader);
  if (argument?.kind === "next") reader.state = argument;
  else if (argument) return `${margin}${argument.option}${maskText}`;
  const beside = valueBeside(body, neighbours);
  if (beside !== undefined) {
    reader.state = stateWithin(body.slice(beside.length).trimEnd(), margin);
    return `${margin}${beside}${maskText}`;
  }
  if (reader.state.kind === "text") return `${margin}${body.slice(0, body.indexOf(reader.state.end))}${maskText}`;
  if (/^[A-Za-z0-9+/]{60,}={0,2}$/.test(body) && !/^[0-9a-f]+$/i.test(body)) return `${margin}${maskText}`;
  return maskPlain(margin, body) ?? maskInText(line);
}

/** `"-u",` or `- -psecret`: one argument of the program that a line above names. */
function argumentIn(body: string, reader: Reader): ReturnType<typeof argumentLine> {
  reader.program =
    programIn(body) ??
    (/^(?:- +)?["']?[^\s"']*["']?[,:]?(?: *\[)?\s*$|^["']?args["']? *[:=]/.test(body) ? reader.program : undefined);
  const [, before = "", word] = /^((?:- +)?["']?)(-[^\s"']+)["']?,?\s*$/.exec(body) ?? [];
  const found = word === undefined || reader.program === undefined ? undefined : argumentLine(word, reader.program);
  return found?.kind === "shown" ? { kind: "shown", option: before + found.option } : found;
}

function nextState(margin: string, body: string): Hiding {
  if (/-BEGIN [A-Z ]{0,30}PRIVATE KEY-----\s*$/.test(body)) return { kind: "key" };
  const section = /^\[{1,2}([\w-][^\]]{0,200})\]{1,2}\s*(?:#.*)?$/.exec(body)?.[1];
  if (section !== undefined && looksSecret(section)) return { kind: "section" };
  const opener = /^(?:- +|export +)?["']?([\w.-]{1,64})["']? {0,8}[:=] {0,8}(.*)$/.exec(body.trimEnd());
  const within = opener && looksSecret(opener[1]!) ? stateWithin(opener[2]!, margin) : undefined;
  if (within !== undefined && within.kind !== "nothing") return within;
  const option = /^(?:- +)?["']?(--?[\w-]{1,64})["']?,?\s*$/.exec(body);
  return option && looksSecret(option[1]!) ? { kind: "next" } : { kind: "nothing" };
}

/** Behind a secret name: whether its value goes on in the lines that follow, and how far. */
function stateWithin(value: string, margin: string): Hiding {
  if (opens(value)) return { kind: "below", indent: margin.length };
  const end = /^(?:"""|'''|["'`])/.exec(value)?.[0];
  return end !== undefined && !value.slice(end.length).includes(end) ? { kind: "text", end } : { kind: "nothing" };
}

/**
 * Whether what stands behind a name goes on below it: nothing yet, a block of text, a map or list that is not closed.
 */
function opens(value: string): boolean {
  if (value === "" || value === "(" || /^[|>][+-]?\d?[+-]?$/.test(value)) return true;
  return /^[{[]/.test(value) && containerEnd(value, 0) === undefined;
}

/** `PASSWORD=correct horse`, `password: correct horse`: without quotes the value goes to the end of the line. */
function maskPlain(margin: string, body: string): string | undefined {
  const match = /^((?:export +|- +|[a-z]{1,16} +)?([\w.-]{1,64}) *[:=] *)([^\s"'[{|>&*!].*)$/.exec(body);
  if (!match || !looksSecret(match[2]!, match[3]) || /^(?:true|false|null|none|\$\{?[A-Za-z_]\w*\}?)$/i.test(match[3]!))
    return undefined;
  return `${margin}${match[1]}${maskText}`;
}
