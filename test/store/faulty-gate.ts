import type { Gate } from "../../src/store/gate/gate.ts";
import { fileError } from "../../src/store/gate/store-error.ts";

export interface Call {
  readonly method: string;
  readonly path: string;
}

const readingMethods = ["read", "stat", "list", "readLink"] as const;
const writingMethods = [
  "obstacle",
  "createFile",
  "createLink",
  "createFolder",
  "rename",
  "exchange",
  "place",
  "remove",
  "removeFolder",
  "syncFolder",
  "tryLock",
  "tryLockFile",
] as const;

/**
 * A gate that asks before each call to the real one. What `before` throws is what the caller of the gate gets; `after`
 * can throw when the call is done, as a disk does that writes and then reports an error.
 */
export function watchedGate(gate: Gate, before: (call: Call) => void, after: (call: Call) => void = () => {}): Gate {
  const watched: Record<string, unknown> = { ...gate };
  for (const method of [...readingMethods, ...writingMethods]) {
    const real = gate[method] as (...args: unknown[]) => unknown;
    watched[method] = (path: string, ...rest: unknown[]) => {
      const call = { method, path };
      before(call);
      const result = real(path, ...rest);
      after(call);
      return result;
    };
  }
  return watched as unknown as Gate;
}

/** An error as the real gate gives it for one of the operating system's. */
export function systemError(call: Call, errno: string): Error {
  const action = (readingMethods as readonly string[]).includes(call.method) ? "read" : "write";
  return fileError(action, call.path, Object.assign(new Error(`${errno}: injected`), { code: errno }));
}

/** Every call of one run, in order. */
export function countingGate(gate: Gate): { readonly gate: Gate; readonly calls: Call[] } {
  const calls: Call[] = [];
  return { gate: watchedGate(gate, (call) => void calls.push(call)), calls };
}
