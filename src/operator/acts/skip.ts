import { counted, oneLine, ParkError, type RecordId, type RecordState } from "#model";
import { eachRecord, isAnswerable, type RecordStore } from "#store";
import { groupIds } from "../state/noted-groups.ts";
import { defineAct } from "./act.ts";
import { UsageError } from "./command.ts";
import { skipAll } from "./skip-group.ts";

interface SkipOptions {
  readonly code?: string;
  readonly group?: string;
}

/** States in which a person may skip a record. */
const answerable: readonly RecordState[] = ["waiting", "parked", "uncertain"];

export const skipAct = defineAct({
  name: "skip",
  target: "record",
  help: "Leave a record out until the ERP changes it, or all records of a stream with the same error",
  audit: "resolve",
  wakes: "deliveries",
  async run({ store }, { target }, by) {
    const [refused] = (await skipAll(store, [target], by)).refused;
    if (refused !== undefined) throw new ParkError("E_NOT_RESOLVABLE", refused.message);
  },
  forms: ({ record: { state } }) =>
    isAnswerable(state) && state !== "skipped"
      ? [{ label: "Leave it out", means: "It is not delivered until the ERP changes it." }]
      : [],
  command: {
    arguments: { "[target]": "one record as stream/key, or a stream with --code" },
    options: [
      { flags: "--code <code>", help: "the records of the stream with this error" },
      { flags: "--group <id>", help: "the records of one cause, as svcsync groups lists them" },
    ],
    objection: ({ code, group }: SkipOptions, { args: [target] }) =>
      (group === undefined) === (target === undefined) || (group !== undefined && code !== undefined)
        ? "Name one record as stream/key, a stream with --code, or a cause with --group."
        : undefined,
    async run({ store, streams }, [target]: [RecordId | string], { code, group }: SkipOptions, { by, warn }) {
      const ids =
        group !== undefined
          ? await groupIds(store, streams, group)
          : typeof target === "object"
            ? [target]
            : await withError(store, target, code);
      const { skipped, refused } = await skipAll(store, ids, by);
      for (const { message, code } of refused) warn(`${oneLine(message)} (${code})\n`);
      const text = `${counted(skipped, "record")} left out until the ERP changes ${skipped === 1 ? "it" : "them"}.\n`;
      return { json: { skipped, refused: refused.length }, text, needsPerson: refused.length > 0 || skipped === 0 };
    },
  },
});

/** The records of a stream that met the same error. */
async function withError(store: RecordStore, stream: string, code: string | undefined): Promise<RecordId[]> {
  if (code === undefined)
    throw new UsageError(
      `Give the group with --code, as "svcsync records ${stream}" shows it, or one record as stream/key.`,
    );
  const ids: RecordId[] = [];
  for await (const { id, error } of eachRecord(store, { stream, states: answerable }))
    if (error?.code === code) ids.push(id);
  return ids;
}
