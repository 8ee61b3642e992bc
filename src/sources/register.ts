import type { Adapter } from "./adapter.ts";
import { filesAdapter } from "./files/index.ts";
import { odataAdapter } from "./odata/index.ts";
import { odooAdapter } from "./odoo/index.ts";
import { restAdapter } from "./rest/index.ts";
import { sqlAdapter } from "./sql/index.ts";

const all: readonly Adapter[] = [sqlAdapter, restAdapter, odataAdapter, odooAdapter, filesAdapter];

/** Every kind of ERP connection that the sync file can name, by the word after `adapter:`. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(all.map((adapter) => [adapter.name, adapter]));
