import fc from "fast-check";
import { Exact, isList, isMap, mapOf, type Value, type ValueMap } from "../../../src/core/value.ts";
import type { Sample } from "../conformance.ts";

/**
 * Documents that nobody would write, but somebody could: a random content in random spellings, with comments and blank
 * lines anywhere.
 */
export const documents: fc.Arbitrary<Sample> = fc
  .record({ value: contents(), seeds: fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 60 }) })
  .map(({ value, seeds }) => new Writer(seeds).sample(value));

function contents(): fc.Arbitrary<ValueMap> {
  const name = fc.constantFrom("a", "b", "c", "d-e", "f g", "h.i", "", "__proto__", "ü");
  const scalar: fc.Arbitrary<Value> = fc.constantFrom<Value[]>(
    1,
    -17,
    0.5,
    true,
    "",
    "text",
    "# no comment",
    'a "quoted" [x]',
    "C:\\new",
    "two\nlines",
    "'",
    new Exact("number", "123456789012345678901"),
    new Exact("datetime", "1979-05-27T07:32:00Z"),
    new Exact("float", "3.0"),
  );
  const { map } = fc.letrec<{ map: ValueMap; value: Value }>((tie) => ({
    map: fc.uniqueArray(fc.tuple(name, tie("value")), { selector: ([key]) => key, maxLength: 4 }).map(mapOf),
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { arbitrary: scalar, weight: 4 },
      { arbitrary: fc.array(scalar, { maxLength: 3 }), weight: 1 },
      { arbitrary: fc.array(tie("map"), { maxLength: 3 }), weight: 2 },
      { arbitrary: tie("map"), weight: 3 },
    ),
  }));
  return map;
}

/** Spells a value, asking a stream of numbers at every choice. */
class Writer {
  readonly #seeds: readonly number[];
  #next = 0;
  readonly #comments: string[] = [];

  constructor(seeds: readonly number[]) {
    this.#seeds = seeds;
  }

  sample(value: ValueMap): Sample {
    const eol = this.#pick(["\n", "\n", "\r\n"]);
    this.#multiLine = eol === "\n";
    const body = this.#table([], value).map((line) => line.replaceAll("\n", eol));
    const text =
      this.#pick(["", "", "\ufeff"]) + body.join(eol) + (body.length === 0 ? "" : this.#pick([eol, eol, ""]));
    return { name: "generated", text, value, comments: this.#comments, elsewhere: undefined, inPieces: true };
  }

  #multiLine = true;

  #pick<T>(from: readonly T[]): T {
    const seed = this.#seeds[this.#next++ % this.#seeds.length]! + this.#next;
    return from[seed % from.length]!;
  }

  /** The lines of a table: its own pairs, then the sections below it. */
  #table(path: readonly string[], value: ValueMap): string[] {
    const pairs: string[] = [];
    const sections: string[][] = [];
    for (const name of Object.keys(value)) {
      const child = value[name]!;
      const form = this.#pick(["pair", "sections", "sections", "dotted"]);
      if (form === "sections" && isMap(child)) sections.push(this.#section([...path, name], child));
      else if (form === "sections" && isList(child) && child.length > 0 && child.every(isMap))
        sections.push(this.#elements([...path, name], child));
      else if (form === "dotted" && isMap(child)) pairs.push(...this.#dotted(this.#key(name), child));
      else pairs.push(`${this.#key(name)}${this.#pick([" = ", "=", "  =  "])}${this.#value(child)}`);
    }
    const ordered = this.#pick([true, false]) ? sections : sections.reverse();
    return [...pairs.flatMap((line) => this.#line(line)), ...ordered.flat()];
  }

  #section(path: readonly string[], value: ValueMap): string[] {
    const lines = this.#table(path, value);
    const header = () => this.#line(`[${path.map((name) => this.#key(name)).join(".")}]`);
    // A table with nothing but sub-tables may have its header behind them, or none.
    if (lines.length === 0 || !/^\s*(\[|$)/.test(firstContent(lines))) return [...header(), ...lines];
    return this.#pick([() => [...header(), ...lines], () => lines, () => [...lines, ...header()]])();
  }

  #elements(path: readonly string[], items: readonly ValueMap[]): string[] {
    return items.flatMap((item) => [
      ...this.#line(`[[${path.map((name) => this.#key(name)).join(".")}]]`),
      ...this.#table(path, item),
    ]);
  }

  #dotted(prefix: string, value: ValueMap): string[] {
    const names = Object.keys(value);
    if (names.length === 0) return [`${prefix} = {}`];
    return names.flatMap((name) => {
      const child = value[name]!;
      if (isMap(child) && this.#pick([true, false])) return this.#dotted(`${prefix}.${this.#key(name)}`, child);
      return [`${prefix} . ${this.#key(name)} = ${this.#value(child)}`];
    });
  }

  #line(content: string): string[] {
    const lines: string[] = [];
    for (let extra = this.#pick([0, 0, 0, 1, 2]); extra > 0; extra--)
      lines.push(this.#pick([() => "", () => "", () => `  # ${this.#comment()}`, () => `# ${this.#comment()}`])());
    lines.push(
      this.#pick(["", "", "  "]) +
        content +
        this.#pick([() => "", () => "", () => " ", () => ` # ${this.#comment()}`])(),
    );
    return lines;
  }

  #comment(): string {
    const words = `remark ${this.#comments.length} end`;
    this.#comments.push(words);
    return words;
  }

  #key(name: string): string {
    if (/^[\w-]+$/.test(name) && this.#pick([true, true, false])) return name;
    return this.#pick([JSON.stringify(name), `'${name}'`]);
  }

  #value(value: Value): string {
    if (value instanceof Exact) return value.text;
    if (isList(value)) return this.#array(value.map((item) => this.#value(item)));
    if (isMap(value)) return this.#inlineTable(value);
    return typeof value === "string" ? this.#string(value) : String(value);
  }

  #array(items: readonly string[]): string {
    const style = this.#pick(["line", "tight", "lines", "trailing", "comments"]);
    if (style === "line") return `[ ${items.join(", ")} ]`;
    if (style === "tight") return `[${items.join(",")}]`;
    if (style === "trailing") return `[\n${items.map((item) => `  ${item},\n`).join("")}]`;
    if (style === "lines") return `[\n  ${items.join(",\n  ")}\n]`;
    const lines = items.map((item, i) => `${item}${i < items.length - 1 ? "," : ""} # ${this.#comment()}`);
    return `[ # ${this.#comment()}\n${lines.map((line) => `    ${line}\n`).join("")}  ]`;
  }

  #inlineTable(value: ValueMap): string {
    const pairs = Object.keys(value).flatMap((name) => {
      const child = value[name]!;
      if (isMap(child) && this.#pick([true, false])) return this.#dotted(this.#key(name), child);
      return [`${this.#key(name)} = ${this.#value(child)}`];
    });
    return this.#pick([`{ ${pairs.join(", ")} }`, `{${pairs.join(",")}}`]);
  }

  #string(text: string): string {
    const spellings = [JSON.stringify(text)];
    if (!/['\n]/.test(text)) spellings.push(`'${text}'`);
    if (text.includes("\n") && this.#multiLine) spellings.push(`"""\n${text}"""`, `'''${text}'''`);
    return this.#pick(spellings);
  }
}

function firstContent(lines: readonly string[]): string {
  return lines.find((line) => !/^\s*(#|$)/.test(line)) ?? "";
}
