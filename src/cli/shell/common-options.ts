import type { ParseArgsConfig } from "node:util";
import type { Io } from "./io.ts";

export type OptionTable = NonNullable<ParseArgsConfig["options"]>;

/** Options every command takes. */
export const commonOptions = {
  json: { type: "boolean" },
  home: { type: "string" },
  "state-dir": { type: "string" },
  set: { type: "string", multiple: true },
  "no-color": { type: "boolean" },
  "show-secrets": { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
  verbose: { type: "boolean", short: "v" },
  help: { type: "boolean", short: "h" },
} as const satisfies OptionTable;

export interface CommonValues {
  readonly json?: boolean;
  readonly home?: string;
  readonly "state-dir"?: string;
  readonly set?: string[];
  readonly "no-color"?: boolean;
  readonly "show-secrets"?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly help?: boolean;
}

/** Colours on a terminal, unless somebody says no. */
export function wantsColour(values: CommonValues, io: Pick<Io, "env" | "terminal">): boolean {
  if (values["no-color"] || io.env.NO_COLOR || io.env.TERM === "dumb") return false;
  return io.terminal !== undefined || Boolean(io.env.FORCE_COLOR && io.env.FORCE_COLOR !== "0");
}
