import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { InputError } from "../../core/diagnostic.ts";
import { readDetectors } from "../../toolset/discover/detector-file.ts";
import { builtinDetectors, type Detector } from "../../toolset/discover/detectors.ts";
import { defaultName, defaultNamespace } from "../../toolset/render/configmap.ts";
import type { Io } from "../shell/io.ts";
import { type Parsed, parseOptions } from "../shell/options.ts";

/** Options that more than one sub-command takes. */
export const sharedOptions = {
  namespace: { type: "string", short: "n" },
  "configmap-name": { type: "string" },
  kubeconfig: { type: "string" },
  context: { type: "string" },
  "watch-namespace": { type: "string", multiple: true },
  "overrides-configmap": { type: "string" },
  detectors: { type: "string" },
} as const satisfies ParseArgsConfig["options"];

/** What the shared options mean, defaults filled in. */
export interface ToolsetTarget {
  readonly namespace: string;
  readonly name: string;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly watchNamespaces: readonly string[];
  readonly overridesConfigMap: string | undefined;
  readonly detectors: readonly Detector[];
}

type SharedValues = { readonly [name in keyof typeof sharedOptions]?: string | boolean | string[] | undefined };

export async function targetOf(values: SharedValues, io: Io): Promise<ToolsetTarget> {
  const text = (name: keyof SharedValues): string | undefined => values[name] as string | undefined;
  const file = text("detectors");
  return {
    namespace: text("namespace") ?? defaultNamespace,
    name: text("configmap-name") ?? defaultName,
    kubeconfig: text("kubeconfig"),
    context: text("context"),
    watchNamespaces: [...new Set((values["watch-namespace"] as string[] | undefined) ?? [])].sort(),
    overridesConfigMap: text("overrides-configmap"),
    detectors: file === undefined ? builtinDetectors : [...readDetectors(await readInputFile(file, io), file), ...builtinDetectors],
  };
}

/** The options of a sub-command. None takes anything but options. */
export function parseToolsetOptions<T extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  own: T,
  io: Io,
  name: string,
): Parsed<typeof sharedOptions & T>["values"] {
  const { values, positionals } = parseOptions(args, { ...sharedOptions, ...own }, io, `toolset ${name}`);
  if (positionals.length === 0) return values;
  throw new InputError({ code: "usage", message: `'${positionals[0]}' is not an option; see: ${io.program} toolset --help` });
}

/** The text of a file, `-` being standard input. */
export async function readInputFile(file: string, io: Io): Promise<string> {
  if (file === "-") return io.readInput();
  try {
    const text = await readFile(resolve(io.cwd, file), "utf8");
    io.atWork?.(text.length);
    return text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "no such file" : code === "EISDIR" ? "is a folder" : `cannot be read (${code})`;
    throw new InputError({ code: "unreadable-file", message: why, file });
  }
}
