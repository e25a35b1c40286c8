import { countsByName, programName } from "../commands/programs.ts";
import { plainText } from "../commands/shell-text.ts";
import type { Atom, Word } from "../commands/shell-words.ts";
import type { PathContext } from "./path-context.ts";
import { canonicalOf, fitsInside, homeAsTilde, isUrl, percentVariable, portableOf, shellVariable } from "./paths.ts";
import { isDrivePath } from "./spelling.ts";

/** What the text is for; see `commands.ts`. */
export type Manner = "canonical" | "portable" | "comparable";

/** An argument: a path, `--option=path` and `NAME=path` normalised, anything else exactly as it is. */
export function pathWord(word: Word, ctx: PathContext, manner: Manner): Word {
  // Nearly always so.
  if (word[0]?.kind !== "text" || !word[0].text.includes("=")) return normalisePath(word, ctx, manner);
  const [first, ...rest] = word;
  const prefix = /^(?:--?[A-Za-z][\w-]*|[A-Za-z_]\w*)=/.exec(first.text)?.[0] ?? "";
  if (prefix === "") return normalisePath(word, ctx, manner);
  const value = first.text.slice(prefix.length);
  const path = normalisePath(value === "" ? rest : [{ kind: "text", text: value }, ...rest], ctx, manner);
  const [head, ...tail] = path;
  return head?.kind === "text"
    ? [{ kind: "text", text: prefix + head.text }, ...tail]
    : [{ kind: "text", text: prefix }, ...path];
}

/**
 * A word that names a program: an interpreter by its name; a path keeps its folder, because without one a shell would
 * search.
 */
export function programWord(word: Word, ctx: PathContext, manner: Manner): Word {
  const portable = plainText(normalisePath(word, ctx, "portable"));
  const name = programName(portable, ctx.platform);
  if (countsByName(name)) {
    const elsewhere = manner === "comparable" && portable.includes("/") && !fromSystem(portable);
    return [{ kind: "text", text: elsewhere ? portable : name }];
  }
  if (!/[/\\$~%]/.test(plainText(word))) return portable === name ? word : [{ kind: "text", text: name }];
  const path = normalisePath(word, ctx, manner);
  return /[/\\$~%]/.test(plainText(path)) ? path : [{ kind: "text", text: "./" }, ...path];
}

/** Folders where an interpreter is simply the machine's own. */
function fromSystem(program: string): boolean {
  return /^(\/usr)?(\/local)?\/s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$|^[A-Z]:\/(Program Files|Windows)/i.test(
    program,
  );
}

/**
 * Where a variable or a piece of syntax stood, while the path around it is taken apart. Commands with a NUL never get
 * here.
 */
const hole = /\0(\d+)\0/;

function normalisePath(word: Word, ctx: PathContext, manner: Manner): Word {
  if (!startsPath(word, ctx)) return word;
  const holes: Atom[] = [];
  const expanded = word.map((atom, i) => expandAtom(atom, i === 0, ctx, manner, holes)).join("");
  if (isUrl(expanded)) return word;
  return atomsOf(guarded(settle(expanded, ctx, manner)), holes);
}

function settle(expanded: string, ctx: PathContext, manner: Manner): string {
  if (manner === "portable") return portableOf(expanded, ctx);
  const canonical = canonicalOf(expanded, ctx);
  return manner === "canonical" ? canonical : homeAsTilde(canonical, ctx);
}

/** `./-x` and `./A=b` must not lose what keeps them from being an option or an assignment. */
function guarded(path: string): string {
  return /^(-|[A-Za-z_]\w*=)/.test(path) ? `./${path}` : path;
}

/** Whether a word is certainly a path: it starts like one. `a/b` might as well be a pattern, and stays as it is. */
function startsPath(word: Word, ctx: PathContext): boolean {
  const [first, second] = word;
  if (first === undefined || first.kind === "raw" || first.kind === "tilde") return false;
  if (first.kind === "variable") {
    if (second === undefined) return shellVariable(first.name, ctx) !== undefined;
    return (
      second.kind === "text" &&
      (second.text.startsWith("/") || (ctx.platform === "win32" && second.text.startsWith("\\")))
    );
  }
  const { text } = first;
  if (/^(~|\.{0,2})(\/|$)/.test(text) || /^%\w+%([\\/]|$)/.test(text))
    return text !== "" && (word.length === 1 || !/^(~|\.\.?)$/.test(text));
  return isDrivePath(text) || (ctx.platform === "win32" && /^(\\|[~.]\\|\.\.\\)/.test(text));
}

function expandAtom(atom: Atom, first: boolean, ctx: PathContext, manner: Manner, holes: Atom[]): string {
  if (atom.kind === "text") return first ? expandStart(atom.text, ctx, manner) : atom.text;
  if (atom.kind === "variable" && (manner !== "portable" || (first && atom.name === "HOME"))) {
    const value = shellVariable(atom.name, ctx);
    if (value !== undefined && (first || fitsInside(value)))
      return value.startsWith("~") ? expandStart(value, ctx, manner) : value;
  }
  holes.push(atom);
  return `\0${holes.length - 1}\0`;
}

function expandStart(text: string, ctx: PathContext, manner: Manner): string {
  if (/^~([\\/]|$)/.test(text)) return ctx.home + text.slice(1);
  const percent = /^%(\w+)%/.exec(text);
  if (percent === null) return text;
  const [spelled, name = ""] = percent;
  const isHome = name.toUpperCase() === "USERPROFILE";
  const value = manner === "portable" && !isHome ? undefined : percentVariable(name, ctx);
  return value === undefined
    ? text
    : value + (isHome ? text.slice(spelled.length).replaceAll("\\", "/") : text.slice(spelled.length));
}

function atomsOf(path: string, holes: readonly Atom[]): Word {
  if (holes.length === 0) return [{ kind: "text", text: path }];
  const atoms: Atom[] = [];
  for (const [i, piece] of path.split(hole).entries()) {
    const atom = i % 2 === 1 ? holes[Number(piece)] : undefined;
    if (atom !== undefined) atoms.push(atom);
    else if (piece !== "") atoms.push({ kind: "text", text: piece });
  }
  return atoms;
}
