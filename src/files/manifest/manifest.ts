import * as v from "valibot";
import { inputsIn } from "../../identity/profiles/runtimes.ts";
import { formatNames, ruleSchema, selectorSchema, strategies } from "../../readings/reading-data.ts";
import { isOwnerName } from "../../store/records/state-dir.ts";

/** `stet.yaml`, as the contract words it. The JSON Schema that ships with the package is made of this. */

/**
 * An owner's name is a folder of the state directory and a marker in text files, so it is kept to what is safe in both.
 */
const ownerName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "a name is letters, digits, dots, dashes and underscores, at most 64"),
  v.check(isOwnerName, "stet itself or the operating system uses this name; choose another"),
);
const text = v.pipe(v.string(), v.minLength(1, "must not be empty"));
const path = v.pipe(
  text,
  v.check((name) => !name.includes("\0"), "contains a NUL character, which no path can"),
);

const policyProperties = {
  "when-deleted": v.optional(v.picklist(["restore", "respect"])),
  "when-edited": v.optional(v.picklist(["merge", "keep", "overwrite"])),
  "when-present": v.optional(v.picklist(["keep", "adopt"])),
  ignore: v.optional(v.array(text)),
  "create-only": v.optional(v.boolean()),
  "on-uninstall": v.optional(v.picklist(["keep", "remove"])),
};

export const policySchema = v.strictObject({ match: text, file: v.optional(text), ...policyProperties });
export const userPolicySchema = v.strictObject({
  match: text,
  file: v.optional(text),
  owner: v.optional(text),
  ...policyProperties,
});

const moveSchema = v.strictObject({ from: text, to: text, file: v.optional(text) });

const fileProperties = {
  target: path,
  format: v.optional(v.picklist(formatNames)),
  strategy: v.optional(v.picklist(strategies)),
  profile: v.optional(text),
  rules: v.optional(v.array(ruleSchema)),
  /** Of a file with several YAML documents: fields, by dotted path, that tell the one from the others. */
  in: v.optional(selectorSchema),
  "only-if": v.optional(v.picklist(["exists", "parent-exists"])),
  os: v.optional(v.array(v.picklist(["linux", "darwin", "win32"]))),
  /** Octal, as a number or a text: 755, "0755". */
  mode: v.optional(v.union([v.number(), v.string()])),
  /** What a symbolic link holds; in place of a template. */
  link: v.optional(path),
  include: v.optional(v.array(text)),
  exclude: v.optional(v.array(text)),
};

const scalar = v.union([v.string(), v.number(), v.boolean()]);
const byPlatform = v.strictObject({
  linux: v.optional(scalar),
  darwin: v.optional(scalar),
  win32: v.optional(scalar),
  default: v.optional(scalar),
});
/** A value, or one for each platform. */
const variable = v.union([scalar, byPlatform]);

const serverSchema = v.pipe(
  v.strictObject({
    command: v.optional(text),
    args: v.optional(v.array(v.string())),
    env: v.optional(v.record(text, v.string())),
    url: v.optional(v.pipe(text, v.regex(/^https?:\/\/|^\$\{/, "an address must begin with http:// or https://"))),
    headers: v.optional(v.record(text, v.string())),
    /** What the runtime asks the user for, by the name that `${input:NAME}` has in the other fields. */
    inputs: v.optional(v.record(v.pipe(v.string(), v.regex(/^[\w.-]+$/, "an input's name is one word")), text)),
  }),
  v.check(
    ({ command, url }) => (command === undefined) !== (url === undefined),
    "a server has either a command or a url",
  ),
  v.check(
    ({ inputs = {}, ...server }) => Object.keys(inputs).every((name) => inputsIn(server).includes(name)),
    "nothing uses this input as ${input:NAME}",
  ),
);
const hookSchema = v.strictObject({
  event: text,
  matcher: v.optional(v.string()),
  command: text,
  timeout: v.optional(v.number()),
});

const manifestProperties = {
  name: ownerName,
  version: v.pipe(v.string("must be a text; put it in quotes"), v.minLength(1, "must not be empty")),
  scope: v.optional(v.picklist(["user", "project"])),
  vars: v.optional(
    v.record(v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a variable's name is one word")), variable),
  ),
  moved: v.optional(v.array(moveSchema)),
  policy: v.optional(v.array(policySchema)),
  /** Declared once, for every runtime under `runtimes`. */
  servers: v.optional(v.record(text, serverSchema)),
  hooks: v.optional(v.array(hookSchema)),
  instructions: v.optional(text),
  runtimes: v.optional(v.union([v.array(text), v.literal("all-installed")])),
};

/** How to tell that an earlier release was installed here: this alone. */
const when = v.strictObject({ exists: path });

/** A manifest on disk names its templates, relative to itself. */
export const manifestSchema = v.strictObject({
  ...manifestProperties,
  files: v.optional(v.array(v.strictObject({ ...fileProperties, template: v.optional(path) })), []),
  earlier: v.optional(v.record(text, v.union([path, v.strictObject({ from: path, when: v.optional(when) })]))),
});

/** A manifest given as an object carries its templates: a text, or data; `templates` holds those that are named. */
export const inlineManifestSchema = v.strictObject({
  ...manifestProperties,
  version: v.optional(manifestProperties.version),
  files: v.optional(v.array(v.strictObject({ ...fileProperties, template: v.optional(v.unknown()) })), []),
  templates: v.optional(v.record(text, v.unknown())),
  /** By version: the templates of then, or `{ from: templates, when }`. */
  earlier: v.optional(
    v.record(
      text,
      v.union([
        v.strictObject({ from: v.record(text, v.unknown()), when: v.optional(when) }),
        v.record(text, v.unknown()),
      ]),
    ),
  ),
});

export const policyFileSchema = v.union([
  v.array(userPolicySchema),
  v.strictObject({ policy: v.array(userPolicySchema) }),
]);

export type PolicyData = v.InferOutput<typeof userPolicySchema>;
export type ManifestData = v.InferOutput<typeof manifestSchema>;
export type InlineManifestData = v.InferOutput<typeof inlineManifestSchema>;
