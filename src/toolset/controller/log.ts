/** Structured logs: one JSON object a line, for machines to gather and people to read. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export function jsonLog(write: (line: string) => void, now: () => Date): Log {
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      write(`${JSON.stringify({ time: now().toISOString(), level, msg: message, ...fields })}\n`);
  return { info: line("info"), warn: line("warn"), error: line("error") };
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
