import { InputError } from "../../core/diagnostic.ts";
import { Exact, mapOf, numberFromText, type Value } from "../../core/value.ts";

/** As deep as formats read: what could never be written to a file is no template. */
const maxDepth = 1000;

/**
 * A template that a program gives as data: only what a config file can hold, with a copy of its own so that nobody
 * changes it underneath.
 */
export function templateData(data: unknown, name: string): Value {
  return checkedValue(data, [], name);
}

/** `path` leads to the data, and is the same list all the way down. */
function checkedValue(data: unknown, path: string[], name: string): Value {
  if (path.length > maxDepth) throw refusal(path, `is nested more than ${maxDepth} levels deep`, name);
  if (data === null || typeof data === "string" || typeof data === "boolean" || data instanceof Exact) return data;
  if (typeof data === "bigint") return numberFromText(String(data));
  if (typeof data === "number") {
    if (Number.isFinite(data)) return data;
    throw refusal(path, `is ${data}`, name);
  }
  if (Array.isArray(data)) return data.map((item, i) => checkedMember(item, String(i), path, name));
  if (!isPlain(data)) {
    const what = typeof data === "object" ? `a ${data?.constructor?.name ?? "special object"}` : typeof data;
    throw refusal(path, `is ${what}`, name);
  }
  // As in JSON, a field that is undefined is not there.
  const fields: [string, Value][] = [];
  for (const field of Object.keys(data)) {
    if (data[field] !== undefined) fields.push([field, checkedMember(data[field], field, path, name)]);
  }
  return mapOf(fields);
}

function checkedMember(data: unknown, step: string, path: string[], name: string): Value {
  path.push(step);
  const value = checkedValue(data, path, name);
  path.pop();
  return value;
}

function refusal(path: readonly string[], what: string, name: string): InputError {
  const where = path.length === 0 ? "it" : path.slice(0, 8).join(".");
  return new InputError({
    code: "malformed-template",
    message: `${where} ${what}, which no config file can hold`,
    file: name,
  });
}

function isPlain(data: unknown): data is Readonly<Record<string, unknown>> {
  if (typeof data !== "object" || data === null) return false;
  const prototype = Object.getPrototypeOf(data);
  // An object of another realm (a test runner's, a worker's) has an Object of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
