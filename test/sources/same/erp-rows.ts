import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "#model";
import { createSampleErp } from "#sandbox";

export const tables = ["customers", "contacts", "tickets", "service_orders"] as const;
export type ErpTable = (typeof tables)[number];

export interface ErpRows {
  /** The sample ERP itself, an SQLite file. */
  readonly path: string;
  readonly of: Readonly<Record<ErpTable, readonly JsonObject[]>>;
}

/** The names of the columns that make a table's key. */
export const keyColumns: Readonly<Record<ErpTable, readonly string[]>> = {
  customers: ["customer_no"],
  contacts: ["customer_no", "contact_no"],
  tickets: ["ticket_no"],
  service_orders: ["order_no"],
};

const NOW = Date.parse("2026-03-02T10:00:00Z");

/** `count` customers, contacts, tickets and orders in all, the same at every call. */
export async function sampleRows(count: number): Promise<ErpRows & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-same-"));
  const path = join(folder, "erp.sqlite");
  const part = (share: number) => Math.round(count * share);
  const counts = { customers: part(0.2), contacts: part(0.35), tickets: part(0.25), orders: part(0.2) };
  using erp = createSampleErp(path, { ...counts, clock: { now: () => NOW } });
  const plain = (table: ErpTable): JsonObject[] => erp.all(table).map((row) => ({ ...row }));
  return {
    path,
    of: {
      customers: plain("customers"),
      contacts: plain("contacts"),
      tickets: plain("tickets"),
      service_orders: plain("service_orders"),
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A text of the sample, empty where there is none. */
export function text(row: JsonObject, name: string): string {
  const value = row[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** `2026-03-02 10:00:00.000` as ISO 8601. */
export function iso(row: JsonObject, name = "updated_at"): string {
  return `${text(row, name).replace(" ", "T")}Z`;
}
