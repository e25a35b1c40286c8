import type { Gate } from "../../store/gate/gate.ts";
import type { Io } from "./io.ts";

/**
 * The same gate, for a command that may be told to end (Ctrl-C, SIGTERM) while it writes. A transaction is written in
 * one go, in which no signal is noticed: so it either has not begun or is complete by then, and this says which.
 */
export function saysWhatIsDone(gate: Gate, io: Pick<Io, "err" | "program" | "onSignal">): Gate {
  const { onSignal } = io;
  if (onSignal === undefined) return gate;
  let [isListening, isDone] = [false, false];
  const tell = (signal: NodeJS.Signals) => {
    const what = isDone ? "all that was begun is complete" : "nothing was changed";
    io.err(`${io.program}: interrupted by ${signal}: ${what}\n`);
  };
  return {
    ...gate,
    stage(stage) {
      // Not before: planning writes nothing, and whatever it takes can be ended at once.
      if (!isListening) onSignal(tell);
      isListening = true;
      isDone ||= stage === "done";
    },
  };
}
