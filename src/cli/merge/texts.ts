import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Diagnostic, InputError } from "../../core/diagnostic.ts";
import { pathContext } from "../../engine/machine.ts";
import type { Format } from "../../formats/format.ts";
import type { PathContext } from "../../identity/paths/path-context.ts";
import { profileFor, rulesWithProfile } from "../../identity/profiles/index.ts";
import { compileRules } from "../../identity/rules/compile-rules.ts";
import type { CompiledRules, Rule } from "../../identity/rules/rule.ts";
import { loadFormat } from "../../readings/open-reading.ts";
import { formatFor, guessFormat } from "../../readings/reading-data.ts";
import type { Io } from "../shell/io.ts";
import { type CommonValues, machineOf } from "../shell/options.ts";

/** How texts that belong together are read: by the name of the file they stand for, else by what they look like. */
export interface ReadAs {
  readonly format: Format | undefined;
  readonly rules: CompiledRules;
  readonly context: PathContext;
}

/** What the command line says of the texts. */
export interface Named {
  /** The file they stand for, from `--path`: it has the last word. */
  readonly path: string | undefined;
  /** One of the files they are in, whose name may say what it is. */
  readonly file: string;
  /** The file with rules, from `--rules`. */
  readonly rules: string | undefined;
}

export async function readAs(named: Named, texts: readonly string[], values: CommonValues, io: Io): Promise<ReadAs> {
  const name = named.path ?? (formatFor(named.file) === "text" ? undefined : named.file);
  const format = name === undefined ? guessFormat(texts) : formatFor(name);
  const machine = machineOf(values, io);
  const context = pathContext(machine, []);
  const profile = name === undefined ? undefined : profileFor(resolve(io.cwd, name), context);
  const rules = compileRules(
    rulesWithProfile(named.rules === undefined ? [] : await readRules(resolve(io.cwd, named.rules)), profile),
  );
  if (rules.kind === "malformed") throw new InputError({ code: "invalid-rule", message: rules.message });
  return { format: format === "text" ? undefined : await loadFormat(format, name), rules: rules.rules, context };
}

/** A list of rules, as a manifest writes it. */
async function readRules(file: string): Promise<readonly Rule[]> {
  const [{ readYaml }, { ruleListSchema }] = await Promise.all([
    import("../../files/manifest/read-yaml.ts"),
    import("../../readings/reading-data.ts"),
  ]);
  return readYaml(readBytes(file).toString("utf8"), file, ruleListSchema, "invalid-rule") as readonly Rule[];
}

/** The files as they are named on the command line: one of them may be `-`, standard input. */
export async function readFiles(files: readonly string[], io: Io): Promise<Buffer[]> {
  if (files.filter((file) => file === "-").length > 1)
    throw new InputError({ code: "usage", message: "only one of the files can be standard input (-)" });
  return Promise.all(
    files.map(async (file) => (file === "-" ? Buffer.from(await io.readInput()) : readBytes(resolve(io.cwd, file)))),
  );
}

export function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString("utf8")).equals(bytes);
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new InputError({
      code: "no-file",
      message: (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : "it can't be read",
      file,
    } satisfies Omit<Diagnostic, "severity">);
  }
}
