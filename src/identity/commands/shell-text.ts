import { shellQuoted } from "../../core/messages.ts";
import type { Platform } from "../paths/path-context.ts";
import type { Atom, Token, Word } from "./shell-words.ts";

/** A command line again: one space between tokens, quotes only where they are needed, and always the same ones. */
export function commandText(tokens: readonly Token[], platform: Platform): string {
  return tokens.map((token) => tokenText(token, platform)).join(" ");
}

/** What a word says, without the quoting: for recognising it. */
export function plainText(word: Word): string {
  const [only] = word;
  if (word.length === 1 && only?.kind === "text") return only.text;
  return word
    .map((atom) => (atom.kind === "variable" ? `$${atom.name}` : atom.kind === "tilde" ? "~" : atom.text))
    .join("");
}

/** A word as if no quotes had kept its `~` from meaning the home: who adds quotes mostly means the same file. */
export function withoutQuotedTilde(word: Word): Word {
  if (word[0]?.kind !== "tilde") return word;
  const [, next, ...rest] = word;
  if (next === undefined) return [{ kind: "text", text: "~" }];
  return next.kind === "text"
    ? [{ kind: "text", text: `~${next.text}` }, ...rest]
    : [{ kind: "text", text: "~" }, next, ...rest];
}

function tokenText(token: Token, platform: Platform): string {
  if (token.kind === "operator") return token.text;
  return token.kind === "word" ? wordText(token.word, platform) : token.operator + wordText(token.target, platform);
}

function wordText(word: Word, platform: Platform): string {
  if (word.length === 1) return atomText(word[0]!, undefined, true, platform);
  return word.length === 0 ? "''" : word.map((atom, i) => atomText(atom, word[i + 1], i === 0, platform)).join("");
}

function atomText(atom: Atom, next: Atom | undefined, first: boolean, platform: Platform): string {
  if (atom.kind === "raw") return atom.text;
  if (atom.kind === "tilde") return "'~'";
  if (atom.kind === "variable")
    return next?.kind === "text" && /^\w/.test(next.text) ? `\${${atom.name}}` : `$${atom.name}`;
  // A shell knows the home only by a `~` that stands outside the quotes.
  const home = first && atom.text.startsWith("~") ? (atom.text.charAt(1) === "/" ? "~/" : "~") : "";
  if (home !== "") return atom.text === home ? home : home + quoted(atom.text.slice(home.length), platform);
  return quoted(atom.text, platform);
}

/** On Windows a backslash is a character of a name. */
function quoted(text: string, platform: Platform): string {
  const special = platform === "win32" ? /[\s"'`$&|;<>()*?[\]{}#!]/ : /[\s"'`$&|;<>()*?[\]{}#!\\]/;
  return special.test(text) ? shellQuoted(text) : text;
}
