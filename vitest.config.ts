import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // No test waits for these; they only end one that hangs, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    setupFiles: ["test/setup.ts"],
  },
});
