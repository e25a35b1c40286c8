import { isMap, type Value, type ValueMap } from "../../core/value.ts";
import { Fault, orFault } from "../fault.ts";
import type { Edit, EditResult, InsertEdit, InsertPlace, RemoveEdit, SetEdit, Trace } from "../format.ts";
import type { Dialect } from "./dialect.ts";
import type { IniEntry, IniLine } from "./scan.ts";

export interface IniSection {
  /** Undefined for what stands before the first header. */
  readonly name: string | undefined;
  /** The lines of its headers, in order. */
  readonly headers: number[];
  /** By name, the lines it stands in, in order: the last one counts. */
  readonly entries: Map<string, number[]>;
  /** Lines with a comment. */
  readonly commented: number[];
}

export interface IniSource {
  readonly text: string;
  readonly dialect: Dialect;
  readonly eol: "\r\n" | "\n";
  readonly lines: readonly IniLine[];
  /** The part before the first header first. */
  readonly sections: readonly IniSection[];
}

/** A new section. */
interface Block {
  readonly lines: readonly string[];
  /** Of the edit that adds it. */
  readonly position: number | undefined;
}

export function editIni(source: IniSource, edits: readonly Edit[]): EditResult {
  return orFault("refused", () => new IniEdit(source).run(edits));
}

/** What becomes of the lines; those not mentioned stay as they are. */
class IniEdit {
  readonly #source: IniSource;
  /** By line: its new text, without the line break; undefined where the line goes. */
  readonly #rewritten = new Map<number, string | undefined>();
  /** New lines by the line they go in front of: first those put behind the line above. */
  readonly #behind = new Map<number, string[]>();
  readonly #before = new Map<number, string[]>();
  /** New sections, which come behind new names at the same place: those would become a part of them. */
  readonly #sectionsBehind = new Map<number, Block[]>();
  readonly #sectionsBefore = new Map<number, Block[]>();
  /** Of sections that go: on which side of them a blank line came with them. */
  readonly #blanks: { readonly first: number; readonly last: number; readonly side: -1 | 1 }[] = [];
  readonly #added = new Set<string>();
  readonly #traces = new Map<number, Trace>();

  constructor(source: IniSource) {
    this.#source = source;
  }

  run(edits: readonly Edit[]): EditResult {
    edits.forEach((edit, i) => {
      if (edit.kind === "insert") this.#insert(edit, i);
      else if (edit.kind === "set") this.#set(edit);
      else if (edit.kind === "remove") this.#remove(edit);
    });
    this.#dropBlanks();
    const cleared = edits.find((edit) => edit.kind === "clear");
    if (cleared && cleared.at.length > 0) throw new Fault("a section is never cleared, only its entries go");
    const text = cleared ? cleared.inner : this.#assemble();
    return { kind: "edited", text, traces: this.#traces, inners: new Map() };
  }

  #insert({ into, name, value, place }: InsertEdit, position: number): void {
    const section = this.#section(into);
    if (name === undefined) throw new Fault("there is no list here; INI has sections, names and texts");
    const id = JSON.stringify([...into, name]);
    const isThere =
      section.entries.has(name) || (into.length === 0 && this.#source.sections.some((each) => each.name === name));
    if (isThere || this.#added.has(id)) throw new Fault(`${name} is already there`);
    this.#added.add(id);
    if (isMap(value) && into.length === 0) {
      this.#insertSection(name, value, place, position);
    } else this.#insertEntry(section, name, value, place);
  }

  #insertEntry(section: IniSection, name: string, value: Value, place: InsertPlace): void {
    const [map, at] = this.#entryPlace(section, place);
    append(map, at, this.#entryLine(section, name, textOf(name, value), at));
  }

  /** Which line a new entry goes in front of, and whether it belongs to what is above or below. */
  #entryPlace(section: IniSection, place: InsertPlace): [Map<number, string[]>, number] {
    const sibling = place === "end" ? undefined : String("after" in place ? place.after : place.before);
    const line = sibling === undefined ? undefined : section.entries.get(sibling)?.at(-1);
    if (line !== undefined)
      return place !== "end" && "before" in place
        ? [this.#before, this.#aboveComments(line)]
        : [this.#behind, line + 1];
    const last = Math.max(-1, ...[...section.entries.values()].flat());
    if (last !== -1) return [this.#behind, last + 1];
    if (section.name !== undefined) return [this.#behind, section.headers.at(-1)! + 1];
    return this.#beforeSections();
  }

  /**
   * Where names without a section go that are the first ones: above the first section, and below a comment that heads
   * the file.
   */
  #beforeSections(): [Map<number, string[]>, number] {
    const { lines } = this.#source;
    const header = lines.findIndex(({ content }) => content.kind === "section");
    if (header !== -1)
      return this.#endAbove(header) === 0 ? [this.#behind, 0] : [this.#before, this.#aboveComments(header)];
    return [this.#behind, this.#textEnd()];
  }

  #insertSection(name: string, value: ValueMap, place: InsertPlace, position?: number): void {
    if (/[\r\n]/.test(name) || name === "" || /^[ \t]|[ \t]$/.test(name))
      throw new Fault(`${JSON.stringify(name)} can't be a section's name`);
    const entries = Object.entries(value).map(([each, text]) =>
      this.#entryLine(undefined, each, textOf(each, text), 0),
    );
    const block: Block = { lines: [`[${name}]`, ...entries], position };
    const sibling = place === "end" ? undefined : String("after" in place ? place.after : place.before);
    const beside = this.#source.sections.find((each) => each.name !== undefined && each.name === sibling);
    const first = this.#source.lines.findIndex(({ content }) => content.kind === "section");
    // A section can't stand before names that have none: they would become its own.
    const isBefore = place !== "end" && "before" in place && beside !== undefined;
    const above = isBefore ? beside.headers[0]! : place === "end" || beside ? -1 : first;
    const end =
      above === -1 ? (beside ? this.#sectionEnd(beside.headers.at(-1)!) : this.#textEnd()) : this.#endAbove(above);
    if (end > 0 || above === -1) append(this.#sectionsBehind, end, block);
    else append(this.#sectionsBefore, this.#aboveComments(above), block);
  }

  /** Behind the last line that is not blank above a header and its comments; 0 where there is none. */
  #endAbove(header: number): number {
    let end = this.#aboveComments(header);
    while (end > 0 && this.#source.lines[end - 1]!.content.kind === "blank") end--;
    return end;
  }

  #textEnd(): number {
    return this.#source.lines.findLastIndex(({ content }) => content.kind !== "blank") + 1;
  }

  /** Behind the last entry of a piece, and the comments that stand in it rather than above the next header. */
  #sectionEnd(header: number): number {
    const { lines } = this.#source;
    let end = header + 1;
    while (end < lines.length && lines[end]!.content.kind !== "section") end++;
    if (end < lines.length) end = this.#aboveComments(end);
    while (end > header + 1 && lines[end - 1]!.content.kind === "blank") end--;
    return end;
  }

  #set({ at, value }: SetEdit): void {
    const section = this.#source.sections.find((each) => at.length === 1 && each.name === at[0]);
    if (section) {
      this.#setSection(section, value);
      return;
    }
    const [line, entry] = this.#entry(at);
    if (isMap(value)) {
      if (at.length > 1) throw new Fault(`${entry.name} can't be a section within a section`);
      this.#drop(line, entry);
      this.#insertSection(entry.name, value, "end");
      return;
    }
    this.#rewrite(line, entry, textOf(entry.name, value));
  }

  /** Entries that stay keep their bytes. A section that becomes a text stands among the names without one. */
  #setSection(section: IniSection, value: Value): void {
    if (!isMap(value)) {
      this.#removeSection(section, undefined);
      this.#insertEntry(this.#source.sections[0]!, section.name!, value, "end");
      return;
    }
    for (const [name, places] of section.entries) {
      const wanted = Object.hasOwn(value, name) ? value[name]! : undefined;
      const entry = this.#source.lines[places.at(-1)!]!.content as IniEntry;
      if (wanted === undefined)
        for (const place of places) this.#drop(place, this.#source.lines[place]!.content as IniEntry);
      else if (wanted !== entry.value) this.#rewrite(places.at(-1)!, entry, textOf(name, wanted));
    }
    for (const [name, wanted] of Object.entries(value))
      if (!section.entries.has(name)) this.#insertEntry(section, name, wanted, "end");
  }

  #rewrite(line: number, entry: IniEntry, value: string): void {
    const { text, lines } = this.#source;
    const { start, end } = lines[line]!;
    const { valueRange, delimiter } = entry;
    // A name alone, or with nothing behind its sign, gets what its neighbours have between name and value.
    const between = delimiter === "" ? " = " : "";
    const indent = /^[ \t]*/.exec(text.slice(start))![0];
    this.#rewritten.set(
      line,
      text.slice(start, valueRange.start) +
        between +
        this.#spelled(entry.name, value, indent) +
        text.slice(valueRange.end, end),
    );
  }

  #remove({ at, trace }: RemoveEdit): void {
    const section = this.#source.sections.find((each) => at.length === 1 && each.name === at[0]);
    if (section) {
      this.#removeSection(section, trace);
      return;
    }
    this.#entry(at);
    const holder = this.#section(at.slice(0, -1));
    for (const line of holder.entries.get(String(at.at(-1)))!)
      this.#drop(line, this.#source.lines[line]!.content as IniEntry);
  }

  #removeSection({ headers, entries }: IniSection, trace: Trace | undefined): void {
    const { lines } = this.#source;
    for (const header of headers) this.#rewritten.set(header, undefined);
    for (const line of [...entries.values()].flat()) this.#drop(line, lines[line]!.content as IniEntry);
    const [first] = headers;
    const last = Math.max(first!, ...[...entries.values()].flat());
    if (trace?.blank !== undefined) this.#blanks.push({ first: first!, last, side: trace.blank === "above" ? -1 : 1 });
  }

  /**
   * The blank lines that came with sections go with them; or their like, where another section has come or gone
   * between.
   */
  #dropBlanks(): void {
    const { lines } = this.#source;
    const isGone = (line: number) => this.#rewritten.has(line) && this.#rewritten.get(line) === undefined;
    const nearest = (from: number, step: number) => {
      let line = from;
      while (isGone(line)) line += step;
      return lines[line]?.content.kind === "blank" ? line : undefined;
    };
    for (const { first, last, side } of this.#blanks) {
      const [above, below] = [nearest(first - 1, -1), nearest(last + 1, 1)];
      const blank = side === -1 ? (above ?? below) : (below ?? above);
      if (blank !== undefined) this.#rewritten.set(blank, undefined);
    }
  }

  /** A comment behind the value is not ours to take: it stays, on a line of its own. */
  #drop(line: number, { range, commentStart }: IniEntry): void {
    const { text, lines } = this.#source;
    const { start, end } = lines[line]!;
    this.#rewritten.set(
      line,
      commentStart === undefined ? undefined : text.slice(start, range.start) + text.slice(commentStart, end),
    );
  }

  #entry(at: readonly (string | number)[]): [number, IniEntry] {
    const line = this.#section(at.slice(0, -1))
      .entries.get(String(at.at(-1)))
      ?.at(-1);
    if (at.length === 0 || line === undefined) throw new Fault(`there is no entry ${at.join(".")}`);
    return [line, this.#source.lines[line]!.content as IniEntry];
  }

  #section(path: readonly (string | number)[]): IniSection {
    const found = this.#source.sections.find((each) =>
      path.length === 0 ? each.name === undefined : path.length === 1 && each.name === path[0],
    );
    if (found === undefined) throw new Fault(`there is no section ${path.join(".")}`);
    return found;
  }

  /** Comments right above a line are about it. */
  #aboveComments(line: number): number {
    const { lines, text } = this.#source;
    let above = line;
    while (above > 0 && lines[above - 1]!.content.kind === "comment") above--;
    return above === 0 && line > 0 && text.startsWith("#!") ? 1 : above;
  }

  /** In the style of its neighbours: those of its section, else any of the file. */
  #entryLine(section: IniSection | undefined, name: string, value: string, near: number): string {
    const { lines, text, dialect } = this.#source;
    const isEntry = (line: number) =>
      lines[line]?.content.kind === "entry" && (lines[line]!.content as IniEntry).delimiter !== "";
    const own = section ? [...section.entries.values()].flat().filter(isEntry) : [];
    const inSections = lines.findLastIndex(
      (_, i) => isEntry(i) && i > lines.findIndex(({ content }) => content.kind === "section"),
    );
    const model =
      own.findLast((line) => line < near) ??
      own[0] ??
      (inSections === -1 ? lines.findLastIndex((_, i) => isEntry(i)) : inSections);
    const entry = model === -1 || model === undefined ? undefined : (lines[model]!.content as IniEntry);
    const indent = entry
      ? text.slice(lines[model!]!.start, entry.range.start)
      : dialect.quotes && section?.name !== undefined
        ? "\t"
        : "";
    const delimiter = entry
      ? entry.delimiter.replace(/[=:]\s*$/, (sign) =>
          sign.length > 1 || entry.value !== "" ? sign : `${sign}${entry.delimiter.startsWith(" ") ? " " : ""}`,
        )
      : " = ";
    this.#checkName(name);
    return `${indent}${name}${delimiter}${this.#spelled(name, value, indent)}`;
  }

  #checkName(name: string): void {
    const { comments, delimiters, quotes } = this.#source.dialect;
    const isOdd =
      name === "" ||
      /^[ \t]|[ \t]$/.test(name) ||
      name.startsWith("[") ||
      comments.includes(name[0]!) ||
      /[\r\n]/.test(name);
    if (
      isOdd ||
      name.includes("=") ||
      (delimiters === "=:" && name.includes(":")) ||
      (quotes && !/^[A-Za-z][A-Za-z0-9-]*$/.test(name))
    )
      throw new Fault(`${JSON.stringify(name)} can't be a name here`);
  }

  #spelled(name: string, value: string, indent: string): string {
    const { dialect, eol } = this.#source;
    if (/[\r\0\u2028\u2029]/.test(value))
      throw new Fault(`can't write ${name}: it holds a character that some programs take for a line break`);
    if (dialect.quotes) return gitSpelling(value);
    const lines = value.split("\n");
    if (lines.some((line) => /^[ \t]|[ \t]$/.test(line)))
      throw new Fault(`can't write ${name}: blanks at its ends would be lost`);
    if (lines.length === 1) return value;
    if (!dialect.indentContinues || lines.slice(1).some((line) => line === "" || dialect.comments.includes(line[0]!)))
      throw new Fault(`can't write ${name}: its lines can't stand in an INI file`);
    return lines.join(`${eol}${indent}    `);
  }

  /**
   * Lines with their breaks: kept ones have their own, new ones the file's. Whether the text ends in one stays as it
   * was.
   */
  #assemble(): string {
    const { text, lines, eol } = this.#source;
    const parts: { readonly text: string; readonly eol: string }[] = [];
    const add = (added: readonly string[]) => {
      for (const line of added) parts.push({ text: line, eol });
    };
    for (let at = 0; at <= lines.length; at++) {
      add(this.#behind.get(at) ?? []);
      for (const block of this.#sectionsBehind.get(at) ?? []) {
        const isFirst = parts.length === 0;
        if (!isFirst && block.position !== undefined) this.#traces.set(block.position, { blank: "above" });
        add(isFirst ? block.lines : ["", ...block.lines]);
      }
      add(this.#before.get(at) ?? []);
      for (const block of this.#sectionsBefore.get(at) ?? []) {
        if (block.position !== undefined) this.#traces.set(block.position, { blank: "below" });
        add([...block.lines, ""]);
      }
      const line = lines[at];
      if (line === undefined) break;
      const content = this.#rewritten.has(at) ? this.#rewritten.get(at) : text.slice(line.start, line.end);
      if (content !== undefined) parts.push({ text: content, eol: text.slice(line.end, line.next) || eol });
    }
    const endsInBreak = lines.length === 0 || text.endsWith("\n");
    const body = parts
      .map((part, i) => (i === parts.length - 1 && !endsInBreak ? part.text : part.text + part.eol))
      .join("");
    return (text.startsWith("\ufeff") ? "\ufeff" : "") + body;
  }
}

function textOf(name: string, value: Value): string {
  if (typeof value !== "string") throw new Fault(`the value of ${name} is not a text; INI knows nothing else`);
  return value;
}

/** Bare where git reads it as it stands. */
function gitSpelling(value: string): string {
  if (value !== "" && !/^[ \t]|[ \t]$/.test(value) && !/["\\#;\n\t\b]/.test(value)) return value;
  if (value === "") return "";
  return `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b")}"`;
}

function append<T>(groups: Map<number, T[]>, at: number, line: T): void {
  const group = groups.get(at);
  if (group === undefined) groups.set(at, [line]);
  else group.push(line);
}
