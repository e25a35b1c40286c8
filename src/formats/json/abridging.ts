import type { Abridging } from "../format.ts";

/**
 * Any value may stand where another stands, and reads the same there. A list stands in for it: that can be neither a name nor a part of a
 * string, and in a comment it would not be seen.
 */
export const abridging: Abridging = {
  standIn: (mark) => `["${mark}"]`,

  sees(data, marks) {
    const missing = new Set(marks);
    let seen = 0;
    visitStrings(data, (text) => {
      if (missing.delete(text)) seen++;
    });
    return seen === marks.length;
  },

  join: (parts, marks) => `[${parts.map((part, i) => `${part},"${marks[i]}"`).join(",")}]`,

  readApart(parts, marks) {
    return Array.isArray(parts) && parts.length === marks.length * 2 && marks.every((mark, i) => parts[i * 2 + 1] === mark);
  },
};

function visitStrings(data: unknown, visit: (text: string) => void): void {
  if (typeof data === "string") visit(data);
  else if (Array.isArray(data)) for (const item of data) visitStrings(item, visit);
  else if (typeof data === "object" && data !== null) for (const name in data) visitStrings((data as Record<string, unknown>)[name], visit);
}
