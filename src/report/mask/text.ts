import { maskCommands, programHint } from "./commands.ts";
import { keyHint, looksSecret, maskPairs, maskShapes, namesSecret, secretNameFinder } from "./shapes.ts";

/** What stands in a report instead of a secret. Artefacts are never masked. */
export const maskText = "***";

/** What at least one of the steps below looks for. */
const suspicious = new RegExp(
  `${secretNameFinder().source}|://|-BEGIN |${programHint}|${keyHint}|[A-Za-z0-9+/]{60}`,
  "i",
);

/** What a secret has that no name announces: an option before it, an address around it, or a length. */
const remarkable = /-|:\/\/|[\w.+/=]{15}/;

/**
 * Whether a text may hold a secret: most have nothing to look for. The long pattern takes milliseconds to compile, and
 * short, plain texts are known without it.
 */
export function isSuspicious(text: string): boolean {
  return (remarkable.test(text) || namesSecret(text)) && suspicious.test(text);
}

/**
 * A text (a command, a line of a file) with what looks secret masked: values behind secret names and options,
 * credentials in URLs, and keys that are known by their shape. Every step is bounded, so that a line of megabytes costs
 * no more than reading it.
 */
export function maskInText(text: string): string {
  return isSuspicious(text) ? maskShapes(maskWords(text), maskText) : text;
}

function maskWords(text: string): string {
  return maskCommands(maskAssignments(maskPairs(text, maskText)), inQuotes)
    .replace(urlPassword, `$1:${maskText}@`)
    .replace(urlUser, `$1${maskText}@`)
    .replace(cookies, `$1${maskText}`)
    .replace(privateKey, `$1${maskText}`)
    .replace(scheme, (whole, name: string, value: string) => (value === maskText ? whole : `${name}${maskText}`))
    .replace(netrc, `$1${maskText}`);
}

const urlPassword = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,256}):[^\s/@"']{1,256}@/gi;
const urlUser = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@"']{16,256}@/gi;
/** A header with several values: all of them. */
const cookies = /(\bcookie2?: *)[^"'\n\\]{1,4096}/gi;
/** `machine x login y password z`, also with each pair on a line of its own. */
const netrc =
  /((?:\b(?:machine +\S{1,256}|default)\s+(?:(?:login|account) +\S{1,256}\s+){0,2}|^[ +-]?[ \t]*)password +)(?!\*\*\*)\S{1,4096}/g;
const scheme = /(\bbearer +)([^\s"'\\]{1,4096})/gi;
/**
 * A key in one line, its line ends written as \n. Runs of plain signs are one step: a choice at each of millions would
 * exhaust the stack.
 */
const privateKey = /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^"'-]*(?:-(?!----END)[^"'-]*)*/g;

/**
 * What may stand between a secret name and its value, and the value. `-` at the start of the name makes it an option.
 */
const quoted = `\\\\"[^"\\\\]*\\\\"|"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|'[^']*'`;
const word = `(?:(?:Bearer|Basic|Token|Digest) +)?(?:${quoted}|[^\\s,}\\]"'&;|]+|\\S+)`;
/** Behind a colon a text without quotes may hold spaces, and a quote between letters. */
const phrase = `(?:${quoted}|[{[]|(?:[^\\n,}\\]"'&|]|["'](?=\\w))+|\\S+)`;
const assigned = new RegExp(`[\\w.-]{0,64}\\\\?["']?\\s{0,8}(?:(?:=>|=)\\s{0,8}(${word})|:\\s{0,8}(${phrase}))`, "iy");
const passed = new RegExp(`[\\w-]{0,64}(?:["']\\s{0,8},\\s{0,8}|["']? |=)(${word})`, "iy");

function maskAssignments(text: string): string {
  const finder = secretNameFinder();
  let [masked, done] = ["", 0];
  for (let found = finder.exec(text); found; found = finder.exec(text)) {
    const start = nameStart(text, found.index);
    const after = found.index + found[0].length;
    const value = valueAfter(text, after, text.charAt(start) === "-");
    if (value === undefined) continue;
    const name = text.slice(start, after) + (/^[\w-]{1,32}/.exec(text.slice(after, after + 32))?.[0] ?? "");
    finder.lastIndex = value.end;
    if (!isMaskable(value.text) || !looksSecret(name, value.text)) continue;
    masked += text.slice(done, value.start) + inQuotes(value.text);
    done = value.end;
  }
  return done === 0 ? text : masked + text.slice(done);
}

/** Where the word begins that a secret part stands in; looked for only as far as names are long. */
function nameStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 64 && /[\w.-]/.test(text.charAt(start - 1))) start--;
  return start;
}

function valueAfter(
  text: string,
  at: number,
  isOption: boolean,
): { text: string; start: number; end: number } | undefined {
  for (const pattern of isOption ? [passed, assigned] : [assigned]) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    const value = found?.[1] ?? found?.[2];
    if (value === undefined) continue;
    const start = pattern.lastIndex - value.length;
    // All of a map or a list, as far as it stands here; one that only begins here is the business of whoever knows the
    // next lines.
    const end = /^[{[]./.test(text.slice(start, start + 2))
      ? (containerEnd(text, start) ?? text.length)
      : pattern.lastIndex;
    return { text: text.slice(start, end), start, end };
  }
  return undefined;
}

/**
 * Where the map or list that begins at `start` ends (behind its bracket), texts in quotes passed over; undefined where
 * it does not.
 */
export function containerEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    // An apostrophe inside a word opens nothing.
    if ((char === '"' || char === "'") && /[\s,:=[{(]/.test(text.charAt(at - 1))) at = quoteEnd(text, at, char);
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}

function quoteEnd(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== quote) at += quote === '"' && text.charAt(at) === "\\" ? 2 : 1;
  return at;
}

/** Nothing to hide: a switch, the start of something nested, or a reference to where the secret is kept. */
function isMaskable(value: string): boolean {
  return !/^(?:true|false|null|none|[{[(|>]|["']{2}|["']?\$\{?[A-Za-z_]\w*\}?["']?)$/i.test(value);
}

function inQuotes(value: string): string {
  const quote = /^\\?["']/.exec(value)?.[0] ?? "";
  return `${quote}${maskText}${value.length > 1 && value.endsWith(quote) ? quote : ""}`;
}
