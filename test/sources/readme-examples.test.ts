import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadSyncFile } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";

/** What the examples take from the environment; a database has another address. */
const environment = {
  ERP_URL: "https://erp.invalid/",
  ERP_USER: "u",
  ERP_PASSWORD: "p",
  ERP_TOKEN: "t",
  ERP_KEY: "k",
  ERP_DATABASE: "erp",
  ERP_FOLDER: "/data/erp",
};
const databaseUrl = "postgres://svcsync@erp.invalid/erp";

describe.each([...adapters.keys()])("the README of %s", (adapter) => {
  const readme = readFileSync(`src/sources/${adapter}/README.md`, "utf8");
  const [, example = ""] = /```yaml\n(sources:.*?)```/s.exec(readme) ?? [];
  const given = adapter === "sql" ? { ...environment, ERP_URL: databaseUrl } : environment;
  const options = { file: "README.md", environment: given, adapters, resources: new Set(resourceNames) };

  it("shows a whole sync file that loads", () => {
    const { sources, streams } = loadSyncFile(example, options);
    expect(sources).toMatchObject([{ name: "erp", adapter }]);
    expect(streams.map(({ name }) => name)).toContain("customers");
  });
});
