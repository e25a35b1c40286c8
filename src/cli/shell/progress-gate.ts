import { diskGate } from "../../store/gate/disk-gate.ts";
import type { Gate } from "../../store/gate/gate.ts";
import type { Io } from "./io.ts";

/** The disk. Whoever shows that a command is at work hears of each step before it is taken, and of what was read. */
export function progressGate({ atWork, platform }: Pick<Io, "atWork" | "platform">): Gate {
  const gate = diskGate(platform);
  if (atWork === undefined) return gate;
  const steps = Object.entries(gate).map(([name, step]) => [
    name,
    typeof step === "function" ? heard(name, step, atWork) : step,
  ]);
  return Object.fromEntries(steps) as Gate;
}

/** What ends when the disk says that it is safe: nobody knows how long that takes. */
const lasting: ReadonlySet<string> = new Set<keyof Gate>(["createFile", "syncFolder"]);

function heard(name: string, step: (...args: unknown[]) => unknown, atWork: (ahead: number) => void) {
  const ahead = lasting.has(name) ? Number.POSITIVE_INFINITY : 0;
  return (...args: unknown[]) => {
    atWork(ahead);
    const answer = step(...args);
    if (Buffer.isBuffer(answer)) atWork(answer.length);
    return answer;
  };
}
