import fc from "fast-check";
import { expect, it } from "vitest";
import type { Edit, InsertPlace, Trace } from "../../../src/formats/format.ts";
import { toml } from "../../../src/formats/toml/toml.ts";
import { editVerified } from "../../../src/formats/verify/verify.ts";
import { readDocument } from "../conformance-checks.ts";

function edited(text: string, edit: Edit) {
  const result = editVerified(toml, readDocument(toml, text), [edit]);
  if (result.kind === "refused") throw new Error(`${result.message}\n${text}`);
  return result;
}

const gap = fc.constantFrom("", " ", "  ", "\t");

/** Brackets on one line, as nobody's formatter would leave them. */
const lists = fc
  .tuple(fc.constantFrom("[]", "{}"), gap, fc.array(fc.tuple(gap, gap), { maxLength: 4 }), fc.boolean(), gap)
  .map(([ends, open, slots, trailing, close]) => {
    const texts = slots.map(([before, behind], i) => {
      const isLast = i === slots.length - 1;
      return `${before}${ends === "{}" ? `k${i}=` : ""}${i}${behind}${isLast && !trailing ? "" : ","}`;
    });
    return { text: `a = ${ends[0]}${open}${texts.join("")}${close}${ends[1]} # c\n`, count: slots.length };
  });

/** Installs one entry at a place and takes it out again. */
function thereAndBack(text: string, place: InsertPlace): string {
  const isList = text.includes("[");
  const into = edited(text, { kind: "insert", into: ["a"], name: isList ? undefined : "new", value: "x", place });
  const trace: Trace | undefined = into.traces.get(0);
  const items = readDocument(toml, into.text).root.get("a")!.value();
  const at = isList ? (items as readonly unknown[]).indexOf("x") : "new";
  const inner = into.inners.get(0);
  const back: Edit =
    inner === undefined ? { kind: "remove", at: ["a", at], trace } : { kind: "clear", at: ["a"], inner };
  return edited(into.text, back).text;
}

it("what stands between brackets on one line comes back byte for byte, whatever its gaps and last comma", () => {
  fc.assert(
    fc.property(lists, fc.nat(), fc.constantFrom("end", "after", "before"), ({ text, count }, choice, side) => {
      const i = count === 0 ? 0 : choice % count;
      const sibling = text.includes("[") ? i : `k${i}`;
      const place = side === "end" || count === 0 ? "end" : side === "after" ? { after: sibling } : { before: sibling };
      expect(thereAndBack(text, place), text).toBe(text);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["a = [1,2,  3]\n", "a = [1,2,8,9,  3]\n"],
  ["a = [ 1 ,2,]\n", "a = [ 1 ,8,9,2,]\n"],
])("%j: entries of two releases go in any order", (text, expected) => {
  const after = { after: text.includes("3") ? 1 : 0 };
  const one = edited(text, { kind: "insert", into: ["a"], name: undefined, value: 9, place: after });
  const two = edited(one.text, { kind: "insert", into: ["a"], name: undefined, value: 8, place: after });
  expect(two.text).toBe(expected);
  for (const order of [
    [8, 9],
    [9, 8],
  ]) {
    const removed = order.reduce((now, value) => {
      const at = (readDocument(toml, now).root.get("a")!.value() as readonly unknown[]).indexOf(value);
      return edited(now, { kind: "remove", at: ["a", at] }).text;
    }, two.text);
    expect(removed).toBe(text);
  }
});
