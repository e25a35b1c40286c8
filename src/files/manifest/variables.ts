import { InputError } from "../../core/diagnostic.ts";
import { type Machine, xdgFolder } from "../../engine/machine.ts";
import { substitute, type Variables } from "../../readings/template.ts";
import type { Pack } from "./pack.ts";
import { isSecretVariable } from "./secret-variables.ts";

/**
 * `--set` wins over the environment, which wins over the manifest's default. A default may use variables declared before it. What may be a
 * secret is taken from the environment only where `--from-env` asks for it.
 */
export function variablesOf(pack: Pack, machine: Machine): Variables {
  const variables = new Map<string, string>([
    ["XDG_CONFIG_HOME", xdgFolder("CONFIG", machine)],
    ["XDG_DATA_HOME", xdgFolder("DATA", machine)],
    ["XDG_STATE_HOME", xdgFolder("STATE", machine)],
  ]);
  for (const [name, fallback] of Object.entries(pack.vars)) {
    variables.set(name, ownText(pack.given, name) ?? fromEnvironment(name, pack, machine) ?? substitute(fallback, variables));
  }
  for (const name of Object.keys(pack.given)) {
    if (!variables.has(name))
      throw new InputError({ code: "unknown-variable", message: `--set ${name}: the manifest declares no such variable under vars` });
    variables.set(name, pack.given[name]!);
  }
  for (const name of pack.fromEnv) requireVariable(name, pack, machine);
  return variables;
}

function requireVariable(name: string, { vars }: Pack, { env }: Machine): void {
  const what = Object.hasOwn(vars, name) ? "the environment has no variable" : "the manifest declares no variable";
  if (!Object.hasOwn(vars, name) || ownText(env, name) === undefined)
    throw new InputError({ code: "unknown-variable", message: `--from-env ${name}: ${what} ${name}` });
}

/** `HOME` is the home we work in: who says `--home` does not mean the other one. */
function fromEnvironment(name: string, { fromEnv }: Pack, { env, home }: Machine): string | undefined {
  if (isSecretVariable(name) && !fromEnv.includes(name)) return undefined;
  const set = ownText(env, name);
  return set !== undefined && name === "HOME" ? home : set;
}

/** Never what every object has: a variable may be called `toString`. */
function ownText(texts: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** A target, where nothing may be left undefined: a file called `${X}` is never what was meant. */
export function substituteTarget(target: string, variables: Variables): string {
  const path = substitute(target, variables);
  const left = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/.exec(path);
  if (!left) return path;
  throw new InputError({
    code: "undefined-variable",
    message: `target ${target}: \${${left[1]}} is not defined; declare it under vars, or pass --set ${left[1]}=VALUE`,
  });
}
