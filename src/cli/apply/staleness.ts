import { addressesNote, sourceNote } from "#daemon";
import type { SyncFile } from "#mapping";
import { counted, ParkError, type RecordId } from "#model";
import { differencesText, mappingHashes, type PlanHead } from "#operator";
import { isSameSource } from "#sources";
import type { NoteStore } from "#store";

/** How many records are named that differ. */
const NAMED = 20;

/**
 * Expects that a plan was made with this sync file, for this service and this data of the ERP, as far as the store knows them.
 * @throws {ParkError} E_PLAN_STALE
 */
export async function expectSameSystems(head: PlanHead, syncFile: SyncFile, store: NoteStore): Promise<void> {
  const differs = [...mappingDifferences(head, syncFile)];
  const service = (await store.note(addressesNote)) ?? [];
  if (head.service.length > 0 && !head.service.some((address) => service.includes(address)))
    differs.push(`it is for the service at ${head.service.join(" or ")}, and the store belongs to ${textOf(service)}`);
  for (const { stream, source } of head.streams) {
    const now = await store.note(sourceNote(stream));
    if (source !== null && (now === undefined || !isSameSource(source, now)))
      differs.push(
        `${stream} was planned with data from ${source.address}, and comes from ${now?.address ?? "nowhere yet"}`,
      );
  }
  if (differs.length > 0) throw stale(differs.join("; "));
}

function* mappingDifferences({ mappings }: PlanHead, { streams }: SyncFile): Generator<string> {
  const now = mappingHashes(streams);
  const names = [...new Set([...Object.keys(mappings), ...Object.keys(now)])];
  const other = names.filter((name) => mappings[name] !== now[name]);
  if (other.length > 0) yield `the sync file differs in ${other.join(", ")}`;
}

function textOf(addresses: readonly string[]): string {
  return addresses.length === 0 ? "no service yet" : addresses.join(" or ");
}

function stale(why: string): ParkError {
  return new ParkError("E_PLAN_STALE", `the plan is not what svcsync would do now: ${why}. Nothing was written`);
}

/** Records of a plan that svcsync would not deliver as planned; only the first ones are kept. */
export class Differences {
  readonly #first: { readonly id: RecordId; readonly why: string }[] = [];
  #count = 0;

  add(found: { readonly id: RecordId; readonly why: string }): void {
    this.#count += 1;
    if (this.#first.length < NAMED) this.#first.push(found);
  }

  /** @throws {ParkError} E_PLAN_STALE if there are any. */
  expectNone(): void {
    if (this.#count === 0) return;
    const list = differencesText(this.#first, this.#count);
    throw new ParkError(
      "E_PLAN_STALE",
      `the plan is not what svcsync would do now. ${counted(this.#count, "record")} would be delivered otherwise, and nothing was written:\n${list}`,
      { details: { count: this.#count, records: this.#first.map(({ id, why }) => ({ ...id, why })) } },
    );
  }
}
