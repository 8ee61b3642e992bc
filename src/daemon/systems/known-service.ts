import { z } from "zod";
import { StopError } from "#model";
import type { Settings } from "#settings";
import type { Note, Store, StoreLocation } from "#store";

/** The addresses (host and path) of the service whose ids the store holds. */
export const addressesNote: Note<readonly string[]> = { name: "service", schema: z.array(z.string()), isOfNames: true };
/** The tables that hold data from the service. */
const TABLES_OF_SERVICE = ["bindings", "intents", "match_indexes", "reference"];

/**
 * Refuses a SERVICE_URL of another service than the one whose ids the store holds, because the same ids mean other records there. Runs at
 * each start of each process. `join` stores the address if the store has no data of a service yet, or if SERVICE_FORMER_URL names a known
 * address of the same service.
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

/** False if the stored address never supplied any data (it was misspelt, for example) and no other daemon uses it. */
async function isInUse(store: Store): Promise<boolean> {
  const [members, counts] = [await store.cluster.members(), await store.tableCounts()];
  return members.length > 1 || TABLES_OF_SERVICE.some((table) => counts[table] !== 0);
}

function otherService(location: StoreLocation, known: readonly string[], url: string): StopError {
  const place = typeof location === "string" ? location : `the schema ${location.schema}`;
  return new StopError(
    "E_SERVICE_OTHER",
    `the store in ${place} belongs to the service at ${known.join(" or ")}, and SERVICE_URL is ${url}; if that is another address of the same service, set SERVICE_FORMER_URL to the known one, too`,
    { details: { known: [...known], url } },
  );
}
