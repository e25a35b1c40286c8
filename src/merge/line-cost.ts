import type { Format } from "../formats/format.ts";
import { splitLines } from "../text/lines.ts";

/** What a merged text costs: lines that should be there, or should be there less often. */
export interface LineCost {
  readonly lines: number;
  /** Whether a comment is gone that mine has and theirs did not take out. */
  readonly losesComment: boolean;
}

/**
 * How many lines a merged text has lost that mine has and theirs did not take out, and how many it has more often than
 * both sides together want. White space around a line does not count, nor a comma behind it.
 */
export function lineCost(
  texts: Readonly<Record<"base" | "mine" | "theirs", string>>,
  format: Format["name"],
): (result: string) => LineCost {
  const partsOf = { lines: contentOf, comments: commentIn(format) };
  const count = (part: keyof typeof partsOf) => ({
    base: countsOf(texts.base, partsOf[part]),
    mine: countsOf(texts.mine, partsOf[part]),
    theirs: countsOf(texts.theirs, partsOf[part]),
  });
  let counted: Readonly<Record<keyof typeof partsOf, ReturnType<typeof count>>> | undefined;
  return (result) => {
    counted ??= { lines: count("lines"), comments: count("comments") };
    const lines = differences(counted.lines, countsOf(result, contentOf));
    const comments = differences(counted.comments, countsOf(result, partsOf.comments));
    return { lines: lines.missing + lines.extra + comments.missing, losesComment: comments.missing > 0 };
  };
}

type LineCounts = ReadonlyMap<string, number>;

function differences(sides: Readonly<Record<"base" | "mine" | "theirs", LineCounts>>, found: LineCounts) {
  let [missing, extra] = [0, 0];
  for (const line of new Set([...sides.mine.keys(), ...sides.theirs.keys()])) {
    const [base, mine, theirs] = [sides.base.get(line) ?? 0, sides.mine.get(line) ?? 0, sides.theirs.get(line) ?? 0];
    const count = found.get(line) ?? 0;
    missing += Math.max(0, mine - Math.max(0, base - theirs) - count);
    extra += Math.max(0, count - Math.max(mine, theirs, mine + theirs - base));
  }
  return { missing, extra };
}

function countsOf(text: string, partOf: (line: string) => string | undefined): LineCounts {
  const counts = new Map<string, number>();
  for (const each of splitLines(text)) {
    const part = partOf(each.trim());
    if (part !== undefined && /[\p{L}\p{N}]/u.test(part)) counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return counts;
}

function contentOf(line: string): string {
  return line.replace(/,$/, "");
}

/** The comment in a line. What stands in quotes is none; a `#` in a text of several lines may be taken for one. */
function commentIn(format: Format["name"]): (line: string) => string | undefined {
  const comment = format === "json" ? /\/[/*].*|^\*.*/ : format === "ini" ? /^[#;].*/ : /(?:^|\s)#.*/;
  return (line) => comment.exec(line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '""'))?.[0].trim();
}
