import type { Abridging } from "../format.ts";

/**
 * Any value may stand where another stands, and reads the same there. A list stands in for it: that can be neither a
 * name nor a part of a string, and in a comment it would not be seen.
 */
export const abridging: Abridging = {
  standIn: (mark) => `["${mark}"]`,

  sees(data, marks) {
    const missing = new Set(marks);
    return finds(data, (text) => missing.delete(text) && missing.size === 0);
  },

  readApart: (parts, marks, _, read) => parts.every((part, i) => isOneValue(part, marks[i]!, read)),
};

/** What JSON itself reads on its own is one value; with comments in it, a part has to be one value before its mark. */
function isOneValue(part: string, mark: string, read: (text: string) => unknown): boolean {
  try {
    JSON.parse(part);
    return true;
  } catch {
    const pair = read(`[${part},"${mark}"]`);
    return Array.isArray(pair) && pair.length === 2 && pair[1] === mark;
  }
}

/** Looks at strings until one of them is the one. */
function finds(data: unknown, isWanted: (text: string) => boolean): boolean {
  if (typeof data === "string") return isWanted(data);
  if (typeof data !== "object" || data === null) return false;
  if (Array.isArray(data)) return data.some((item) => finds(item, isWanted));
  for (const name in data) if (finds((data as Record<string, unknown>)[name], isWanted)) return true;
  return false;
}
