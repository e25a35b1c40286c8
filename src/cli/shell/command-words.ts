import type { ArgumentKind, Command, Options } from "./command.ts";

/** What of a command can be completed. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWord[];
  readonly subcommands: readonly string[];
  /** What its arguments are. */
  readonly argument: ArgumentKind;
}

export interface OptionWord {
  readonly flag: string;
  readonly value: "nothing" | "folder" | "file" | "owner" | "other";
}

/** A command below another offers its options behind both names; here they all stand behind the first. */
export async function commandWords(
  name: string,
  summary: string,
  { options, argument, commands = {} }: Command,
): Promise<CommandWords> {
  const below = await Promise.all(Object.values(commands).map(async ({ load }) => (await load()).command.options));
  const words = optionWords(Object.assign({}, ...below, options) as Options);
  return { name, summary, options: words, subcommands: Object.keys(commands), argument };
}

function optionWords(options: Options): OptionWord[] {
  return Object.entries(options).flatMap(([name, { short, value }]) => {
    const kind = name === "owner" ? "owner" : valueKind(value);
    return [{ flag: `--${name}`, value: kind }, ...(short === undefined ? [] : [{ flag: `-${short}`, value: kind }])];
  });
}

function valueKind(value: string | undefined): OptionWord["value"] {
  if (value === undefined) return "nothing";
  if (value.startsWith("DIR")) return "folder";
  return value.startsWith("FILE") ? "file" : "other";
}
