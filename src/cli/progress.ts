import type { Io } from "./io.ts";

/** Nobody needs to be told about what is over before they wonder. */
const patienceMs = 500;
const stepMs = 120;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const clear = "\r\u001b[K";

export interface Progress {
  /** The outside for the command: what it prints takes the place of the sign of life. */
  readonly io: Io;
  stop(): void;
}

/** A sign of life on standard error while a command takes longer than half a second; only on a terminal, and gone when it ends. */
export function showProgress(label: string, io: Io): Progress {
  if (!io.errorTerminal) return { io, stop: () => {} };
  const started = performance.now();
  let [shown, frame] = [false, 0];
  const hide = () => {
    if (shown) io.err(clear);
    shown = false;
  };
  const timer = setInterval(() => {
    const elapsed = performance.now() - started;
    if (elapsed < patienceMs) return;
    io.err(`${clear}${frames[frame++ % frames.length]} ${label} … ${Math.round(elapsed / 1000)} s`);
    shown = true;
  }, stepMs);
  const behind = (print: (text: string) => void) => (text: string) => {
    hide();
    print(text);
  };
  return {
    io: { ...io, out: behind(io.out), err: behind(io.err) },
    stop: () => {
      clearInterval(timer);
      hide();
    },
  };
}
