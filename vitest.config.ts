import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup/random.ts"],
    globalSetup: ["test/setup/global.ts"],
    pool: "forks",
    testTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 240_000,
    maxWorkers: 2,
  },
});
