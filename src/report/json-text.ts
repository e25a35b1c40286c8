import type { Diagnostic } from "../core/diagnostic.ts";
import { Exact } from "../core/value.ts";

/**
 * A document as JSON for people and programs. A number that no double holds stands there as it was written; other odd
 * scalars as text.
 */
export function jsonText(document: unknown): string {
  return plainText(document, 2) ?? write(document, "\n");
}

/**
 * The same on one line, for a stream of documents. Inside strings line ends are escaped, so every other is only layout.
 */
export function jsonLine(document: unknown): string {
  return plainText(document, 0) ?? write(document, "\n").replaceAll(/\n */g, "");
}

/** Undefined where there is a scalar that JSON can't tell. */
function plainText(document: unknown, indentation: number): string | undefined {
  let odd = false;
  const text = JSON.stringify(
    document,
    function (this: Readonly<Record<string, unknown>>, name, value) {
      odd ||= this[name] instanceof Exact;
      return value;
    },
    indentation,
  );
  return odd ? undefined : text;
}

/** The same text as `JSON.stringify(value, undefined, 2)`; `line` begins a line at the depth of the value. */
function write(value: unknown, line: string): string {
  if (value instanceof Exact)
    return value.kind === "number" && jsonNumber.test(value.text) ? value.text : JSON.stringify(value.text);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = `${line}  `;
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : `[${inner}${value.map((item) => write(item, inner)).join(`,${inner}`)}${line}]`;
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return "{}";
  return `{${inner}${fields.map(([name, field]) => `${JSON.stringify(name)}: ${write(field, inner)}`).join(`,${inner}`)}${line}}`;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * What `--json` prints where a command could not do its work: a document like any other, in which nothing changes, with
 * the reason.
 */
export function failureDocument(diagnostics: readonly Diagnostic[]): string {
  return `${jsonText({ format_version: 1, changed: 0, summary: {}, entries: [], files: [], diagnostics })}\n`;
}
