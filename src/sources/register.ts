import type { Adapter } from "./adapter.ts";
import { files } from "./files/index.ts";
import { odata } from "./odata/index.ts";
import { odoo } from "./odoo/index.ts";
import { rest } from "./rest/index.ts";
import { sqlAdapter } from "./sql/index.ts";

const all: readonly Adapter[] = [sqlAdapter, rest, odata, odoo, files];

/** Every kind of ERP connection that the sync file can name, by the word after `adapter:`. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(all.map((adapter) => [adapter.name, adapter]));
