import { z } from "zod";
import { StopError } from "#model";
import type { Settings } from "#settings";
import type { Note, Store, StoreLocation } from "#store";

/** The addresses of the service whose ids the store holds: hosts with their paths. */
const addressesNote: Note<readonly string[]> = { name: "service", schema: z.array(z.string()), isOfNames: true };
/** Where a store keeps what it has from the service. */
const TABLES_OF_SERVICE = ["bindings", "intents", "match_indexes", "reference"];

/**
 * Refuses a SERVICE_URL that is not the service's whose ids the store holds, at each start and for each replica: in another service they are the
 * ids of other records. `join` notes the address where the store has nothing of a service, or where SERVICE_FORMER_URL says that it is one more
 * of this one.
 * @throws {StopError} E_SERVICE_OTHER
 */
export async function expectKnownService(
  store: Store,
  location: StoreLocation,
  { url, formerUrl = url }: Pick<Settings["service"], "url" | "formerUrl">,
  join: boolean,
): Promise<void> {
  const [own, former] = [addressOf(url), addressOf(formerUrl)];
  for (;;) {
    const known = await store.note(addressesNote);
    if (known?.includes(own)) return;
    const isSame = known === undefined || known.includes(former);
    if (!isSame && (await isInUse(store))) throw otherService(location, known, url);
    const all = new Set([...(isSame ? (known ?? []) : []), former, own]);
    if (!join || (await store.replaceNote(addressesNote, known, [...all]))) return;
  }
}

function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname.replace(/\/$/, "");
}

/** Not while nothing has come from the address that was noted, as where it was misspelt, and no other replica waits for it. */
async function isInUse(store: Store): Promise<boolean> {
  const [replicas, counts] = [await store.replicas.list(), await store.tableCounts()];
  return replicas.length > 1 || TABLES_OF_SERVICE.some((table) => counts[table] !== 0);
}

function otherService(location: StoreLocation, known: readonly string[], url: string): StopError {
  const place = typeof location === "string" ? location : `the schema ${location.schema}`;
  return new StopError(
    "E_SERVICE_OTHER",
    `the store in ${place} belongs to the service at ${known.join(" or ")}, and SERVICE_URL is ${url}; if that is another address of the same service, set SERVICE_FORMER_URL to the known one, too`,
    { details: { known: [...known], url } },
  );
}
