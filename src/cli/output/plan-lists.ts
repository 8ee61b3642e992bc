import { addressesNote, sourceNote } from "#daemon";
import type { Stream, SyncFile } from "#mapping";
import { systemClock } from "#model";
import { csvHead, csvRows, mappingHashes, PlanFileText, type PlanHead } from "#operator";
import type { PlannedDelivery } from "#pipeline";
import type { Store } from "#store";
import { version } from "#telemetry";
import type { Io } from "./io.ts";
import { NewFile } from "./new-file.ts";

/** Gets each planned record, in the order of the plan. */
type Each = (planned: PlannedDelivery) => Promise<void>;

export interface Planned {
  readonly store: Store;
  readonly syncFile: SyncFile;
  /** The streams that are planned. */
  readonly planned: readonly Stream[];
}

/** Plans with `plan`, and writes each record to the files that the options name: for people (`--csv`), and for `apply` (`--out`). */
export async function withLists<Result>(
  { csv, out }: { readonly csv?: string; readonly out?: string },
  planned: Planned,
  io: Io,
  plan: (each: Each) => Promise<Result>,
): Promise<Result> {
  const withCsv = (each: Each) => {
    if (csv === undefined) return plan(each);
    return NewFile.write("--csv", csv, async (file) => {
      await file.add(csvHead);
      return plan(async (delivery) => {
        await each(delivery);
        await file.add(csvRows(delivery));
      });
    });
  };
  if (out === undefined) return withCsv(() => Promise.resolve());
  return NewFile.write("--out", out, async (file) => {
    const text = new PlanFileText(io.redaction.redact);
    await file.add(text.head(await headOf(planned)));
    const result = await withCsv((delivery) => file.add(text.record(delivery)));
    await file.add(text.end());
    return result;
  });
}

/** Read before the plan is made: what changes meanwhile makes the file outdated. */
async function headOf({ store, syncFile, planned }: Planned): Promise<Omit<PlanHead, "svcsyncPlan">> {
  const streams: PlanHead["streams"] = [];
  for (const { name } of planned) {
    const { cursor, sequence } = await store.stream(name);
    streams.push({ stream: name, source: (await store.note(sourceNote(name))) ?? null, cursor, sequence });
  }
  return {
    version,
    createdAt: new Date(systemClock.now()).toISOString(),
    service: [...((await store.note(addressesNote)) ?? [])],
    mappings: mappingHashes(syncFile.streams),
    streams,
  };
}
