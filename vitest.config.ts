import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup/random.ts"],
    globalSetup: ["test/setup/global.ts"],
    pool: "forks",
    // One line a file and a summary; of a test that fails, all it printed.
    reporters: [["default", { summary: false }]],
    silent: "passed-only",
    slowTestThreshold: Number.POSITIVE_INFINITY,
    // Longer than anything takes beside ten busy processes: only what would never end runs into them.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
  },
});
