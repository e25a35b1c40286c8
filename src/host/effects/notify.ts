import { runProgram } from "../../system/run-program.ts";

/** Tells systemd how we are, where it asked to be told. Node has no datagram sockets, so systemd's own program does. */
export interface Notifier {
  ready(status: string): Promise<void>;
  stopping(): Promise<void>;
  /** How often systemd wants a sign of life, in milliseconds; undefined where it wants none. */
  readonly watchdogMs: number | undefined;
  alive(): Promise<void>;
}

export function notifier(env: Readonly<Record<string, string | undefined>>): Notifier {
  const send = async (words: readonly string[]): Promise<void> => {
    if (!env.NOTIFY_SOCKET) return;
    const variables = { PATH: env.PATH, NOTIFY_SOCKET: env.NOTIFY_SOCKET };
    await runProgram("systemd-notify", { args: [`--pid=${process.pid}`, ...words], env: variables, timeoutMs: 5000 });
  };
  const microseconds = Number(env.WATCHDOG_USEC);
  return {
    ready: (status) => send(["--ready", `--status=${status}`]),
    stopping: () => send(["STOPPING=1"]),
    watchdogMs: env.NOTIFY_SOCKET && microseconds > 0 ? microseconds / 2000 : undefined,
    alive: () => send(["WATCHDOG=1"]),
  };
}
