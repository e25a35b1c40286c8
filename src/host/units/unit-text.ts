import {
  type Assignment,
  type ScannedUnit,
  scanUnit,
  type UnitDialect,
  type UnitProblem,
} from "../../formats/unit/unit.ts";
import { quadletSectionOf } from "./unit-keys.ts";
import type { UnitName } from "./unit-kind.ts";

/** Who reads a unit's own file and its drop-ins. */
export function dialectOf(unit: UnitName): UnitDialect {
  return unit.family === "quadlet" ? "quadlet" : "systemd";
}

/** A shared file is scanned once, however many hosts use it. */
const scans: Readonly<Record<UnitDialect, WeakMap<Uint8Array, ScannedUnit>>> = {
  quadlet: new WeakMap(),
  systemd: new WeakMap(),
};

export function scanBytes(bytes: Uint8Array, dialect: UnitDialect): ScannedUnit {
  let scanned = scans[dialect].get(bytes);
  if (scanned === undefined) {
    scanned = decodeAndScan(bytes, dialect);
    scans[dialect].set(bytes, scanned);
  }
  return scanned;
}

function decodeAndScan(bytes: Uint8Array, dialect: UnitDialect): ScannedUnit {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const scanned = scanUnit(text, dialect);
  const invalid = firstInvalid(bytes, text);
  return invalid === undefined ? scanned : { ...scanned, problems: [...scanned.problems, invalid] };
}

/** A unit is text. What is not UTF-8 shows as a replacement character that the file itself does not hold. */
function firstInvalid(bytes: Uint8Array, text: string): UnitProblem | undefined {
  if (text.includes("\0")) return problemAt(text, text.indexOf("\0"), "holds a zero byte: a unit is text");
  if (!text.includes("\u{fffd}") || Buffer.from(text).equals(bytes)) return undefined;
  return problemAt(text, text.indexOf("\u{fffd}"), "is not UTF-8: a unit is text");
}

function problemAt(text: string, offset: number, message: string): UnitProblem {
  const before = text.slice(0, offset);
  return { message, line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The last `ServiceName=` counts, as of any key with one value. Hardly a unit has one. */
export function serviceNameIn(unit: UnitName, parts: readonly Uint8Array[]): string | undefined {
  if (unit.family === "native") return undefined;
  const section = quadletSectionOf(unit.type);
  const isName = (assignment: Assignment) => assignment.key === "ServiceName" && assignment.section === section;
  return parts.flatMap((bytes) => scanBytes(bytes, "quadlet").assignments.findLast(isName) ?? []).at(-1)?.value;
}
