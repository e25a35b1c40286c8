import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMap, type Value } from "../../../src/core/value.ts";
import type { Edit, Path, Trace } from "../../../src/formats/format.ts";
import { toml } from "../../../src/formats/toml/toml.ts";
import { editVerified } from "../../../src/formats/verify/verify.ts";
import { containersOf } from "../conformance-cases.ts";
import { readDocument, valueAt } from "../conformance-checks.ts";
import { documents } from "./documents.ts";

interface Installed {
  readonly at: Path;
  readonly trace: Trace | undefined;
  /** What stood between the ends of the container when it was empty: the registry keeps that for the container. */
  readonly inner: string | undefined;
}

const values: readonly Value[] = [
  "text",
  { command: "x", env: { A: "1" } },
  [{ c: 1 }, { d: { e: 2 } }],
  {},
  [1, 2],
  7,
];

/** One insertion a release, each into the file as the one before left it. */
function install(
  text: string,
  containers: readonly Path[],
  choices: readonly number[],
): { text: string; installed: Installed[] } {
  const installed: Installed[] = [];
  let now = text;
  for (const [i, into] of containers.entries()) {
    const value = values[choices[i]! % values.length]!;
    const result = edited(now, [{ kind: "insert", into, name: `new-${i}`, value, place: "end" }]);
    const earlier = installed.find(({ at }) => String(at.slice(0, -1)) === String(into))?.inner;
    installed.push({ at: [...into, `new-${i}`], trace: result.traces.get(0), inner: earlier ?? result.inners.get(0) });
    now = result.text;
  }
  return { text: now, installed };
}

function removal(text: string, { at, trace, inner }: Installed): Edit {
  const container = at.slice(0, -1);
  const isLast = valueAt(readDocument(toml, text).root, container).names().length === 1;
  return isLast && inner !== undefined ? { kind: "clear", at: container, inner } : { kind: "remove", at, trace };
}

function edited(text: string, edits: readonly Edit[]) {
  const result = editVerified(toml, readDocument(toml, text), edits);
  if (result.kind === "refused") throw new Error(`${result.message}\n${text}`);
  return result;
}

function removeOne(text: string, entry: Installed): string {
  return edited(text, [removal(text, entry)]).text;
}

/** Containers by random positions. */
function chosenMaps(value: Value, choices: readonly number[]): Path[] {
  const maps = [...containersOf(value)].filter((container) => isMap(container.value));
  return choices.map((choice) => maps[(choice >> 4) % maps.length]!.path);
}

const choices = fc.array(fc.nat({ max: 0xfff }), { minLength: 4, maxLength: 4 });

describe("several releases", () => {
  it("are taken out again one by one, the last first", () => {
    fc.assert(
      fc.property(documents, choices, (sample, chosen) => {
        const { text, installed } = install(sample.text, chosenMaps(sample.value, chosen), chosen);
        expect(installed.reverse().reduce(removeOne, text), text).toBe(sample.text);
      }),
      { numRuns: 150 },
    );
  });

  it("are taken out again one by one, the first first", () => {
    fc.assert(
      fc.property(documents, choices, (sample, chosen) => {
        const places = chosenMaps(sample.value, chosen);
        const distinct = places.filter(
          (place, i) => places.findIndex((other) => String(other) === String(place)) === i,
        );
        const { text, installed } = install(sample.text, distinct, chosen);
        expect(installed.reduce(removeOne, text), text).toBe(sample.text);
      }),
      { numRuns: 150 },
    );
  });

  it("are taken out all at once", () => {
    fc.assert(
      fc.property(documents, choices, (sample, chosen) => {
        const { text, installed } = install(sample.text, chosenMaps(sample.value, chosen), chosen);
        const { root } = readDocument(toml, sample.text);
        const edits = new Map<string, Edit>();
        for (const { at, trace, inner } of installed) {
          const container = at.slice(0, -1);
          const wasEmpty = inner !== undefined && valueAt(root, container).names().length === 0;
          if (wasEmpty) edits.set(JSON.stringify(container), { kind: "clear", at: container, inner });
          else edits.set(JSON.stringify(at), { kind: "remove", at, trace });
        }
        expect(edited(text, [...edits.values()]).text, text).toBe(sample.text);
      }),
      { numRuns: 150 },
    );
  });
});
