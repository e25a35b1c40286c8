import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/**
 * A folder for the time of one call. It goes however the call ends: also when somebody presses Ctrl-C in the middle.
 */
export async function withTemporaryFolder<T>(prefix: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const handlers = Object.entries(signals).map(([name, number]) => {
    const onSignal = () => {
      remove();
      process.exit(128 + number);
    };
    process.once(name, onSignal);
    return () => process.off(name, onSignal);
  });
  try {
    return await use(folder);
  } finally {
    for (const off of handlers) off();
    remove();
  }
}
