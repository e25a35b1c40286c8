import { skipBlanks } from "../lines.ts";

/**
 * Most lines say `name = value` in a plain way. A pattern checks that several times as fast as reading them, so a
 * section nobody asks about costs little. What is not plain is read at once.
 */

const control = "\\x00-\\x08\\x0a-\\x1f\\x7f";
const basic = `"[^"\\\\${control}]*(?:\\\\[btnfr"\\\\][^"\\\\${control}]*){0,20}"`;
const number = "[+-]?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";
const scalar = `(?:${basic}|'[^'${control}]*'|true|false|${number})`;
const gap = "(?:[ \\t]|\\r?\\n)*";
const list = `\\[${gap}(?:${scalar}${gap}(?:,${gap}|(?=\\]))){0,30}\\]`;
const lineEnd = `[ \\t]*(?:#[^${control}]*)?\\r?\\n`;
const value = new RegExp(`[ \\t]*=[ \\t]*(?:${scalar}|${list})${lineEnd}`, "y");
const noValue = new RegExp(lineEnd, "y");

/**
 * Where the plain lines that begin here end, if no name stands in them twice and a header or the text's end follows;
 * undefined where somebody has to look closer. A NUL stands behind the text.
 */
export function endOfPlainLines(text: string, from: number): number | undefined {
  let count = 0;
  for (let at = from; at < text.length; ) {
    const start = skipBlanks(text, at);
    const code = text.charCodeAt(start);
    if (code === openList || (code === 0 && start === text.length - 1)) return start;
    const end = endOfName(text, start);
    if (end > start) {
      if (count === mostNames || isTaken(text, start, end, count)) return undefined;
      starts[count] = start;
      ends[count++] = end;
    }
    const line = end === start ? noValue : value;
    line.lastIndex = end;
    if (!line.test(text)) return undefined;
    at = line.lastIndex;
  }
  return undefined;
}

/** Each name is compared with each before it in the section, without making strings of them. */
const mostNames = 32;
const starts = new Int32Array(mostNames);
const ends = new Int32Array(mostNames);

/** Whether a name stands there already, or would have to be a value and a table: `a` and `a.b`. */
function isTaken(text: string, start: number, end: number, count: number): boolean {
  for (let i = 0; i < count; i++) {
    let [one, other] = [starts[i]!, start];
    while (one < ends[i]! && other < end && text.charCodeAt(one) === text.charCodeAt(other)) {
      one++;
      other++;
    }
    const isOneBeginning = one === ends[i] && (other === end || text.charCodeAt(other) === dot);
    if (isOneBeginning || (other === end && text.charCodeAt(one) === dot)) return true;
  }
  return false;
}

const openList = 0x5b;
const dot = 0x2e;

/** The end of `name` or `a.name`, at most so long; `start` where no name stands. */
function endOfName(text: string, start: number): number {
  let at = start;
  for (; at < start + longestName; at++) {
    const code = text.charCodeAt(at);
    if (!isBareKeyCode(code) && (code !== dot || at === start || !isBareKeyCode(text.charCodeAt(at + 1)))) break;
  }
  return at;
}

const longestName = 100;

export function isBareKeyCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d
  );
}
