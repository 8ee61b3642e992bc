import type { Secrets } from "./secrets.ts";
import type { LocalSettings } from "./local-settings.ts";

/** Where the store is: a database and a schema in it, or the folder of its file. */
export function storeLocation(
  { dataDir, store }: Pick<LocalSettings, "dataDir" | "store">,
  { storeUrl }: Pick<Secrets, "storeUrl">,
): string | { readonly url: string; readonly schema: string } {
  return storeUrl === undefined ? dataDir : { url: storeUrl, schema: store.schema };
}
