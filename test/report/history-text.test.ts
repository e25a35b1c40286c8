import { expect, it } from "vitest";
import { backTo, historyText } from "../../src/cli/files/rollback.ts";
import { paint } from "../../src/report/colour.ts";

const generations = [
  {
    number: 9,
    time: "2026-01-01T10:00:00.123Z",
    version: "1.0",
    from: null,
    note: "apply",
    files: [{ path: "/home/a/app.json" }],
  },
  {
    number: 10,
    time: "2026-01-02T10:00:00.123Z",
    version: "2.0",
    from: "1.0",
    note: "apply",
    files: [{ path: "/home/a/app.json" }],
  },
  { number: 11, time: "2026-01-03T10:00:00.123Z", version: "1.0", from: "2.0", note: "rollback to 9", files: [] },
];

it("is in columns, whatever was done", () => {
  expect(
    historyText(generations, "/home/a", paint(false)),
  ).toBe(`   9  2026-01-01 10:00:00Z  apply          1.0        ~/app.json
  10  2026-01-02 10:00:00Z  apply          1.0 → 2.0  ~/app.json
  11  2026-01-03 10:00:00Z  rollback to 9  2.0 → 1.0  records only
`);
  expect(historyText([], "/home/a", paint(false))).toBe("");
});

it("says where going back leads", () => {
  expect(backTo(9, generations)).toBe("back to generation 9 (apply, 2026-01-01 10:00:00Z)");
  expect(backTo(0, generations)).toBe("back to before it was installed");
});
