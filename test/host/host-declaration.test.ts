import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseHostDeclaration, readHostDeclaration } from "../../src/host/repository/host-declaration.ts";
import { readPlainDeclaration } from "../../src/host/repository/plain-declaration.ts";

const file = "hosts/box/host.yaml";
const line = fc.constantFrom(
  "host: box",
  "host: other",
  "host:  box",
  "host: box # x",
  "host: 'box'",
  "services:",
  "services: []",
  "services: [web]",
  "  - web",
  "  - db",
  "  - true",
  "  - No",
  "  - 1a",
  "  - a: b",
  "  - a#b",
  "  - web ",
  " - web",
  "- web",
  "\t- web",
  "",
  "# note",
  "  # note",
  "---",
  "...",
  "  - null",
  "groups: []",
  "  web",
  "  - web\r",
);

describe("host.yaml", () => {
  test("property: where the quick reader has an answer, it is the parser's", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 7 }), fc.boolean(), (lines, final) => {
        const text = lines.join("\n") + (final ? "\n" : "");
        const plain = readPlainDeclaration(text, "box");
        if (plain !== undefined) expect(parseHostDeclaration(text, file, "box")).toEqual({ kind: "read", declaration: plain });
      }),
      { numRuns: 2000 },
    );
  });

  test("the document's own example is read quickly", () => {
    expect(readPlainDeclaration("host: kadath\nservices:\n  - traefik\n  - immich\n", "kadath")).toEqual({
      host: "kadath",
      services: [
        { name: "traefik", line: 3, column: 5 },
        { name: "immich", line: 4, column: 5 },
      ],
    });
  });

  test("other ways to write it mean the same", () => {
    for (const text of [
      "host: box\nservices: [web, db]\n",
      "services:\n- web\n- db\nhost: 'box'\n",
      '# x\nhost: box # y\nservices:\n    - web\n    - "db"\n',
    ]) {
      const read = readHostDeclaration(text, file, "box");
      expect(read.kind === "read" && read.declaration.services.map(({ name }) => name)).toEqual(["web", "db"]);
    }
  });
});
