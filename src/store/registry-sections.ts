/**
 * A registry put together from two: the new one, but with some members of its `files` as the old one had them. Works on slices of
 * the text, so that numbers no double can hold stay as they are written. Both texts are JSON that somebody has parsed before.
 */
export function composeRegistry(before: string | undefined, after: string | undefined, keepOld: ReadonlySet<string>): string | undefined {
  const old = before === undefined ? [] : sectionsOf(before);
  const kept = new Map(old.filter((section) => keepOld.has(section.name)).map((section) => [section.name, section.text]));
  if (after === undefined) return before === undefined || kept.size === 0 ? undefined : withSections(before, [...kept.values()]);
  const texts: string[] = [];
  for (const section of sectionsOf(after)) {
    const text = keepOld.has(section.name) ? kept.get(section.name) : section.text;
    kept.delete(section.name);
    if (text !== undefined) texts.push(text);
  }
  return withSections(after, [...texts, ...kept.values()]);
}

interface Member {
  readonly name: string;
  /** Name, colon and value. */
  readonly text: string;
  readonly valueStart: number;
  readonly end: number;
}

function sectionsOf(text: string): readonly Member[] {
  const files = membersOf(text, text.indexOf("{")).find((member) => member.name === "files");
  return files === undefined ? [] : membersOf(text, files.valueStart);
}

function withSections(text: string, sections: readonly string[]): string {
  const value = sections.length === 0 ? "{}" : `{\n    ${sections.join(",\n    ")}\n  }`;
  const start = text.indexOf("{");
  const members = membersOf(text, start);
  const files = members.find((member) => member.name === "files");
  if (files !== undefined) return text.slice(0, files.valueStart) + value + text.slice(files.end);
  return `${text.slice(0, start + 1)}\n  "files": ${value}${members.length > 0 ? "," : "\n"}${text.slice(start + 1)}`;
}

/** The members of the object that begins at `start`. */
function membersOf(text: string, start: number): readonly Member[] {
  const members: Member[] = [];
  for (let at = skipBlanks(text, start + 1); text[at] === '"'; ) {
    const nameEnd = endOfString(text, at);
    const valueStart = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    members.push({ name: JSON.parse(text.slice(at, nameEnd)), text: text.slice(at, end), valueStart, end });
    const next = skipBlanks(text, end);
    at = text[next] === "," ? skipBlanks(text, next + 1) : next;
  }
  return members;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const sign = text[at]!;
    if (sign === '"') at = endOfString(text, at);
    else if (depth === 0 && at > start && ",}] \n\r\t".includes(sign)) return at;
    else {
      if (sign === "{" || sign === "[") depth++;
      if (sign === "}" || sign === "]") depth--;
      at++;
    }
    if (depth === 0 && (sign === '"' || sign === "}" || sign === "]")) return at;
  }
  return text.length;
}
