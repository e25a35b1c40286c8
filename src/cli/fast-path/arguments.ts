import type { CommonValues } from "../shell/common-options.ts";

export interface ShortValues extends Pick<CommonValues, "json" | "home" | "state-dir" | "set" | "no-color" | "quiet"> {
  readonly "dry-run"?: boolean;
  readonly strict?: boolean;
}

const flags: Readonly<Record<"plan" | "apply", ReadonlySet<string>>> = {
  plan: new Set(["json", "no-color", "quiet", "diff", "exit-code"]),
  apply: new Set(["json", "no-color", "quiet", "diff", "dry-run", "strict"]),
};

/**
 * A command line of options that the fast path knows, in their usual spelling; undefined for any other. Not Node's own
 * parser: to load that takes longer than to look at all files, and what it would take otherwise, or refuse, takes the
 * long way.
 */
export function readArguments(
  args: readonly string[],
  command: "plan" | "apply",
): { readonly values: ShortValues; readonly argument: string | undefined } | undefined {
  const values: { [name: string]: boolean | string | string[] } = {};
  let argument: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] === "-q" ? "--quiet" : args[i]!;
    const name = arg.slice(2);
    if (!arg.startsWith("-")) {
      if (argument !== undefined) return undefined;
      argument = arg;
    } else if (!arg.startsWith("--")) return undefined;
    else if (flags[command].has(name)) values[name] = true;
    else if (name === "home" || name === "state-dir" || name === "set") {
      const value = args[++i];
      if (value === undefined || value.startsWith("-")) return undefined;
      values[name] = name === "set" ? [...((values.set as string[] | undefined) ?? []), value] : value;
    } else return undefined;
  }
  return { values, argument };
}
