import { describe, expect, it } from "vitest";
import type { Format, Node } from "../../src/formats/format.ts";
import { compareData } from "../../src/formats/verify/compare.ts";
import { fuzz, timeLimit } from "./budget.ts";
import { corpora } from "./corpus.ts";
import { mutated } from "./mutate.ts";

/** Everything a node can be asked, all the way down. Every range must lie in the text. */
function askEverything(node: Node, length: number): void {
  for (const { start, end } of [...node.ranges, ...node.entryRanges])
    if (!(start >= 0 && start <= end && end <= length))
      throw new Error(`a range from ${start} to ${end} in a text of ${length}`);
  node.comments();
  node.locked();
  node.fixed();
  for (const name of node.names()) {
    const child = node.get(name);
    if (child === undefined) throw new Error(`${JSON.stringify(name)} is named and not there`);
    askEverything(child, length);
  }
  for (const item of node.items()) askEverything(item, length);
}

function independently(format: Format, text: string): { kind: "data"; data: unknown } | { kind: "refused" } {
  try {
    // The dotenv package puts variables into an object like any other, where this one is lost: edits of it are refused.
    if (format.name === "dotenv" && text.includes("__proto__")) return { kind: "refused" };
    return { kind: "data", data: format.readIndependently(text) };
  } catch {
    return { kind: "refused" };
  }
}

describe.each(corpora)("$format.name, on damaged documents", ({ format, texts }) => {
  it("reads or says what is wrong, and what it reads is what a second reader reads", { timeout: timeLimit }, () => {
    const seen = { malformed: 0, alike: 0, refused: 0 };
    fuzz(600, (random) => {
      const text = mutated(random.of(texts), texts, random);
      const result = format.read(text);
      if (result.kind === "malformed") {
        seen.malformed++;
        if (result.offset < 0 || result.offset > text.length)
          throw new Error(`an error at ${result.offset}: ${JSON.stringify(text)}`);
        return;
      }
      askEverything(result.document.root, text.length);
      const second = independently(format, text);
      // What only one of them takes can still be read, but is never written: every edit is checked by the second.
      if (second.kind === "refused") {
        seen.refused++;
        return;
      }
      seen.alike++;
      const where = compareData(result.document.root.value(), second.data);
      if (where !== undefined) throw new Error(`the readers differ at ${where}: ${JSON.stringify(text)}`);
    });
    // Mutations that only ever broke a document, or never did, would prove little.
    expect(Math.min(seen.malformed, seen.alike)).toBeGreaterThan(30);
    expect(seen.refused).toBeLessThan(seen.alike);
  });
});
