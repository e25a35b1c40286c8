import { describe, expect, test } from "vitest";
import { complainTo, type HostDiagnostic } from "../../src/host/diagnostics.ts";
import { readHostDeclaration } from "../../src/host/repository/host-declaration.ts";

const file = "hosts/box/host.yaml";
describe("host.yaml", () => {
  test("the document's own example is read with the place of each service", () => {
    const diagnostics: HostDiagnostic[] = [];
    const text = "host: kadath\nservices:\n  - traefik\n  - immich\n";
    expect(readHostDeclaration(text, file, "kadath", complainTo(diagnostics))).toEqual([
      { name: "traefik", line: 3, column: 5 },
      { name: "immich", line: 4, column: 5 },
    ]);
    expect(diagnostics).toEqual([]);
  });

  test("other ways to write it mean the same", () => {
    for (const text of [
      "host: box\nservices: [web, db]\n",
      "services:\n- web\n- db\nhost: 'box'\n",
      '# x\nhost: box # y\nservices:\n    - web\n    - "db"\n',
    ]) {
      const read = readHostDeclaration(text, file, "box", complainTo([]));
      expect(read?.map(({ name }) => name)).toEqual(["web", "db"]);
    }
  });
});
