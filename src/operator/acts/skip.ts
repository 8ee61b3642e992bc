import { counted, oneLine, ParkError, type RecordId, type RecordState } from "#model";
import { eachRecord, isAnswerable, type RecordStore } from "#store";
import { groupIds } from "../state/noted-groups.ts";
import { defineAct } from "./act.ts";
import { noTerminal, UsageError, type AtTerminal } from "./command.ts";
import { skipAll, skipGroupAct, type Skipped } from "./skip-group.ts";
import type { StoreSystems } from "./systems.ts";

interface SkipOptions {
  readonly code?: string;
  readonly group?: string;
  readonly yes?: boolean;
}

/** States in which a person may skip a record. */
const answerable: readonly RecordState[] = ["waiting", "parked", "uncertain"];

export const skipAct = defineAct({
  name: "skip",
  target: "record",
  help: "Leave a record out until the ERP changes it",
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
    help: "Leave records out until the ERP changes them: one, those of a stream with the same error, or those of one cause",
    arguments: { "[target]": "one record as stream/key, or a stream with --code; --group needs none" },
    options: [
      { flags: "--code <code>", help: "the records of the stream with this error" },
      { flags: "--group <id>", help: "the records of one cause, as svcsync groups lists them" },
      { flags: "--yes", help: "with --code and --group: do not ask for confirmation" },
    ],
    objection({ code, group, yes }: SkipOptions, { args: [target], canBeAsked }) {
      if ((group === undefined) === (target === undefined) || (group !== undefined && code !== undefined))
        return "Name one record as stream/key, a stream with --code, or a cause with --group.";
      return (group === undefined && code === undefined) || yes || canBeAsked
        ? undefined
        : noTerminal("leave the records out");
    },
    async run(systems, [target]: [RecordId | string], { code, group, yes = false }: SkipOptions, at) {
      const { warn } = at;
      const done = await skipNamed(systems, { target, code, group, yes }, at);
      if (done === "no") {
        warn("Nothing was left out.\n");
        return { needsPerson: true };
      }
      const { skipped, refused } = done;
      for (const { message, code } of refused) warn(`${oneLine(message)} (${code})\n`);
      const text = `${counted(skipped, "record")} left out until the ERP changes ${skipped === 1 ? "it" : "them"}.\n`;
      return { json: { skipped, refused: refused.length }, text, needsPerson: refused.length > 0 || skipped === 0 };
    },
  },
});

interface Named {
  readonly target: RecordId | string | undefined;
  readonly code: string | undefined;
  readonly group: string | undefined;
  readonly yes: boolean;
}

/** Asks about several records with their number, unless the person has confirmed it before. */
async function skipNamed(
  systems: StoreSystems,
  { target, code, group, yes }: Named,
  { by, signal, ask }: AtTerminal,
): Promise<Skipped | "no"> {
  const { store, streams } = systems;
  const isMeant = async (count: number) => {
    const them = count === 1 ? "it" : "them";
    const question = `Leave ${counted(count, "record")} out until the ERP changes ${them}? (yes/no)`;
    return yes || count === 0 || (await ask(question)) === true;
  };
  if (typeof target === "object") return skipAll(store, [target], by);
  if (group === undefined) {
    const ids = await withError(store, target, code);
    return (await isMeant(ids.length)) ? skipAll(store, ids, by) : "no";
  }
  const count = yes ? undefined : (await groupIds(store, streams, group)).length;
  if (count !== undefined && !(await isMeant(count))) return "no";
  return skipGroupAct.run(systems, { target: group, input: { count }, isConfirmed: true, signal }, by);
}

/** The records of a stream that met the same error. */
async function withError(
  store: RecordStore,
  stream: string | undefined,
  code: string | undefined,
): Promise<RecordId[]> {
  if (code === undefined)
    throw new UsageError(
      `Give the group with --code, as "svcsync records ${stream}" shows it, or one record as stream/key.`,
    );
  const ids: RecordId[] = [];
  for await (const { id, error } of eachRecord(store, { stream, states: answerable }))
    if (error?.code === code) ids.push(id);
  return ids;
}
