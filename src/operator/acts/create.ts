import { type Actor, ParkError, type RecordId, recordLabel } from "#model";
import type { Stream } from "#mapping";
import type { OperatorStore, RecordStore, RecordView } from "#store";
import { recordWord } from "../text/shell.ts";
import { defineAct } from "./act.ts";
import { instantOrNone } from "./inputs.ts";
import { knownRecord } from "./known-record.ts";

export const createAct = defineAct({
  name: "create",
  target: "record",
  help: "Create a record again: the service does not have it",
  input: { begunAt: instantOrNone.optional() },
  inputHelp:
    "`begunAt`, optional: that of the record's `intent`, or empty without one; if another create has begun since then, the act is refused",
  isFinal: true,
  audit: "resolve",
  wakes: "deliveries",
  run({ store, streams }, { target: id, input: { begunAt } }, by) {
    const stream = streams.find(({ name }) => name === id.stream);
    return resolve({ store }, { id, answer: "create", begunAt, stream }, by);
  },
  forms({ record, create }) {
    if (create === "never" || !canBeNew(record)) return [];
    const { state, intent } = record;
    return [
      {
        label: state === "uncertain" || isGone(record) ? "Create it again" : "Create a new one",
        means: isGone(record)
          ? "The service no longer has it; a new record is created there and bound."
          : "You looked in the service, and it is not there. If it is, this makes a duplicate.",
        // If another person repeated the create meanwhile, the record may be in the service.
        fields: [
          {
            kind: "hidden",
            name: "begunAt",
            value: intent === undefined ? "" : new Date(intent.begunAt).toISOString(),
          },
        ],
      },
    ];
  },
  command: "resolve --create",
});

/** States in which a person may say that the service does not have the record. */
function canBeNew(record: RecordView): boolean {
  const { state, error, binding } = record;
  if (binding !== undefined) return isGone(record);
  return state === "uncertain" || error?.code === "E_MATCH_AMBIGUOUS" || error?.code === "E_UNBOUND";
}

function isGone({ state, error }: RecordView): boolean {
  return state === "parked" && error?.code === "E_RECORD_GONE";
}

export interface ResolveInput {
  readonly id: RecordId;
  readonly answer: "create" | "skip";
  /** Undefined for a stream that is no longer in the sync file. */
  readonly stream?: Pick<Stream, "name" | "create"> | undefined;
  /**
   * When the create began whose result the person looked for, or `none` if there was none; undefined where that is not
   * known.
   */
  readonly begunAt?: number | "none" | undefined;
}

/**
 * Answers a create with an unknown result, or a parked record, without binding it.
 * @throws {ParkError} E_RECORD_UNKNOWN; E_NOT_RESOLVABLE, also where a different create has begun since, because the
 * person did not look for its result, and for a create in a stream that creates none.
 */
export async function resolve(
  { store }: { readonly store: RecordStore & OperatorStore },
  { id, answer, begunAt, stream }: ResolveInput,
  by: Actor,
): Promise<void> {
  if (answer === "create" && stream?.create === "never")
    throw new ParkError(
      "E_NOT_RESOLVABLE",
      `${stream.name} has create: never in the sync file, so svcsync creates no record there: "svcsync resolve ${recordWord(id)} --bind ID" binds one that the service has, "--skip" leaves it out. Nothing was changed`,
    );
  const { intent } = await knownRecord(store, id);
  if (begunAt !== undefined && (intent?.begunAt ?? "none") !== begunAt)
    throw new ParkError(
      "E_NOT_RESOLVABLE",
      `${recordLabel(id)} was answered or delivered meanwhile: look again whether the service has it. Nothing was changed`,
    );
  await store.resolve(id, { kind: answer }, by);
}
