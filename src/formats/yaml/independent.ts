import { CORE_SCHEMA, defineMappingTag, defineScalarTag, defineSequenceTag, loadAll, YAMLException } from "js-yaml";
import { maxDepth } from "./limits.ts";
import { taggedText } from "./scalar.ts";

/**
 * YAML read by js-yaml, which shares no code with the reader that finds our ranges. Types are those of YAML 1.2, `<<` is a name like
 * any other, and foreign tags are kept as `read` keeps them. Throws where js-yaml does.
 */
export function readIndependently(text: string): unknown {
  const documents = loadTolerantly(text);
  if (documents.length > 1) throw new Error("the file holds several documents");
  return documents[0] ?? {};
}

/** More closing brackets than this at the margin, and the file is refused: each costs a further attempt. */
const maxOutdentedClosers = 64;

/**
 * Many people close a flow collection at the margin of the key that opened it. The specification wants one space more, and js-yaml is
 * strict about it; a space before a closing bracket changes no value, so the second reader is given one.
 */
function loadTolerantly(text: string): unknown[] {
  let attempt = text;
  for (let tries = 0; ; tries++) {
    try {
      return loadAll(attempt, { schema, maxDepth: maxDepth + 1, maxAliases: -1 });
    } catch (error) {
      const at = outdentedCloser(error, attempt);
      if (at === undefined || tries === maxOutdentedClosers) throw error;
      attempt = `${attempt.slice(0, at)} ${attempt.slice(at)}`;
    }
  }
}

function outdentedCloser(error: unknown, text: string): number | undefined {
  if (!(error instanceof YAMLException) || error.reason !== "deficient indentation") return undefined;
  const at = error.mark?.position;
  return at !== undefined && (text[at] === "}" || text[at] === "]") ? at : undefined;
}

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
