import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadSyncFile } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";

describe.each(["odata", "rest"])("the README of %s", (adapter) => {
  const readme = readFileSync(`src/sources/${adapter}/README.md`, "utf8");
  const [, example = ""] = /```yaml\n(sources:.*?)```/s.exec(readme) ?? [];
  const environment = { ERP_URL: "https://erp.invalid/", ERP_USER: "u", ERP_PASSWORD: "p", ERP_TOKEN: "t" };
  const options = { file: "README.md", environment, adapters, resources: new Set(resourceNames) };

  it("shows a whole sync file that loads", () => {
    expect(loadSyncFile(example, options).sources).toMatchObject([{ name: "erp", adapter }]);
  });
});
