import type { PathContext } from "../paths/path-context.ts";
import { type Manner, pathWord, programWord } from "../paths/path-words.ts";
import { givenTo, interpreterNamed, programName, programPositions } from "./programs.ts";
import { commandText, plainText } from "./shell-text.ts";
import { splitCommand, type Token, type Word } from "./shell-words.ts";

/** How deep `bash -c "bash -c …"` is followed. Nobody means more, and a made-up text must not cost more. */
export const deepest = 4;

/**
 * One text for one command line on this machine, for comparing: every path resolved, interpreters by their name, quotes
 * that do not matter gone, arguments exactly as they are. A line that can't be taken apart is compared as it stands.
 */
export function canonicalCommand(text: string, ctx: PathContext): string {
  return normaliseCommand(text, ctx, "canonical");
}

/**
 * The text that keys and records show: like the canonical one, but the home as `~`, and links and variables as they
 * were written.
 */
export function portableCommand(text: string, ctx: PathContext): string {
  return normaliseCommand(text, ctx, "portable");
}

/**
 * For comparing the values of entries: canonical, but the home as `~`, and an interpreter from a folder of its own (a
 * virtual environment, a version manager) is not the system's. A release that changes to one must reach the file.
 */
export function comparableCommand(text: string, ctx: PathContext): string {
  return normaliseCommand(text, ctx, "comparable");
}

function normaliseCommand(text: string, ctx: PathContext, manner: Manner, depth = 0): string {
  const trimmed = text.trim();
  const tokens = splitCommand(trimmed, ctx.platform);
  if (tokens === undefined) return trimmed;
  const segments = segmentsOf(tokens).map((segment) =>
    commandText(normaliseSegment(segment, ctx, manner, depth), ctx.platform),
  );
  return segments.join(" ");
}

/** The tokens of each command with the operator behind it. */
export function segmentsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const segments: (readonly Token[])[] = [];
  let start = 0;
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]!.kind !== "operator") continue;
    segments.push(tokens.slice(start, i + 1));
    start = i + 1;
  }
  if (start < tokens.length) segments.push(start === 0 ? tokens : tokens.slice(start));
  return segments;
}

export function wordsOf(segment: readonly Token[]): readonly Word[] {
  const words: Word[] = [];
  for (const token of segment) if (token.kind === "word") words.push(token.word);
  return words;
}

function normaliseSegment(
  segment: readonly Token[],
  ctx: PathContext,
  manner: Manner,
  depth: number,
): readonly Token[] {
  const words = wordsOf(segment).map(plainText);
  const positions = programPositions(words, ctx.platform);
  const inner = depth < deepest ? innerCommand(words, positions.at(-1), ctx) : undefined;
  let at = -1;
  return segment.map((token): Token => {
    if (token.kind === "operator") return token;
    if (token.kind === "redirection") return { ...token, target: pathWord(token.target, ctx, manner) };
    at++;
    if (positions.includes(at)) return { kind: "word", word: programWord(token.word, ctx, manner) };
    if (at !== inner) return { kind: "word", word: pathWord(token.word, ctx, manner) };
    const text = normaliseCommand(plainText(token.word), ctx, manner, depth + 1);
    return { kind: "word", word: text === "" ? [] : [{ kind: "text", text }] };
  });
}

/** Which word is a command line of its own: the one behind `bash -c`. */
function innerCommand(words: readonly string[], program: number | undefined, ctx: PathContext): number | undefined {
  if (program === undefined) return undefined;
  const interpreter = interpreterNamed(programName(words[program] ?? "", ctx.platform));
  if (interpreter?.runs !== "shell") return undefined;
  const given = givenTo(interpreter, words.slice(program));
  return given.kind === "inline" ? program + given.at : undefined;
}
