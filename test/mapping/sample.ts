import { z } from "zod";
import { loadSyncFile, type Mapped, type MappedValue, type Stream, type SyncFile } from "#mapping";
import type { Json, Row } from "#model";

/** An adapter as the mapping sees it, so that these tests depend on no real one. */
export const adapters = new Map([
  [
    "sql",
    {
      settings: z.strictObject({
        url: z.string().min(1).describe("Where the database is."),
        timezone: z.string().optional().describe("Its zone."),
      }),
      read: z.strictObject({
        table: z.string().describe("The table."),
        key: z.union([z.string(), z.array(z.string())]).describe("Its key."),
        changed: z.string().optional().describe("Its change stamp."),
        overlap: z.string().optional().describe("How far to look back."),
      }),
    },
  ],
]);

export const resources = new Set([
  "customer",
  "customerContact",
  "customerStatus",
  "materialItem",
  "priority",
  "serviceType",
  "svcDocument",
  "tag",
  "ticket",
  "ticketStatus",
  "user",
]);

const embeds = (resource: string) => (resource === "svcDocument" ? ["tasks"] : []);

export function load(text: string, environment: Record<string, string> = { ERP_URL: "sqlite:erp.db" }): SyncFile {
  return loadSyncFile(text, { file: "sync.yaml", environment, adapters, resources, embeds });
}

/** A file with one source, streams `customers` and `contacts` to refer to, and the stream `it`, given in flow or block style. */
export function fileWith(words: Record<string, Json>): string {
  const parent = { source: "erp", read: { table: "t", key: "k" }, resource: "customer", fields: { name: "name" } };
  const it = { source: "erp", read: { table: "t", key: "k" }, resource: "ticket", fields: { name: "name" }, ...words };
  const sources = { erp: { adapter: "sql", url: "sqlite:erp.db" } };
  // JSON is YAML.
  return JSON.stringify({ sources, streams: { customers: parent, contacts: parent, it } });
}

export function streamWith(words: Record<string, Json>): Stream {
  return load(fileWith(words)).streams.find(({ name }) => name === "it")!;
}

/** What one field's words make of a row. */
export async function mapField(words: Json, row: Row): Promise<MappedValue> {
  const mapped = await streamWith({ fields: { field: words } }).map(row, false);
  return firstField(mapped);
}

export function firstField(mapped: Mapped): MappedValue {
  if (mapped.kind !== "record") throw new Error(`expected a record, found ${mapped.kind}`);
  return mapped.fields[0]!.value;
}
