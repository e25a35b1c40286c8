import { type Diagnostic, didYouMean, InputError } from "../../core/diagnostic.ts";
import { isList, isMap, mapOf, type Value } from "../../core/value.ts";
import { type Machine, xdgFolder } from "../../engine/machine.ts";
import { keepsHome, substitute, type Template, type Variables, variablesIn } from "../../readings/template.ts";
import { looksSecret } from "../../report/mask/mask.ts";
import type { Pack, PackFile, PlatformText } from "./pack.ts";

/**
 * What templates may name: the manifest's variables and `HOME`. `--set` wins over the environment, which wins over the
 * manifest's default. A default may use variables declared before it. What may be a secret is taken from the
 * environment only where `--from-env` asks for it.
 */
export function variablesOf(pack: Pack, machine: Machine): Variables {
  const variables = new Map([["HOME", absolute(machine.home, machine)]]);
  for (const [name, fallback] of Object.entries(pack.vars)) {
    const value =
      ownText(pack.given, name) ?? fromEnvironment(name, pack, machine) ?? defaultText(fallback, variables, machine);
    if (value !== undefined) variables.set(name, absolute(value, machine));
  }
  for (const [name, value] of Object.entries(pack.given)) {
    if (!Object.hasOwn(pack.vars, name))
      throw new InputError({
        code: "unknown-variable",
        message: `--set ${name}: the manifest declares no such variable under vars${didYouMean(name, Object.keys(pack.vars))}`,
      });
    variables.set(name, absolute(value, machine));
  }
  for (const name of pack.fromEnv) requireVariable(name, pack, machine);
  return variables;
}

/**
 * What targets may name: also the folders of the specification. A shell line in a template may mean those of whoever
 * runs it.
 */
export function targetVariables(variables: Variables, machine: Machine): Variables {
  const folders = (["CONFIG", "DATA", "STATE"] as const).map(
    (name) => [`XDG_${name}_HOME`, xdgFolder(name, machine)] as const,
  );
  return new Map([...folders, ...variables]);
}

/** A default may differ by platform; undefined where it has none for this one. */
function defaultText(fallback: PlatformText, variables: Variables, machine: Machine): string | undefined {
  const text = typeof fallback === "string" ? fallback : (fallback[machine.platform] ?? fallback.default);
  return text === undefined ? undefined : substitute(text, targetVariables(variables, machine));
}

/**
 * A value that begins with `~` is a path. Nothing expands it where a program is started without a shell, so it is
 * written absolutely.
 */
function absolute(value: string, { home, platform }: Machine): string {
  const isPath = value === home || /^~(?=$|[\\/])/.test(value);
  if (!isPath) return value;
  const path = value.replace(/^~/, () => home.replace(/(.)[\\/]+$/, "$1"));
  return platform === "win32" ? path.replaceAll("\\", "/") : path;
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

/**
 * A target, where nothing may be left undefined: a file called `${X}` is never what was meant. Nor is a file of the
 * root, where `${X}` is empty in front of a `/`.
 */
export function substituteTarget(target: string, variables: Variables): string {
  const left = variablesIn(target).find(({ name }) => !variables.has(name));
  if (!left) {
    refuseEmptyFolder(target, variables);
    return substitute(target, variables);
  }
  const meant = didYouMean(left.name, variables.keys());
  throw new InputError({
    code: "undefined-variable",
    message: `target ${target}: \${${left.name}} is not defined${meant}; declare it under vars, or pass --set ${left.name}=VALUE`,
  });
}

function refuseEmptyFolder(target: string, variables: Variables): void {
  const [folder = ""] = target.split(/[\\/]/, 1);
  if (folder === "" || folder === target || substitute(folder, variables) !== "") return;
  throw new InputError({
    code: "undefined-variable",
    message: `target ${target}: ${folder} is empty, so this would be ${substitute(target, variables)}, at the root of the file system; give it a folder (--set NAME=VALUE), or unset it where the environment sets it`,
  });
}

/**
 * Variables that hold secrets though their names do not say so: addresses with a password in them, and keys that
 * somebody abbreviated.
 */
const wellKnown =
  /^(?:(?:\w+_)?DATABASE_URL|(?:POSTGRES|POSTGRESQL|MYSQL|MARIADB|REDIS|AMQP|RABBITMQ|CLOUDAMQP|MONGO|MONGODB|ELASTICSEARCH)_UR[IL]|\w*_DSN|\w*CONNECTION_STRING|\w*WEBHOOK\w*|\w*_AUTH(?:_CONFIG|_INFO)?|\w*_PAT|\w*_PSK|\w*_SALT|\w*_OTP|\w*KUBECONFIG_DATA|NETRC)$/i;

/** Names that only sound like one. */
const harmless = new Set(["PWD", "OLDPWD"]);

/** Whether a pack may read a variable of this name only when the user asks for it by `--from-env`. */
function isSecretVariable(name: string): boolean {
  return !harmless.has(name) && (looksSecret(name) || wellKnown.test(name));
}

/** Variables that the environment has, the manifest declares, and nobody let the pack have. */
export function unreadSecrets(pack: Pack, env: Readonly<Record<string, string | undefined>>): Diagnostic[] {
  return Object.keys(pack.vars)
    .filter((name) => isSecretVariable(name) && Object.hasOwn(env, name) && env[name] !== undefined)
    .filter((name) => !Object.hasOwn(pack.given, name) && !pack.fromEnv.includes(name))
    .map((name) => ({
      code: "secret-variable",
      severity: "warning",
      message: `${name} in the environment may be a secret, so it is not read; let ${pack.name} have it with --from-env ${name}, or give another value with --set ${name}=VALUE`,
    }));
}

/** The texts that reports must not show: what was taken from the environment under a name that looks secret. */
export function secretTexts(pack: Pack, variables: ReadonlyMap<string, string>): string[] {
  return pack.fromEnv.filter(isSecretVariable).flatMap((name) => variables.get(name) || []);
}

export function holdsText(value: Value, texts: readonly string[]): boolean {
  if (typeof value === "string") return texts.some((text) => value.includes(text));
  if (isList(value)) return value.some((item) => holdsText(item, texts));
  return isMap(value) && Object.keys(value).some((name) => holdsText(name, texts) || holdsText(value[name]!, texts));
}

/** A variable that differs by platform, and has no value on this one, is nothing to write as it stands. */
export function refuseUnset(file: PackFile, pack: Pack, variables: Variables, platform: string): void {
  const { target } = file;
  const unset = namesInFile(file).find((name) => Object.hasOwn(pack.vars, name) && !variables.has(name));
  if (unset === undefined) return;
  const message = `target ${target}: its template uses \${${unset}}, which has no value on ${platform}; give it a default under vars, or pass --set ${unset}=VALUE`;
  throw new InputError({ code: "undefined-variable", message });
}

/** A file without what is there only where a declared variable has a value, and this one has none. */
export function withoutUnset(file: PackFile, pack: Pack, variables: Variables): PackFile {
  const isUnset = (text: string) =>
    variablesIn(text).some(({ name }) => Object.hasOwn(pack.vars, name) && !variables.has(name));
  const left = (template: Template): Template => {
    if (template.kind !== "data" || !template.optional?.some(isUnset)) return template;
    const dropped = new Set<Value>(template.optional.filter(isUnset));
    return { ...template, value: without(template.value, dropped) };
  };
  return { ...file, template: left(file.template), also: file.also?.map(left) };
}

function without(value: Value, dropped: ReadonlySet<Value>): Value {
  if (isList(value)) return value.map((item) => without(item, dropped));
  if (!isMap(value)) return value;
  const kept = Object.keys(value).filter((name) => !dropped.has(value[name]!));
  return mapOf(kept.map((name) => [name, without(value[name]!, dropped)]));
}

/** The variables that any of a file's templates names. */
export function namesInFile({ template, also = [] }: PackFile): string[] {
  return [template, ...also].flatMap((each) => [...namesIn(each)]);
}

/** The variables that a template names. Bytes are written as they are. */
export function namesIn(template: Template): Set<string> {
  const text =
    template.kind === "text"
      ? template.text
      : template.kind === "link"
        ? template.target
        : template.kind === "data"
          ? JSON.stringify(template.value)
          : "";
  const names = new Set(variablesIn(text).map(({ name }) => name));
  if (template.kind === "text" && keepsHome(text)) names.delete("HOME");
  return names;
}
