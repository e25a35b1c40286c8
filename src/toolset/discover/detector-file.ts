import { load } from "js-yaml";
import * as v from "valibot";
import { InputError } from "../../core/diagnostic.ts";
import { issueMessage } from "../../core/schema-issue.ts";
import { parseYaml } from "../render/parse-yaml.ts";
import type { Detector } from "./detectors.ts";

const word = v.pipe(v.string(), v.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, "must be a lower-case word"));

const row = v.strictObject({
  // "http" is what every discovered tool says of itself.
  type: v.pipe(word, v.notValue("http", "must not be 'http'")),
  names: v.pipe(v.array(word), v.minLength(1)),
  "other-components": v.optional(v.array(v.string()), []),
  "port-names": v.optional(v.array(v.string()), []),
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535)),
  path: v.optional(v.pipe(v.string(), v.startsWith("/"))),
  "health-path": v.optional(v.pipe(v.string(), v.startsWith("/")), "/"),
  "tool-name": v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+$/, "must consist of letters, digits, _ and -")),
  description: v.pipe(v.string(), v.minLength(1)),
  holmes: v.optional(
    v.strictObject({ toolsets: v.pipe(v.array(v.string()), v.minLength(1)), "address-field": v.string() }),
  ),
});

const schema = v.strictObject({ detectors: v.array(row) });

/** The user's own rows. They are asked before the built-in ones, so that one may also replace a type. */
export function readDetectors(text: string, file: string): Detector[] {
  const parsed = v.safeParse(schema, parseYaml(text, { file, code: "invalid-detectors" }, load));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new InputError({
      code: "invalid-detectors",
      message: `${v.getDotPath(issue) ?? "detectors"}: ${issueMessage(issue)}`,
      file,
    });
  }
  return parsed.output.detectors.map((each) => ({
    type: each.type,
    names: each.names,
    otherComponents: each["other-components"],
    portNames: each["port-names"],
    port: each.port,
    path: each.path,
    healthPath: each["health-path"],
    toolName: each["tool-name"],
    description: each.description,
    holmes: each.holmes
      ? { kind: "builtin", toolsets: each.holmes.toolsets, addressField: each.holmes["address-field"] }
      : { kind: "http" },
  }));
}
