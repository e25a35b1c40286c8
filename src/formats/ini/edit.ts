import { getOrMake } from "../../core/lists.ts";
import { isMap, type Value, type ValueMap } from "../../core/value.ts";
import { Fault, orFault } from "../fault.ts";
import type { Edit, EditResult, InsertEdit, InsertPlace, Path, RemoveEdit, SetEdit, Trace } from "../format.ts";
import { LineChanges } from "../lined/edit.ts";
import { entryAt, type LineSource, namesIn, type Section } from "../lined/read.ts";
import { skipBlanks } from "../lines.ts";
import type { Dialect } from "./dialect.ts";
import type { IniEntry } from "./read.ts";

export function editIni(source: LineSource<IniEntry>, dialect: Dialect, edits: readonly Edit[]): EditResult {
  return orFault("refused", () => new IniEdit(source, dialect).run(edits));
}

class IniEdit {
  readonly #source: LineSource<IniEntry>;
  readonly #dialect: Dialect;
  readonly #changes: LineChanges<IniEntry>;
  /** Of sections that go: on which side of them a blank line came with them. */
  readonly #blanks: { readonly first: number; readonly last: number; readonly side: "above" | "below" }[] = [];
  readonly #added = new Set<string>();
  readonly #sections: ReadonlyMap<string, Section>;
  /** By section, in order: the lines of its entries, and those of them that a new one may look like. Thousands ask. */
  readonly #lines = new Map<Section, readonly number[]>();
  readonly #models = new Map<Section, readonly number[]>();

  constructor(source: LineSource<IniEntry>, dialect: Dialect) {
    this.#source = source;
    this.#dialect = dialect;
    const [, ...named] = source.sections;
    this.#sections = new Map(named.map((section) => [source.folding.section(section.name!), section]));
    this.#changes = new LineChanges(source);
  }

  run(edits: readonly Edit[]): EditResult {
    edits.forEach((edit, i) => {
      if (edit.kind === "insert") this.#insert(edit, i);
      else if (edit.kind === "set") this.#set(edit);
      else if (edit.kind === "remove") this.#remove(edit);
    });
    this.#removeBlanks();
    const cleared = edits.find((edit) => edit.kind === "clear");
    if (cleared && cleared.at.length > 0)
      throw new Fault("a section is never emptied as a whole; only its entries are removed");
    const result = this.#changes.write();
    return cleared && result.kind === "edited" ? { ...result, text: cleared.inner } : result;
  }

  #insert({ into, name, value, place }: InsertEdit, position: number): void {
    const section = this.#section(into);
    if (name === undefined) throw new Fault("there is no list here; INI has sections, names and texts");
    const id = JSON.stringify([...into, this.#source.folding.entry(name)]);
    const isThere = section.entries.has(this.#source.folding.entry(name)) || this.#named([...into, name]) !== undefined;
    if (isThere || this.#added.has(id)) throw new Fault(`${name} is already there`);
    this.#added.add(id);
    if (isMap(value) && into.length === 0) this.#insertSection(name, value, place, position);
    else this.#insertEntry(section, name, value, place);
  }

  #insertEntry(section: Section, name: string, value: Value, place: InsertPlace): void {
    const { at, rank } = this.#changes.beside(section, place) ?? this.#endOf(section);
    this.#changes.add(at, { rank, lines: [this.#entryLine(section, name, textOf(name, value), at)] });
  }

  /** Behind the last entry of a section, or right below its header. */
  #endOf(section: Section): { at: number; rank: "behind" | "before" } {
    const last = this.#linesOf(section).at(-1);
    if (last !== undefined) return { at: last + 1, rank: "behind" };
    const { name, headers } = section;
    return name === undefined ? this.#aboveSections() : { at: headers.at(-1)! + 1, rank: "behind" };
  }

  #linesOf(section: Section): readonly number[] {
    return getOrMake(this.#lines, section, () => [...section.entries.values()].flat().sort((a, b) => a - b));
  }

  /** Where the first names without a section go: above the first section, below a comment that heads the file. */
  #aboveSections(): { at: number; rank: "behind" | "before" } {
    const header = this.#source.lines.findIndex(({ content }) => content.kind === "section");
    if (header === -1) return { at: this.#changes.textEnd(), rank: "behind" };
    if (this.#endAbove(header) === 0) return { at: 0, rank: "behind" };
    return { at: this.#changes.aboveComments(header), rank: "before" };
  }

  #insertSection(name: string, value: ValueMap, place: InsertPlace, edit?: number): void {
    if (/[\r\n]/.test(name) || name === "" || hasOuterBlanks(name))
      throw new Fault(`${JSON.stringify(name)} can't be a section's name`);
    const entries = Object.entries(value).map(([each, text]) =>
      this.#entryLine(undefined, each, textOf(each, text), 0),
    );
    const lines = [`[${name}]`, ...entries];
    const beside = place === "end" ? undefined : this.#named([String("after" in place ? place.after : place.before)]);
    // A section can't stand before names that have none: they would become its own. What comes last may count.
    const isBefore = place !== "end" && "before" in place && beside !== undefined;
    const above = isBefore ? beside.headers[0]! : -1;
    const end =
      above !== -1
        ? this.#endAbove(above)
        : beside
          ? this.#sectionEnd(beside.headers.at(-1)!)
          : this.#changes.textEnd();
    if (end > 0 || above === -1) this.#changes.add(end, { rank: "section behind", lines, edit });
    else this.#changes.add(this.#changes.aboveComments(above), { rank: "section before", lines, edit });
  }

  /** Behind the last line that is not blank above a header and its comments; 0 where there is none. */
  #endAbove(header: number): number {
    let end = this.#changes.aboveComments(header);
    while (end > 0 && this.#source.lines[end - 1]!.content.kind === "blank") end--;
    return end;
  }

  /** Behind the last entry of a piece, and the comments that stand in it rather than above the next header. */
  #sectionEnd(header: number): number {
    const { lines } = this.#source;
    let end = header + 1;
    while (end < lines.length && lines[end]!.content.kind !== "section") end++;
    if (end < lines.length) end = this.#changes.aboveComments(end);
    while (end > header + 1 && lines[end - 1]!.content.kind === "blank") end--;
    return end;
  }

  #set({ at, value }: SetEdit): void {
    const section = this.#named(at);
    if (section) {
      this.#setSection(section, value);
      return;
    }
    const line = this.#places(at).at(-1)!;
    const { name } = entryAt(this.#source, line);
    if (!isMap(value)) {
      this.#setValue(line, textOf(name, value));
      return;
    }
    if (at.length > 1) throw new Fault(`${name} can't be a section within a section`);
    this.#changes.removeEntry(line);
    this.#insertSection(name, value, "end");
  }

  /** Entries that stay keep their bytes. A section that becomes a text stands among the names without one. */
  #setSection(section: Section, value: Value): void {
    if (!isMap(value)) {
      this.#removeSection(section, undefined);
      this.#insertEntry(this.#source.sections[0], section.name!, value, "end");
      return;
    }
    for (const places of section.entries.values()) {
      const [first] = places;
      const { name } = entryAt(this.#source, first!);
      const wanted = Object.hasOwn(value, name) ? value[name]! : undefined;
      const line = places.at(-1)!;
      if (wanted === undefined) for (const place of places) this.#changes.removeEntry(place);
      else if (wanted !== entryAt(this.#source, line).value) this.#setValue(line, textOf(name, wanted));
    }
    const found = new Set(namesIn(this.#source, section));
    for (const [name, wanted] of Object.entries(value))
      if (!found.has(name)) this.#insertEntry(section, name, wanted, "end");
  }

  #setValue(line: number, value: string): void {
    const { name, delimiter } = entryAt(this.#source, line);
    // A name alone has no sign either.
    const between = delimiter === "" ? " = " : "";
    this.#changes.setValue(line, between + this.#spelled(name, value, this.#indentOf(line)));
  }

  #indentOf(line: number): string {
    const { start } = this.#source.lines[line]!;
    return this.#source.text.slice(start, skipBlanks(this.#source.text, start));
  }

  #remove({ at, trace }: RemoveEdit): void {
    const section = this.#named(at);
    if (section) this.#removeSection(section, trace);
    else for (const line of this.#places(at)) this.#changes.removeEntry(line);
  }

  #removeSection({ headers, entries }: Section, trace: Trace | undefined): void {
    const lines = [...entries.values()].flat();
    for (const header of headers) this.#changes.removeLine(header);
    for (const line of lines) this.#changes.removeEntry(line);
    const first = headers[0]!;
    const side = trace?.blank;
    if (side === "above" || side === "below") this.#blanks.push({ first, last: Math.max(first, ...lines), side });
  }

  /** The blank lines that came with sections go with them, or others beside them. */
  #removeBlanks(): void {
    const nearest = (from: number, step: number) => {
      let line = from;
      while (this.#changes.isRemoved(line)) line += step;
      return this.#source.lines[line]?.content.kind === "blank" ? line : undefined;
    };
    for (const { first, last, side } of this.#blanks) {
      const [above, below] = [nearest(first - 1, -1), nearest(last + 1, 1)];
      const blank = side === "above" ? (above ?? below) : (below ?? above);
      if (blank !== undefined) this.#changes.removeLine(blank);
    }
  }

  #places(at: Path): readonly number[] {
    const name = this.#source.folding.entry(String(at.at(-1)));
    const places = at.length === 0 ? undefined : this.#section(at.slice(0, -1)).entries.get(name);
    if (places === undefined) throw new Fault(`there is no entry ${at.join(".")}`);
    return places;
  }

  #section(path: Path): Section {
    const found = path.length === 0 ? this.#source.sections[0] : this.#named(path);
    if (found === undefined) throw new Fault(`there is no section ${path.join(".")}`);
    return found;
  }

  /** The section that a path names. */
  #named(path: Path): Section | undefined {
    return path.length === 1 ? this.#sections.get(this.#source.folding.section(String(path[0]))) : undefined;
  }

  /** In the style of its neighbours: those of its section, else any of the file. */
  #entryLine(section: Section | undefined, name: string, value: string, near: number): string {
    this.#checkName(name);
    const model = this.#modelFor(section, near);
    if (model === undefined) {
      const indent = this.#dialect.quotes && section?.name !== undefined ? "\t" : "";
      return `${indent}${name} = ${this.#spelled(name, value, indent)}`;
    }
    const { delimiter, value: own } = entryAt(this.#source, model);
    // Where nothing stands behind the sign, no blank does either.
    const isOpen = (text: string) => text === "" || text.startsWith("\n");
    const lacksBlank = isOpen(own) && delimiter.startsWith(" ") && !/\s$/.test(delimiter);
    const between = isOpen(value) && value !== "" ? delimiter.trimEnd() : `${delimiter}${lacksBlank ? " " : ""}`;
    const indent = this.#indentOf(model);
    return `${indent}${name}${between}${this.#spelled(name, value, indent)}`;
  }

  /** The line whose style a new entry takes on. */
  #modelFor(section: Section | undefined, near: number): number | undefined {
    const { lines } = this.#source;
    const isModel = (line: number) => {
      const content = lines[line]?.content;
      return content?.kind === "entry" && content.delimiter !== "";
    };
    const own = section ? getOrMake(this.#models, section, () => this.#linesOf(section).filter(isModel)) : [];
    const inSection = own[Math.max(0, countBelow(own, near) - 1)];
    if (inSection !== undefined) return inSection;
    const last = lines.findLastIndex((_, line) => isModel(line));
    return last === -1 ? undefined : last;
  }

  #checkName(name: string): void {
    const { comments, delimiters, quotes } = this.#dialect;
    const isOdd =
      name === "" ||
      hasOuterBlanks(name) ||
      name.startsWith("[") ||
      comments.includes(name[0]!) ||
      /[\r\n=]/.test(name) ||
      (delimiters === "=:" && name.includes(":")) ||
      (quotes && !/^[A-Za-z][A-Za-z0-9-]*$/.test(name));
    if (isOdd) throw new Fault(`${JSON.stringify(name)} can't be a name here`);
  }

  #spelled(name: string, value: string, indent: string): string {
    const { quotes, indentContinues, comments } = this.#dialect;
    if (/[\r\0\u2028\u2029]/.test(value))
      throw new Fault(`can't write ${name}: it contains a character that some programs take for a line break`);
    if (quotes) return gitSpelling(value);
    const lines = value.split("\n");
    if (lines.some(hasOuterBlanks)) throw new Fault(`can't write ${name}: blanks at its ends would be lost`);
    if (lines.length === 1) return value;
    const isLost = (line: string) => line !== "" && comments.includes(line[0]!);
    if (!indentContinues || lines.at(-1) === "" || lines.slice(1).some(isLost))
      throw new Fault(`can't write ${name}: an INI file can't hold its lines`);
    return lines.map((line, i) => (i === 0 || line === "" ? line : `${indent}    ${line}`)).join(this.#source.eol);
  }
}

/** How many numbers of a sorted list are smaller. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function textOf(name: string, value: Value): string {
  if (typeof value !== "string") throw new Fault(`the value of ${name} is not a text, and INI has no other kind`);
  return value;
}

function hasOuterBlanks(text: string): boolean {
  return /^[ \t]|[ \t]$/.test(text);
}

/** Bare where git reads it as it stands. */
function gitSpelling(value: string): string {
  if (value === "" || (!hasOuterBlanks(value) && !/["\\#;\n\t\b]/.test(value))) return value;
  return `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b")}"`;
}
