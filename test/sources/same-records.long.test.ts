import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { setStage, writeRequests } from "../journeys/stage.ts";
import { arrived } from "./same/arrived.ts";
import { sampleRows, tables } from "./same/erp-rows.ts";
import { serveFiles } from "./same/files.ts";
import { serveOData } from "./same/odata.ts";
import { serveOdoo } from "./same/odoo.ts";
import { serveRest } from "./same/rest.ts";
import type { Serve } from "./same/served.ts";
import { servePostgres, serveSqlite } from "./same/sql.ts";
import { syncText } from "./same/sync-text.ts";

/** Customers, contacts, tickets and orders together. */
const COUNT = Number(process.env["SAME_RECORDS_COUNT"] ?? 500);
const PATIENCE_MS = 1_200_000;

const kinds: Readonly<Record<string, Serve>> = {
  "sql, SQLite": serveSqlite,
  "sql, PostgreSQL": servePostgres,
  "odata v4": serveOData,
  "odoo JSON-2": serveOdoo,
  rest: serveRest,
  "files, CSV": serveFiles,
};

let rows: Awaited<ReturnType<typeof sampleRows>>;
/** What arrived from the first one, which all others must bring too. */
let wanted: Record<string, JsonObject[]>;
const lines: string[] = [];

beforeAll(async () => {
  rows = await sampleRows(COUNT);
});
afterAll(async () => {
  await rows[Symbol.asyncDispose]();
  if (process.env["SHOW_TABLES"]) process.stdout.write(`\n${lines.join("\n")}\n`);
});

describe("the same customers, contacts, tickets and orders", () => {
  it.each(Object.entries(kinds))(
    "arrive as the same records through %s",
    { timeout: PATIENCE_MS },
    async (name, serve) => {
      await using erp = await serve(rows);
      await using stage = await setStage({ syncFile: syncText(erp), environment: { LOG_LEVEL: "warn" } });
      const startedAt = Date.now();
      const first = await stage.command("sync");
      const seconds = (Date.now() - startedAt) / 1000;
      expect(first).toMatchObject({ code: 0, stderr: "" });

      const records = arrived(stage.sandbox);
      const counts = Object.values(records).map((all) => all.length);
      expect(counts).toEqual(tables.map((table) => rows.of[table].length));
      wanted ??= records;
      expect(records).toEqual(wanted);

      const writes = writeRequests(stage.sandbox);
      await stage.command("sync");
      expect(writeRequests(stage.sandbox)).toBe(writes);
      lines.push(
        `${name.padEnd(22)} ${counts.join(" + ")} records, ${writes} writes, ${seconds.toFixed(1)} s, then 0 writes`,
      );
    },
  );
});
