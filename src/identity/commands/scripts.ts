import type { PathContext } from "../paths/path-context.ts";
import { type Manner, pathWord, programWord } from "../paths/path-words.ts";
import { canonicalCommand, deepest, portableCommand, segmentsOf, wordsOf } from "./commands.ts";
import {
  givenTo,
  type Interpreter,
  interpreterNamed,
  onlyPrepares,
  programName,
  programPositions,
} from "./programs.ts";
import { commandText, plainText, withoutQuotedTilde } from "./shell-text.ts";
import { splitCommand, type Word } from "./shell-words.ts";

/**
 * What a command runs. A `script` is a file, a module or a package; a bare `program` says less, and gives way to a
 * script beside it.
 */
type Run = { readonly kind: "script" | "program"; readonly text: string };

/**
 * Only what a command line runs: `nice node ~/x.js --quiet` gives `~/x.js`. Looks through wrappers, interpreters and
 * `bash -c`. The weaker half of identity: whatever a user adds around the script, it is still that script.
 */
export function scriptOf(text: string, ctx: PathContext, manner: "canonical" | "portable"): string {
  // A line that only prepares, or can't be taken apart, is its own script.
  return (
    findRun(text.trim(), ctx, manner, 0)?.text ??
    (manner === "canonical" ? canonicalCommand(text, ctx) : portableCommand(text, ctx))
  );
}

function findRun(text: string, ctx: PathContext, manner: Manner, depth: number): Run | undefined {
  const tokens = splitCommand(text, ctx.platform);
  if (tokens === undefined) return undefined;
  let program: Run | undefined;
  for (const segment of segmentsOf(tokens)) {
    const run = runOf(wordsOf(segment), ctx, manner, depth);
    if (run?.kind === "script") return run;
    program ??= run;
  }
  return program;
}

function runOf(words: readonly Word[], ctx: PathContext, manner: Manner, depth: number): Run | undefined {
  const texts = words.map(plainText);
  const at = programPositions(texts, ctx.platform).at(-1);
  const word = at === undefined ? undefined : words[at];
  if (at === undefined || word === undefined) return undefined;
  const program = plainText(programWord(withoutQuotedTilde(word), ctx, manner));
  const name = programName(program, ctx.platform);
  if (onlyPrepares(name)) return undefined;
  const interpreter = interpreterNamed(name);
  if (interpreter === undefined) return { kind: /[/\\]/.test(program) ? "script" : "program", text: program };
  return interpretedRun(interpreter, words.slice(at), { ctx, manner, depth }) ?? { kind: "program", text: program };
}

interface Asked {
  readonly ctx: PathContext;
  readonly manner: Manner;
  readonly depth: number;
}

/** What an interpreter (the first word) is given to run; undefined where it is given nothing. */
function interpretedRun(interpreter: Interpreter, words: readonly Word[], asked: Asked): Run | undefined {
  const given = givenTo(interpreter, words.map(plainText));
  const word = words[given.at];
  if (word === undefined) return undefined;
  if (given.kind === "inline") return inlineRun(interpreter, words, word, asked);
  const path = asPath(word, asked);
  return { kind: "script", text: interpreter.runs === "package" ? packageName(path) : path };
}

function inlineRun(interpreter: Interpreter, words: readonly Word[], word: Word, asked: Asked): Run | undefined {
  if (interpreter.runs !== "script" && asked.depth < deepest)
    return findRun(plainText(word), asked.ctx, asked.manner, asked.depth + 1);
  // A program given as text is its own script, together with the interpreter it is written for.
  const normalise = (each: Word, i: number) => (i === 0 ? programWord : pathWord)(each, asked.ctx, asked.manner);
  const tokens = words.map((each, i) => ({ kind: "word", word: normalise(each, i) }) as const);
  return { kind: "script", text: commandText(tokens, asked.ctx.platform) };
}

/** `x.js` and `./x.js` are one script. */
function asPath(word: Word, { ctx, manner }: Asked): string {
  const text = plainText(pathWord(withoutQuotedTilde(word), ctx, manner));
  return text.startsWith("./") && text.length > 2 ? text.slice(2) : text;
}

/**
 * The name of an npm (or PyPI) package without the version behind it: `@scope/name@1.2` is `@scope/name`, `ruff==0.4`
 * is `ruff`. A path or an address names a package too, and has no version.
 */
export function packageName(text: string): string {
  if (/^[./~$]|:/.test(text)) return text;
  const version = text.indexOf("@", 1);
  const name = version === -1 ? text : text.slice(0, version);
  return name.split("==", 1)[0] ?? name;
}
