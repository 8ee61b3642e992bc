import type { SyncFile } from "#mapping";
import { load } from "../mapping/sample.ts";

/** A sync file with the one stream `customers`; `match`, `fields` and `more` as such a file writes them. */
export function customersFile({ match = "[customerId]", fields = "{ customerId: number }", more = "" } = {}): SyncFile {
  return load(`
sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }
streams:
  customers:
    source: erp
    read: { table: customers, key: number }
    resource: customer
    match: ${match}
    fields: ${fields}
    ${more}
`);
}
