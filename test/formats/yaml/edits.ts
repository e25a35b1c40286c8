import { expect } from "vitest";
import type { Value } from "../../../src/core/value.ts";
import type { Document, Edit, EditResult, InsertEdit, InsertPlace, Path } from "../../../src/formats/format.ts";
import { editVerified } from "../../../src/formats/verify/verify.ts";
import { yaml } from "../../../src/formats/yaml/yaml.ts";

export function read(text: string): Document {
  const result = yaml.read(text);
  if (result.kind === "malformed") throw new Error(`${result.message} at ${result.offset}`);
  return result.document;
}

export function malformed(text: string): { message: string; offset: number } {
  const result = yaml.read(text);
  if (result.kind !== "malformed") throw new Error(`reads well: ${text}`);
  return { message: result.message, offset: result.offset };
}

type Edited = Extract<EditResult, { kind: "edited" }>;

export function edit(text: string, ...edits: Edit[]): Edited {
  const result = editVerified(yaml, read(text), edits);
  if (result.kind === "refused") throw new Error(result.message);
  return result;
}

export function edited(text: string, ...edits: Edit[]): string {
  return edit(text, ...edits).text;
}

export function refusal(text: string, ...edits: Edit[]): string {
  const result = editVerified(yaml, read(text), edits);
  expect(result.kind).toBe("refused");
  return result.kind === "refused" ? result.message : "";
}

export function insert(into: Path, name: string | undefined, value: Value, place: InsertPlace = "end"): InsertEdit {
  return { kind: "insert", into, name, value, place };
}

export const set = (at: Path, value: Value): Edit => ({ kind: "set", at, value });
export const remove = (at: Path): Edit => ({ kind: "remove", at });
