import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import config, { layers } from "../../vitest.config.ts";
import { root } from "./source-files.ts";

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The test files of each layer, as vitest takes them. */
const filesOf = layers.map(({ test: { name, include, exclude = [] } }) => {
  const excluded = new Set(globSync(exclude, { cwd: root }));
  return { name, files: globSync(include, { cwd: root }).filter((file) => !excluded.has(file)) };
});
const all = globSync("test/**/*.test.ts", { cwd: root });

describe("the layers of tests", () => {
  it("have each test file once, and each has some", () => {
    expect(filesOf.flatMap(({ files }) => files).toSorted()).toEqual(all.toSorted());
    expect(filesOf.filter(({ files }) => files.length === 0)).toEqual([]);
    expect(config.test?.projects).toBe(layers);
  });

  it("are run by npm test, but for the long one, which npm run test:long runs", () => {
    const long = filesOf.find(({ name }) => name === "long")?.files;
    expect(long?.toSorted()).toEqual(all.filter((file) => file.endsWith(".long.test.ts")).toSorted());
    expect(scripts).toMatchObject({
      test: "vitest run --project=!long",
      "test:long": "vitest run --project=long --maxWorkers=3",
      "test:all": "npm test && npm run test:long",
    });
  });

  it("are all run by CI", () => {
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toMatch(/^npm run test:all$/m);
  });
});
