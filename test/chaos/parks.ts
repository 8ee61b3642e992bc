import { recordLabel } from "#model";
import type { Desk } from "./rig.ts";
import type { StreamVerdict } from "./verdict.ts";

/** Records that only a person can bring further, and whether the service explains them. */
export interface Parks {
  /** Tickets of the ERP that people merged into other tickets of the ERP. */
  readonly expected: number;
  readonly wrong: readonly string[];
}

/**
 * Reads the parked and uncertain records from the store. Expected are exactly the tickets that the service shows as merged into
 * a ticket with another key of the ERP, but for those that wait for a parent which never comes.
 */
export async function parks(desk: Pick<Desk, "openStore">, streams: readonly StreamVerdict[]): Promise<Parks> {
  await using store = await desk.openStore();
  const taken = new Map(
    streams.flatMap(({ stream, takenBy }) => [...takenBy].map(([key, by]) => [`${stream}/${key}`, by])),
  );
  const wrong: string[] = [];
  let expected = 0;
  for (const { id, state, error } of await store.records({ states: ["parked", "uncertain"], limit: 10_000 })) {
    if (error?.code === "E_TICKET_MERGED" && taken.delete(recordLabel(id))) expected += 1;
    else wrong.push(`${recordLabel(id)} is ${state}: ${error?.code}: ${error?.message}`);
  }
  for (const { stream, stuck } of streams)
    for (const key of stuck) {
      const { state, error } = (await store.record({ stream, key })) ?? {};
      if (state === "waiting" && error?.code === "E_PARENT_MISSING") taken.delete(recordLabel({ stream, key }));
    }
  wrong.push(...[...taken].map(([label, by]) => `${label} was merged into tickets/${by} and is not parked`));
  return { expected, wrong };
}
