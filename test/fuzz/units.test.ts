import { describe, expect, it } from "vitest";
import { scanUnit } from "../../src/formats/unit/unit.ts";
import { fuzz, timeLimit } from "./budget.ts";
import { mutated } from "./mutate.ts";
import { unitTexts } from "./unit-corpus.ts";
import { readUnit, type UnitReading } from "./unit-reader.ts";

function scanned(text: string, dialect: "systemd" | "quadlet"): UnitReading {
  const { sections, assignments, problems } = scanUnit(text, dialect);
  return {
    sections,
    assignments: assignments.map(({ column: _, ...assignment }) => assignment),
    problems: problems.map(({ line }) => line),
  };
}

describe.each(["systemd", "quadlet"] as const)("damaged units, as %s reads them", (dialect) => {
  it("mean the same to a second reader", { timeout: timeLimit }, () => {
    const seen = { assignments: 0, problems: 0 };
    fuzz(1000, (random) => {
      const text = mutated(random.of(unitTexts), unitTexts, random);
      const second = readUnit(text, dialect);
      seen.assignments += second.assignments.length;
      seen.problems += second.problems.length;
      expect(scanned(text, dialect), JSON.stringify(text)).toEqual(second);
    });
    expect(Math.min(seen.assignments, seen.problems)).toBeGreaterThan(300);
  });
});
