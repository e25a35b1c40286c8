import type { Random } from "./random.ts";

/** What parsers trip over: ends and beginnings of everything, odd blanks, names that objects have anyway. */
const splinters = [
  ..."{}[](),:;=\"'`#&*!|>%@?\\-~<\0\t\r\n\u0085\u00a0\u2028\ufeff\ud800",
  "\r\n",
  "---\n",
  "...\n",
  "/*",
  "*/",
  "//",
  '"""',
  "'''",
  "[[",
  "]]",
  "<<: *a\n",
  "&a ",
  "*a",
  "!!binary ",
  "? ",
  "- ",
  ": ",
  "\\u0000",
  "\\",
  "${",
  "export ",
  "__proto__",
  "constructor",
  "1e999",
  "0x",
  "1979-05-27T07:32:00Z",
  "nan",
  "null",
  "true",
  "é😀",
];

/** A document as a crash, a bad disk, a bad merge or somebody with bad intentions may leave it: one to four wounds. */
export function mutated(text: string, others: readonly string[], random: Random): string {
  let result = text;
  for (let wounds = 1 + random.below(4); wounds > 0; wounds--) result = wound(result, others, random);
  return result.slice(0, 20_000);
}

function wound(text: string, others: readonly string[], random: Random): string {
  const at = random.below(text.length + 1);
  const end = Math.min(text.length, at + 1 + random.below(12));
  switch (random.below(9)) {
    case 0:
      return flipped(text, random);
    case 1:
      return text.slice(0, at);
    case 2:
      return text.slice(0, at) + text.slice(end);
    case 3:
      return text.slice(0, end) + text.slice(at);
    case 4:
      return text.slice(0, at) + spliced(random.of(others), random) + text.slice(at);
    case 5:
      return text.slice(0, at) + spliced(random.of(others), random) + text.slice(end);
    case 6:
      return swappedLines(text, random);
    case 7:
      return text.replaceAll("\n", random.of(["\r\n", "\n", "\r", "\n\n"]));
    default:
      return text.slice(0, at) + random.of(splinters) + text.slice(at);
  }
}

/** One bit of one byte, then whatever that is as text. */
function flipped(text: string, random: Random): string {
  const bytes = Buffer.from(text);
  const at = random.below(bytes.length);
  if (bytes.length > 0) bytes[at] = bytes[at]! ^ (1 << random.below(8));
  return bytes.toString("utf8");
}

function spliced(other: string, random: Random): string {
  const start = random.below(other.length + 1);
  return other.slice(start, start + 1 + random.below(40));
}

function swappedLines(text: string, random: Random): string {
  const lines = text.split("\n");
  const [a, b] = [random.below(lines.length), random.below(lines.length)];
  [lines[a], lines[b]] = [lines[b]!, lines[a]!];
  return lines.join("\n");
}
