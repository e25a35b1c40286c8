import { describe, expect, test } from "vitest";
import { readHostDeclaration } from "../../src/host/repository/host-declaration.ts";

const file = "hosts/box/host.yaml";
describe("host.yaml", () => {
  test("the document's own example is read with the place of each service", () => {
    expect(readHostDeclaration("host: kadath\nservices:\n  - traefik\n  - immich\n", file, "kadath")).toEqual({
      kind: "read",
      declaration: {
        host: "kadath",
        services: [
          { name: "traefik", line: 3, column: 5 },
          { name: "immich", line: 4, column: 5 },
        ],
      },
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
