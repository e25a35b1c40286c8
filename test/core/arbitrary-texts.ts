import fc from "fast-check";

/** Three versions of a text, as a merge meets them. */
export interface TextVersions {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Cut `cut` lines at a place (a fraction of the length) and put others there. */
interface LineEdit {
  readonly place: number;
  readonly cut: number;
  readonly put: readonly string[];
}

/**
 * Few different lines, a good third of them `}`: the more often a line occurs, the more ways there are to compare two
 * texts.
 */
function arbitraryLine(distinct: number): fc.Arbitrary<string> {
  return fc.nat(distinct).map((n) => (n < distinct / 3 ? "}" : `line ${n}`));
}

function arbitraryEdits(line: fc.Arbitrary<string>, most: number): fc.Arbitrary<LineEdit[]> {
  const edit = fc.record({
    place: fc.integer({ min: 0, max: 999 }),
    cut: fc.nat(3),
    put: fc.array(line, { maxLength: 3 }),
  });
  return fc.array(edit, { maxLength: most });
}

function applyEdits(lines: readonly string[], edits: readonly LineEdit[]): string[] {
  const edited = [...lines];
  for (const { place, cut, put } of edits) edited.splice(Math.floor(((edited.length + 1) * place) / 1000), cut, ...put);
  return edited;
}

/** Endings that differ between the versions, and a last line without one, are as real as any edit. */
function arbitraryText(lines: readonly string[], eol: string): fc.Arbitrary<string> {
  const ending = fc.oneof(
    { weight: 9, arbitrary: fc.constant(eol) },
    { weight: 1, arbitrary: fc.constantFrom("\n", "\r\n") },
  );
  return fc
    .record({ ending, final: fc.nat(3) })
    .map(({ ending, final }) => lines.join(ending) + (final > 0 && lines.length > 0 ? ending : ""));
}

export function arbitraryVersions(size: {
  readonly lines: number;
  readonly edits: number;
}): fc.Arbitrary<TextVersions> {
  return fc
    .record({ distinct: fc.integer({ min: 1, max: size.lines * 2 }), eol: fc.constantFrom("\n", "\n", "\n", "\r\n") })
    .chain(({ distinct, eol }) => {
      const line = arbitraryLine(distinct);
      const edits = arbitraryEdits(line, size.edits);
      const base = fc.array(line, { maxLength: size.lines, size: "max" });
      return fc.tuple(base, edits, edits).chain(([lines, ourEdits, theirEdits]) =>
        fc.record({
          base: arbitraryText(lines, eol),
          ours: arbitraryText(applyEdits(lines, ourEdits), eol),
          theirs: arbitraryText(applyEdits(lines, theirEdits), eol),
        }),
      );
    });
}

/** A pseudo-random long text and an edited copy, the same on every run. */
export function longText(count: number, distinct: number, seed: number): string[] {
  const next = generator(seed);
  return Array.from({ length: count }, (_, at) => (at % 3 === 0 ? "}" : `  line ${next(distinct)}`));
}

/** Changes about `perMille` of a thousand lines in each of four ways. */
export function editedCopy(lines: readonly string[], perMille: number, seed: number): string[] {
  const next = generator(seed);
  return lines.flatMap((line) => {
    const dice = next(1000);
    if (dice < perMille) return [];
    if (dice < 2 * perMille) return [line, `  new ${next(100_000)}`];
    if (dice < 3 * perMille) return [`  changed ${next(100)}`];
    return dice < 4 * perMille ? [line, "}"] : [line];
  });
}

function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
