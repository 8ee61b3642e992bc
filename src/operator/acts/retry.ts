import { recordLabel, type Actor, type RecordId } from "#model";
import { eachRecord, type OperatorStore, type RecordStore } from "#store";
import { retriableStates } from "../state/attention.ts";
import { defineAct } from "./act.ts";
import { knownRecord } from "./known-record.ts";
import { retryGroupAct } from "./retry-group.ts";

interface RetryOptions {
  readonly code?: string;
  readonly group?: string;
}

const states = ["parked", "waiting"] as const;

export const retryAct = defineAct({
  name: "retry",
  target: "record",
  help: "Retry parked and waiting records: a running daemon does so within seconds, otherwise the next sync",
  audit: "retry",
  wakes: "deliveries",
  /** Also if a person skipped it. Resolves to how many records are due now. */
  run: ({ store }, { target }, by) => store.retryNow({ ...target, states: [...states, "skipped"] }, by),
  answer: (due, common) => ({ ...common, due }),
  forms: ({ record: { state } }) => (retriableStates.includes(state) ? [{ label: "Try again now" }] : []),
  command: {
    arguments: { "[target]": "a stream, or one record as stream/key (default: everything)" },
    options: [
      { flags: "--code <code>", help: "only records with this error" },
      { flags: "--group <id>", help: "the records of one cause, as svcsync groups lists them" },
    ],
    objection: ({ group, code }: RetryOptions, { args: [target] }) =>
      group !== undefined && (target !== undefined || code !== undefined)
        ? "--group names the records: leave the target and --code out."
        : undefined,
    async run(systems, [target]: [RecordId | string | undefined], { code, group }: RetryOptions, { by, signal, warn }) {
      const { store } = systems;
      const isRecord = typeof target === "object";
      const common = { input: {}, isConfirmed: true, signal };
      let due: number;
      if (group !== undefined) due = await retryGroupAct.run(systems, { target: group, ...common }, by);
      else if (code !== undefined) due = await retryWithCode(store, target, code, by);
      else if (isRecord) due = await retryAct.run(systems, { target, ...common }, by);
      else due = await store.retryNow({ stream: target, states }, by);
      if (due === 0 && isRecord) {
        const { state } = await knownRecord(store, target);
        warn(`${recordLabel(target)} is ${state}: there is nothing to try again.\n`);
        return { needsPerson: true };
      }
      return { json: { due }, text: `${due} record${due === 1 ? " is" : "s are"} due again.\n` };
    },
  },
});

/** Makes the records due that met this error: of a stream, of all, or one. */
async function retryWithCode(
  store: RecordStore & OperatorStore,
  target: RecordId | string | undefined,
  code: string,
  by: Actor,
): Promise<number> {
  const { stream, key } = typeof target === "object" ? target : { stream: target };
  const ids: RecordId[] = [];
  for await (const { id, error } of eachRecord(store, { stream, states }))
    if (error?.code === code && (key === undefined || id.key === key)) ids.push(id);
  let count = 0;
  for (const id of ids) count += await store.retryNow({ ...id, states }, by);
  return count;
}
