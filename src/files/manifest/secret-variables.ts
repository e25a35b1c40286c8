import type { Diagnostic } from "../../core/diagnostic.ts";
import { isList, isMap, type Value } from "../../core/value.ts";
import { looksSecret } from "../../report/mask/mask.ts";
import type { Pack } from "./pack.ts";

/**
 * Variables that hold secrets though their names do not say so: addresses with a password in them, and keys that
 * somebody abbreviated.
 */
const wellKnown =
  /^(?:(?:\w+_)?DATABASE_URL|(?:POSTGRES|POSTGRESQL|MYSQL|MARIADB|REDIS|AMQP|RABBITMQ|CLOUDAMQP|MONGO|MONGODB|ELASTICSEARCH)_UR[IL]|\w*_DSN|\w*CONNECTION_STRING|\w*WEBHOOK\w*|\w*_AUTH(?:_CONFIG|_INFO)?|\w*_PAT|\w*_PSK|\w*_SALT|\w*_OTP|\w*KUBECONFIG_DATA|NETRC)$/i;

/** Names that only sound like one. */
const harmless = new Set(["PWD", "OLDPWD"]);

/** Whether a pack may read a variable of this name only when the user asks for it by `--from-env`. */
export function isSecretVariable(name: string): boolean {
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
      message: `the environment's ${name} is not read, as it may hold a secret; let ${pack.name} have it with --from-env ${name}, or say another value with --set ${name}=VALUE`,
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
