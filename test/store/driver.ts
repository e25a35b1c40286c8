import path from "node:path";
import { sha256 } from "../../src/store/gate/content.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { writeAtomically } from "../../src/store/transaction/atomic.ts";
import { withStateLock } from "../../src/store/transaction/lock.ts";
import { commit, type Transaction } from "../../src/store/transaction/transaction.ts";

/** What tests let run in processes of their own, to let them compete, or to see them in another namespace. */
const gate = diskGate();
const jobs: Record<string, (...args: string[]) => Promise<unknown> | unknown> = {
  /** Adds lines to a file, each in a transaction of its own, planned anew whenever somebody else was quicker. */
  async append(root, who, times, state = "state") {
    for (let line = 0; line < Number(times); line++) {
      for (;;) {
        const result = await commit(gate, appendLine(root!, state, `${who} ${line}`), { waitMs: 60_000 });
        if (result.kind === "committed" && result.left.length === 0) break;
      }
    }
  },

  hold(stateDir) {
    return withStateLock(gate, stateDir!, 1000, () => {
      process.stdout.write("held\n");
      return new Promise((resolve) => setTimeout(resolve, 600_000));
    });
  },

  write(file, text) {
    writeAtomically(gate, file!, Buffer.from(text!), 0o644);
  },
};

function appendLine(root: string, state: string, line: string): Transaction {
  const file = path.join(root, "lines.txt");
  const stateDir = path.join(root, state);
  const registry = path.join(stateDir, "zylos", "registry.json");
  const bytes = gate.read(file);
  const before = gate.read(registry)?.toString();
  return {
    stateDir,
    name: "zylos",
    time: "2026-11-15T12:00:00.000Z",
    changes: [
      {
        path: file,
        real: gate.realPath(file),
        before: bytes === undefined ? { kind: "absent" } : { kind: "file", sha256: sha256(bytes) },
        after: { kind: "file", bytes: Buffer.from(`${bytes ?? ""}${line}\n`), mode: { created: 0o666 } },
        section: "lines",
        removeFolders: [],
      },
    ],
    registry: {
      path: registry,
      before,
      after: JSON.stringify({ files: { lines: (before ? JSON.parse(before).files.lines : 0) + 1 } }),
    },
    generation: { version: "1", from: undefined, note: line },
  };
}

const [job = "", ...args] = process.argv.slice(2);
try {
  await jobs[job]!(...args);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
