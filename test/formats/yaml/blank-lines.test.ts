import fc from "fast-check";
import { expect, it } from "vitest";
import type { Value } from "../../../src/core/value.ts";
import type { Edit, InsertPlace } from "../../../src/formats/format.ts";
import { edit, edited, insert, read } from "./edits.ts";

it.each<[string, InsertPlace, Value, string]>([
  ["a:\n  x: 1\n\nb:\n  x: 2\n", "end", { x: 3 }, "a:\n  x: 1\n\nb:\n  x: 2\n\nnew:\n  x: 3\n"],
  ["a:\n  x: 1\n\nb:\n  x: 2", "end", { x: 3 }, "a:\n  x: 1\n\nb:\n  x: 2\n\nnew:\n  x: 3"],
  ["a: 1\r\n\r\nb: 2\r\n", { before: "a" }, 3, "new: 3\r\n\r\na: 1\r\n\r\nb: 2\r\n"],
  ["a: 1\nb: 2\n\nc:\n  x: 1\n", { after: "a" }, 3, "a: 1\nnew: 3\nb: 2\n\nc:\n  x: 1\n"],
  ["a: 1\nb: 2\n\nc:\n  x: 1\n", { after: "b" }, 3, "a: 1\nb: 2\nnew: 3\n\nc:\n  x: 1\n"],
  ["a: 1\nb: 2\n\nc:\n  x: 1\n", { after: "b" }, { z: 2 }, "a: 1\nb: 2\n\nnew:\n  z: 2\n\nc:\n  x: 1\n"],
  ["a: 1\n\n\nb: 2\n\n# end\n", "end", 3, "a: 1\n\n\nb: 2\n\n\nnew: 3\n\n# end\n"],
  ["a: 1\n\nb: |+\n  text\n\n", "end", 3, "a: 1\n\nb: |+\n  text\n\nnew: 3\n"],
  ["a:\n  x: 1\n", "end", { x: 3 }, "a:\n  x: 1\nnew:\n  x: 3\n"],
])("%j: a new entry is set off as its siblings are, and goes with its blank lines", (text, place, value, expected) => {
  const result = edit(text, insert([], "new", value, place));
  expect(result.text).toBe(expected);
  expect(edited(result.text, { kind: "remove", at: ["new"], trace: result.traces.get(0) })).toBe(text);
});

it("a new item is set off as its siblings are", () => {
  const text = "steps:\n  - run: a\n\n  - run: b\n";
  const result = edit(text, insert(["steps"], undefined, { run: "c" }), insert(["steps"], undefined, { run: "d" }));
  expect(result.text).toBe("steps:\n  - run: a\n\n  - run: b\n\n  - run: c\n\n  - run: d\n");
  const removals = [2, 3].map((at, i): Edit => ({ kind: "remove", at: ["steps", at], trace: result.traces.get(i) }));
  expect(edited(result.text, ...removals)).toBe(text);
});

/** Sections with whatever stands between them in real files. */
const between = fc.constantFrom("", "\n", "\n\n", "# about\n", "\n# about\n", "# about\n\n", "  \n");
const bodies = fc.constantFrom(" 1\n", "\n  x: 1\n", "\n  - 1\n\n  - 2\n", " |\n  text\n", " |+\n  text\n\n", " [1]\n");
const files = fc
  .tuple(fc.array(fc.tuple(bodies, between), { minLength: 1, maxLength: 5 }), fc.boolean(), fc.boolean())
  .map(([parts, endsBare, crlf]) => {
    const whole = parts.map(([body, gap], i) => `k${i}:${body}${gap}`).join("");
    const text = endsBare ? whole.trimEnd() : whole;
    return { text: crlf ? text.replaceAll("\n", "\r\n") : text, count: parts.length };
  });

it("what two releases add is gone byte for byte once both are out, in whichever order", () => {
  const choice = fc.tuple(
    fc.nat(),
    fc.constantFrom("end", "after", "before"),
    fc.constantFrom<Value>(1, { x: 1 }, [1]),
  );
  fc.assert(
    fc.property(files, choice, choice, fc.boolean(), ({ text, count }, one, two, firstFirst) => {
      let now = text;
      const added = [one, two].map(([at, side, value], i) => {
        const sibling = `k${at % count}`;
        const place = side === "end" ? "end" : side === "after" ? { after: sibling } : { before: sibling };
        const result = edit(now, insert([], `new${i}`, value, place));
        now = result.text;
        return { kind: "remove", at: [`new${i}`], trace: result.traces.get(0) } as const;
      });
      for (const each of firstFirst ? added : added.reverse()) now = edited(now, each);
      expect(now, read(text).text).toBe(text);
    }),
    { numRuns: 150 },
  );
});
