import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hashBoth } from "../../src/store/gate/content.ts";

const plainHash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

it("hashes two contents as if each were alone, wherever they part", () => {
  const block = 1 << 18;
  const around = fc
    .tuple(fc.nat(3), fc.integer({ min: -2, max: 2 }))
    .map(([blocks, more]) => Math.max(0, blocks * block + more));
  fc.assert(
    fc.property(around, around, fc.option(around, { nil: undefined }), (first, second, changed) => {
      const [a, b] = [Buffer.alloc(first, "some text\n"), Buffer.alloc(second, "some text\n")];
      if (changed !== undefined && changed < b.length) b[changed] = 0;
      expect(hashBoth(a, b)).toEqual([plainHash(a), plainHash(b)]);
    }),
    { numRuns: 100 },
  );
});
