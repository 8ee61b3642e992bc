import type { Adapter } from "./adapter.ts";

const all: readonly Adapter[] = [];

/** Every kind of ERP connection that the sync file can name, by the word after `adapter:`. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(all.map((adapter) => [adapter.name, adapter]));
