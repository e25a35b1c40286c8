import { InputError } from "../../core/diagnostic.ts";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `30s`, `5m`, `500ms` in milliseconds. */
export function parseDuration(option: string, text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h)$/.exec(text);
  if (!match)
    throw new InputError({
      code: "usage",
      message: `--${option}: '${text}' is not a duration such as 30s, 5m or 500ms`,
    });
  return Number(match[1]) * units[match[2]!]!;
}
