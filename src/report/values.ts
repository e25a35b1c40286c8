import { canonicalText, type Value } from "../core/value.ts";
import { printableLine } from "./colour.ts";

/** A value in a few words of one line. */
export function brief(value: Value | undefined, width = 72): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? JSON.stringify(value) : canonicalText(value);
  return printableLine(text.length > width ? `${text.slice(0, width - 3)}…` : text);
}

/** A path as a person would say it: below the home as manifests and records spell it, on Windows too. */
export function tilde(path: string, home: string): string {
  const rest = path.startsWith(home) ? path.slice(home.length) : undefined;
  if (rest === "" || rest?.startsWith("/")) return printableLine(`~${rest}`);
  const isOfWindows = /^(?:[A-Za-z]:|\\\\)/.test(home);
  return printableLine(isOfWindows && rest?.startsWith("\\") ? `~${rest.replaceAll("\\", "/")}` : path);
}

/** A time of the history, to the second; all of them are UTC. */
export function moment(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")}Z`;
}

/** `1 entry`, `2 entries`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
