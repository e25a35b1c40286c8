import { loadAll } from "js-yaml";
import * as v from "valibot";
import { InputError, issueMessage } from "../../core/diagnostic.ts";
import { endOfString } from "../../core/value.ts";
import { type ConfigMap, faultOfConfigMap, isConfigMap } from "../render/configmap.ts";
import { parseYaml, readBySchema } from "../render/yaml.ts";
import { refText } from "../tool.ts";
import type { Detector } from "./detectors.ts";
import { type KubeService, serviceSchema } from "./service.ts";

interface KubeObject {
  readonly kind?: unknown;
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
  readonly data?: unknown;
  readonly items?: unknown;
}

/**
 * The Services of a text as `kubectl get services -o yaml` (or `-o json`) prints it. Objects of other kinds are passed
 * over.
 */
export function readServices(text: string, file: string): KubeService[] {
  const objects = readObjects(text, file);
  // What a kubectl that failed leaves in a pipe must not take every tool away.
  if (objects.length === 0) throw malformed(file, "it is empty; a cluster without Services gives a List with no items");
  const services = objects.filter((object) => object.kind === "Service");
  if (services.length === 0 && !objects.some(isEmptyList)) {
    const what = textOr(objects[0]?.kind, "something without a kind");
    throw malformed(file, `it holds no Service (but ${what}); expected a List of Services, or Services as documents`);
  }
  const byName = new Map<string, KubeService>();
  for (const service of services.map((each) => readService(each, file))) {
    const name = refText(service.metadata);
    const known = byName.get(name) ?? service;
    if (JSON.stringify(known) !== JSON.stringify(service))
      throw malformed(file, `Service ${name} stands in it twice, and not alike; take one out`);
    byName.set(name, service);
  }
  return [...byName.values()];
}

function readService(service: KubeObject, file: string): KubeService {
  const parsed = v.safeParse(serviceSchema, service);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const name = textOr(service.metadata?.name, "without a name");
  throw malformed(file, `Service ${name}: ${v.getDotPath(issue)}: ${issueMessage(issue)}`);
}

/**
 * The ConfigMaps of a text. An empty text is none: a kubectl that failed leaves one, and it must not pass for a cluster
 * without them.
 */
export function readConfigMaps(text: string, file: string): ConfigMap[] {
  const objects = readObjects(text, file);
  if (objects.length === 0) throw malformed(file, "it is empty; if there is no ConfigMap yet, leave --configmap out");
  const other = objects.find((object) => object.kind !== "ConfigMap" && !isEmptyList(object));
  if (other) throw malformed(file, `expected a ConfigMap, not ${textOr(other.kind, "something without a kind")}`);
  const maps = objects.filter((object) => object.kind === "ConfigMap");
  for (const map of maps) {
    const fault = faultOfConfigMap(map);
    if (fault !== undefined) throw malformed(file, fault);
  }
  return maps.filter(isConfigMap);
}

function readObjects(text: string, file: string): KubeObject[] {
  return parseDocuments(text, file).flatMap((document): KubeObject[] => {
    if (document === null || document === undefined) return [];
    if (!isObject(document)) throw malformed(file, notObjects);
    const object: KubeObject = document;
    if (!Array.isArray(object.items)) return [object];
    const kind = textOr(object.kind, "").replace(/List$/, "");
    if (object.items.length === 0) return [object];
    if (!object.items.every(isObject)) throw malformed(file, notObjects);
    return object.items.map((item: KubeObject) => (item.kind === undefined ? { ...item, kind } : item));
  });
}

const notObjects = "expected Kubernetes objects (apiVersion, kind, metadata)";

function isObject(value: unknown): value is KubeObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Never made of something else: a list of aliases written out can be longer than any text. */
function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

/** A program in Go may print a list that holds nothing as null. */
function isEmptyList({ kind, items }: KubeObject): boolean {
  return Array.isArray(items) ? items.length === 0 : items === null && textOr(kind, "").endsWith("List");
}

/** JSON is YAML, too, but its own reader is many times quicker on what a large cluster prints. */
function parseDocuments(text: string, file: string): unknown[] {
  if (text.trimStart().startsWith("{")) {
    try {
      return splitJson(text).map((each) => JSON.parse(each) as unknown);
    } catch {
      // Flow-style YAML, or broken: the YAML reader knows, and says where.
    }
  }
  return parseYaml(text, { file, code: "malformed-input" }, (yaml) => loadAll(yaml));
}

/** Objects one behind the other, as several runs of kubectl print them. */
function splitJson(text: string): string[] {
  const objects: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === "{" || sign === "[") depth++;
    else if ((sign === "}" || sign === "]") && --depth === 0) {
      objects.push(text.slice(start, at + 1));
      start = at + 1;
    }
  }
  return text.slice(start).trim() === "" ? objects : [...objects, text.slice(start)];
}

function malformed(file: string, message: string): InputError {
  return new InputError({ code: "malformed-input", message, file });
}

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
  const { detectors } = readBySchema(text, schema, { file, code: "invalid-detectors", what: "detectors" });
  return detectors.map(({ type, names, port, path, description, holmes, ...each }) => ({
    type,
    names,
    otherComponents: each["other-components"],
    portNames: each["port-names"],
    port,
    path,
    healthPath: each["health-path"],
    toolName: each["tool-name"],
    description,
    holmes: holmes
      ? { kind: "builtin", toolsets: holmes.toolsets, addressField: holmes["address-field"] }
      : { kind: "http" },
  }));
}
