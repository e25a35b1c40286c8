import { constants } from "node:os";
import { InputError } from "../../core/diagnostic.ts";
import { printableLine } from "../../report/colour.ts";
import type { Io } from "../shell/io.ts";

/**
 * Runs something that ends early, with what is left on record, when SIGTERM or SIGINT comes. Its exit code is then the
 * signal's.
 */
export async function untilSignal(
  io: Io,
  json: boolean,
  run: (interrupt: AbortSignal) => Promise<number>,
): Promise<number> {
  const interrupt = new AbortController();
  let received: "SIGTERM" | "SIGINT" = "SIGTERM";
  const onSignal = (signal: NodeJS.Signals) => {
    received = signal === "SIGINT" ? signal : "SIGTERM";
    interrupt.abort();
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  try {
    return await run(interrupt.signal);
  } catch (error) {
    if (!(error instanceof InputError) || error.diagnostic.code !== "interrupted") throw error;
    io.err(`${io.program}: ${printableLine(error.message)}\n`);
    if (json) io.out((await import("../shell/failure-document.ts")).failureDocument(error.diagnostics));
    return 128 + constants.signals[received];
  } finally {
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
  }
}
