import { defineConfig } from "vitest/config";

/** What `npm test` leaves to `npm run test:long`: stories of many processes, rare variants, another server for the same story, Chromium. */
const long = ["test/**/*.long.test.ts"];
/** Whole stories and the commands as a user runs them. */
const journeys = ["test/{journeys,chaos,cli}/**/*.test.ts"];
/** Real servers and programs: databases, Redis, a browser. */
const systems = [
  "test/{conformance,deploy,queue,returns/destinations,setup,sources,store}/**/*.test.ts",
  "test/runtime.test.ts",
];

const layer = (
  name: string,
  include: string[],
  needs: { exclude?: string[]; globalSetup?: string[]; isolate?: boolean } = {},
) => ({
  extends: true as const,
  test: { name, include, ...needs },
});

/** Each test file is in exactly one of them. */
export const layers = [
  // A worker imports the sources once, not once a file: that was two thirds of the processor time.
  layer("unit", ["test/**/*.test.ts"], { exclude: [...journeys, ...systems, ...long], isolate: false }),
  layer("systems", systems, { exclude: long, globalSetup: ["test/setup/global.ts"], isolate: false }),
  layer("journeys", journeys, { exclude: long, globalSetup: ["test/setup/global.ts"], isolate: false }),
  layer("long", long, { globalSetup: ["test/setup/global.ts"], isolate: false }),
];

export default defineConfig({
  test: {
    projects: layers,
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["json-summary"],
      reportsDirectory: ".coverage",
      reportOnFailure: true,
    },
    setupFiles: ["test/setup/random.ts"],
    pool: "forks",
    reporters: ["./test/setup/reporter.ts"],
    silent: "passed-only",
    slowTestThreshold: Number.POSITIVE_INFINITY,
    // Longer than anything takes beside ten busy processes: only what would never end runs into them.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // Most journeys and outages wait: more workers than processors keep these busy.
    maxWorkers: 8,
  },
});
