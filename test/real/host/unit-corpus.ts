import fc from "fast-check";

/** A unit and its drop-ins, in the order in which they are read. */
export interface UnitCase {
  readonly name: string;
  readonly unit: string;
  readonly dropIns: readonly string[];
}

/** Awkward layout around assignments: continuations, comments and blank lines inside them, indentation, CRLF. */
export function unitText(section: fc.Arbitrary<string>, assignment: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const dressed = fc
    .tuple(assignment, fc.constantFrom("plain", "split", "spaced", "commented", "blank", "indented", "tight"))
    .map(([line, style]) => dress(line, style));
  const block = fc
    .tuple(section, fc.array(dressed, { maxLength: 6 }))
    .map(([name, lines]) => [`[${name}]`, ...lines].join("\n"));
  return fc
    .tuple(fc.array(block, { minLength: 1, maxLength: 4 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
    .map(([blocks, end, final]) => `${blocks.join("\n\n# a note\n").replaceAll("\n", end)}${final ? end : ""}`);
}

function dress(line: string, style: string): string {
  const equals = line.indexOf("=");
  const [key, value] = [line.slice(0, equals), line.slice(equals + 1)];
  const middle = value.indexOf(" ");
  const [head, tail] = middle === -1 ? [value, ""] : [value.slice(0, middle), value.slice(middle + 1)];
  switch (style) {
    case "split":
      return tail === "" ? line : `${key}=${head} \\\n${tail}`;
    case "commented":
      return tail === "" ? line : `${key}=${head} \\\n# between\n; and again\n  ${tail}`;
    case "blank":
      return `\n${line}\n`;
    case "spaced":
      return `${key} =  ${value}  `;
    case "indented":
      return `  ${line}`;
    case "tight":
      return tail === "" ? line : `${key}=${head}\\\n\t${tail}`;
    default:
      return line;
  }
}

/** The same cases on every run: what fails once fails again. */
export function sample(make: fc.Arbitrary<string>, count: number, name: (i: number) => string): UnitCase[] {
  const one = fc.tuple(make, fc.array(make, { maxLength: 3 }));
  return fc
    .sample(one, { numRuns: count, seed: 20_261_115 })
    .map(([unit, dropIns], i) => ({ name: name(i), unit, dropIns }));
}
