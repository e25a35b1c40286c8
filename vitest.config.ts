import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest comes first, so that at the end no file is waited for while other processors rest. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(?:small-world|faults|windows|package)\//.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // No test waits for these; they only end one that hangs, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    // A process for a file would load the program anew for each of them, which takes longer than most tests do. What a
    // test changes in its process (environment, umask) it puts back.
    isolate: false,
    sequence: { sequencer: LongFilesFirst },
    setupFiles: ["test/setup.ts"],
  },
});
