/**
 * Many entries of a container in one go, by a pattern: the engine runs it four times as quick as code of ours that
 * looks at each character. It takes what most files consist of (no comments, only a few levels deep) and stops at
 * anything else, which is then read step by step.
 */

/** Compiling the patterns takes as long as reading this much step by step. */
export const worthCompiling = 1 << 19;

/** So many levels of containers an entry may hold, the innermost of them empty. Each doubles the patterns. */
export const deepestRun = 4;

/** What a pattern repeats it has to remember: the product of these stays far below what the engine has room for. */
export const most = { entries: 30, inside: 10, escapes: 20 };

const gap = "[ \\t\\r\\n]*";
const plainText = '[^"\\\\\\x00-\\x1f]*';
const text = `"${plainText}(?:\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})${plainText}){0,${most.escapes}}"`;
const scalar = `${text}|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null`;

/** No part can end at two places, so a pattern that fails has gone over a text once, and not in every possible way. */
function value(levels: number): string {
  if (levels === 0) return `(?:${scalar}|\\{${gap}\\}|\\[${gap}\\])`;
  return `(?:${scalar}|\\{${gap}${members(levels - 1, most.inside)}\\}|\\[${gap}${items(levels - 1, most.inside)}\\])`;
}

function members(levels: number, count: number): string {
  return `(?:${text}${gap}:${gap}${value(levels)}${gap}(?:,${gap}|(?=\\}))){0,${count}}`;
}

function items(levels: number, count: number): string {
  return `(?:${value(levels)}${gap}(?:,${gap}|(?=\\]))){0,${count}}`;
}

let memberRun: RegExp | undefined;
let itemRun: RegExp | undefined;

/**
 * Where the next entry starts that is not plain, or the bracket stands that closes the container. Some way on, or where
 * it started.
 */
export function endOfPlainRun(source: string, start: number, isMap: boolean): number {
  if (isMap) memberRun ??= new RegExp(members(deepestRun - 1, most.entries), "y");
  else itemRun ??= new RegExp(items(deepestRun - 1, most.entries), "y");
  const run = isMap ? memberRun! : itemRun!;
  run.lastIndex = start;
  return run.test(source) ? run.lastIndex : start;
}
