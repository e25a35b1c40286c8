import { canonicalText, type Value } from "../core/value.ts";
import { printableLine } from "./colour.ts";

/** A value in a few words of one line. */
export function brief(value: Value | undefined, width = 72): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? JSON.stringify(value) : canonicalText(value);
  return printableLine(text.length > width ? `${text.slice(0, width - 3)}…` : text);
}

/** A path as a person would say it. */
export function tilde(path: string, home: string): string {
  return printableLine(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}

/** `1 entry`, `2 entries`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
