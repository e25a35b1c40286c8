import { InputError } from "../core/diagnostic.ts";

/** Refuses what the types refuse: a program without types learns what to pass. */
export function insist(isRight: boolean, message: string): void {
  if (!isRight) throw new InputError({ code: "usage", message });
}

/** `what`: the function and its parameter, such as `blame: the file`. */
export function insistOnText(value: unknown, what: string): void {
  insist(typeof value === "string", `${what} is a text, not ${kindOf(value)}`);
}

export function insistOnTexts(value: unknown, what: string): void {
  const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
  insist(isList, `${what} are a list of texts, not ${Array.isArray(value) ? "of something else" : kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
