import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { Machine } from "../../engine/machine.ts";
import { readPack } from "../../files/manifest/load-manifest.ts";
import type { Pack } from "../../files/manifest/pack.ts";
import type { CommonValues } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";

/** `--set NAME=VALUE`, as often as wanted. */
export function variablesFrom(settings: readonly string[] | undefined): Record<string, string> {
  return Object.fromEntries(
    (settings ?? []).map((setting) => {
      const at = setting.indexOf("=");
      if (at <= 0) throw new InputError({ code: "usage", message: `--set ${setting}: write --set NAME=VALUE` });
      return [setting.slice(0, at), setting.slice(at + 1)];
    }),
  );
}

/** The pack a command is about: the one named, the embedding program's, or the one here. */
export function packFromArgument(argument: string | undefined, values: CommonValues, machine: Machine, io: Io): Pack {
  const vars = variablesFrom(values.set);
  const fromEnv = values["from-env"] ?? [];
  if (argument === undefined && io.manifest)
    return { ...io.manifest, given: { ...io.manifest.given, ...vars }, fromEnv: [...io.manifest.fromEnv, ...fromEnv] };
  return readPack(machine.gate, resolve(io.cwd, argument ?? "."), { vars, fromEnv });
}
