import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  FAILSAFE_SCHEMA,
  loadAll,
  type Schema,
  YAMLException,
} from "js-yaml";
import type { Value } from "../../core/value.ts";
import { maxDepth, readersDiffer } from "../limits.ts";
import { lineStart } from "../lines.ts";
import { scalarValue, taggedText } from "./scalar.ts";

/**
 * YAML read by js-yaml, which shares no code with the reader that finds our ranges. Types are those of YAML 1.2, `<<`
 * is a name like any other, and foreign tags are kept as `read` keeps them. Throws where js-yaml does.
 */
export function readIndependently(text: string): unknown {
  return readAs(text, schema);
}

/** The same as values, in which a number that a double can't hold is kept as it is written. For texts without tags. */
export function readValues(text: string): Value {
  return readAs(text, values) as Value;
}

/** A text of this length is read by the careful reader in no time, and can't be a bomb. */
const shortText = 64 * 1024;

/** Anchors, aliases, tags, directives, keys with `?`, octal numbers, and what readers take for different line ends. */
const rare = /[&!%\r\ufeff]|<<|^\s*-{3}|(?:^|[-:[{,\s])[*?]|0o|^[^\n]*\t/m;

/**
 * The values of a short text in which nothing is rare, many times as quick to load as the careful reader; undefined for
 * any other, and where something is wrong: only the careful reader says what, and where.
 */
export function readPlainly(text: string): Value | undefined {
  if (text.length > shortText || rare.test(text)) return undefined;
  try {
    return readValues(text);
  } catch {
    return undefined;
  }
}

function readAs(text: string, types: Schema): unknown {
  if (endsInBlanks(text) && /[|>][1-9]?\+/.test(text))
    throw new Error(readersDiffer("a last line of nothing but blanks"));
  const documents = loadTolerantly(text, types);
  if (documents.length > 1) throw new Error("the file holds several documents");
  return documents[0] ?? {};
}

/** Some readers count such a line in a text that keeps its line ends (`|+`). */
function endsInBlanks(text: string): boolean {
  let at = text.length;
  while (text[at - 1] === " " || text[at - 1] === "\t") at--;
  return at < text.length && text[at - 1] === "\n";
}

/** How often js-yaml may be stricter than people are before a file is refused: each time costs another attempt. */
const maxForgiven = 64;

/**
 * js-yaml wants a closing bracket deeper than its key, where many people put it at the margin, and takes a tab in a
 * flow collection for indentation. A space instead changes no value there, so it gets one. Should that hit a tab inside
 * a string, the two readers disagree and the file is refused.
 */
function loadTolerantly(text: string, types: Schema): unknown[] {
  let attempt = text;
  for (let tries = 0; ; tries++) {
    try {
      return loadAll(attempt, { schema: types, maxDepth: maxDepth + 1, maxAliases: -1 });
    } catch (error) {
      const forgiven = forgive(error, attempt);
      if (forgiven === undefined || tries === maxForgiven) throw error;
      attempt = forgiven;
    }
  }
}

function forgive(error: unknown, text: string): string | undefined {
  if (!(error instanceof YAMLException) || error.reason !== "deficient indentation") return undefined;
  const at = error.mark?.position;
  if (at === undefined) return undefined;
  const tab = text.lastIndexOf("\t", at);
  if (tab >= lineStart(text, at)) return `${text.slice(0, tab)} ${text.slice(tab + 1)}`;
  return text[at] === "}" || text[at] === "]" ? `${text.slice(0, at)} ${text.slice(at)}` : undefined;
}

const values = FAILSAFE_SCHEMA.withTags([
  defineScalarTag<Value>("!plain", {
    implicit: true,
    implicitFirstChars: null,
    resolve: (text) => scalarValue({ text, plain: true, tag: undefined }),
    identify: () => false,
  }),
]);

/** Every tag that the core schema does not know, local or global. */
const anyTag = ["!", "tag:"];

const schema = CORE_SCHEMA.withTags(
  anyTag.map((prefix) =>
    defineScalarTag(prefix, {
      matchByTagPrefix: true,
      resolve: (source, _isExplicit, tag) => taggedText(tag, source),
      identify: () => false,
    }),
  ),
  anyTag.map((prefix) =>
    defineSequenceTag<unknown[]>(prefix, {
      matchByTagPrefix: true,
      create: () => [],
      addItem: (list, item) => {
        list.push(item);
      },
      identify: () => false,
    }),
  ),
  anyTag.map((prefix) =>
    defineMappingTag<Record<string, unknown>>(prefix, {
      matchByTagPrefix: true,
      create: () => Object.create(null),
      addPair: (map, key, value) => {
        if (typeof key === "object" && key !== null) return "a key that is a list or a map";
        map[String(key)] = value;
        return "";
      },
      has: (map, key) => Object.hasOwn(map, String(key)),
      keys: Object.keys,
      get: (map, key) => map[String(key)],
      identify: () => false,
    }),
  ),
);
