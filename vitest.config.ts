import { defineConfig } from "vitest/config";

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
    setupFiles: ["test/setup.ts"],
  },
});
