import type { Abridging } from "../format.ts";

/**
 * Sections whose names begin differently know nothing of each other, so all sections of some names can be read without
 * the others. A section of one pair stands in for a run of them: it must be read with this pair and no other, so
 * another header followed, or nothing.
 */
export const abridging: Abridging = {
  standIn,

  sees(data, marks) {
    return isTable(data) && marks.every((mark) => isStandIn(data, mark));
  },

  readApart(parts, marks, texts, read) {
    // Each behind a stand-in, so that one that does not begin with a header would be read as more of that.
    const all = read(parts.map((part, i) => `${standIn(marks[i]!)}\n${part}\n`).join(""));
    if (!isTable(all) || !abridging.sees(all, marks)) return false;
    const own = new Set(marks);
    return Object.keys(all).every(
      (name) => own.has(name) || !texts.some((text) => isTable(text) && Object.hasOwn(text, name)),
    );
  },
};

function standIn(mark: string): string {
  return `[${mark}]\nmark = "${mark}"`;
}

function isStandIn(data: object, mark: string): boolean {
  const table: unknown = Object.hasOwn(data, mark) ? (data as Record<string, unknown>)[mark] : undefined;
  return isTable(table) && Object.keys(table).length === 1 && "mark" in table && table.mark === mark;
}

function isTable(data: unknown): data is object {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
