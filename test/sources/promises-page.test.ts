import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { adapters } from "#sources";
import { sourcePromises } from "../conformance/source-promises.ts";

/** What the page calls the databases that the adapter `sql` speaks to. */
const databases = ["SQLite", "PostgreSQL", "MariaDB", "SQL Server"];

describe("the page of what every source was proven to do", async () => {
  const text = await readFile(new URL("../../docs/source-promises.md", import.meta.url), "utf8");

  it("has every adapter and every database", () => {
    const rows = text.split("\n").filter((line) => line.startsWith("| "));
    const names = [...adapters.keys()].flatMap((name) => (name === "sql" ? databases : [name]));
    expect(names.filter((name) => !rows.some((row) => row.startsWith(`| ${name}`)))).toEqual([]);
  });

  it("has every promise of the suite", () => {
    expect(Object.keys(sourcePromises).filter((promise) => !text.includes(`. ${promise}\n`))).toEqual([]);
  });

  it("shows no failure", () => {
    expect(text).not.toMatch(/\*\*failed\*\*|not run/);
  });
});
