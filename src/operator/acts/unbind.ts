import { ParkError, type RecordId, recordLabel, type ServiceId } from "#model";
import { shownAs } from "#pipeline";
import { recordWord } from "../text/shell.ts";
import { sideText } from "../text/sides.ts";
import { defineAct } from "./act.ts";
import { noTerminal, type AtTerminal, type Ended } from "./command.ts";
import { whole } from "./inputs.ts";
import { knownRecord, knownStream, labelOf } from "./known-record.ts";
import type { StoreSystems } from "./systems.ts";

interface UnbindOptions {
  readonly from?: ServiceId;
  readonly yes?: boolean;
}

export const unbindAct = defineAct({
  name: "unbind",
  target: "record",
  help: "Unbind a record that is bound to the wrong record in the service",
  input: { serviceId: whole(1).optional() },
  inputHelp: "`serviceId`, optional: if the record is bound to another one, the act is refused",
  isFinal: true,
  audit: "unbind",
  /**
   * The record is then held until a person resolves it: the service record may have its natural key by now, and without
   * such a key a create would duplicate it.
   * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_RESOLVABLE.
   */
  async run({ store }, { target: id, input: { serviceId } }, by) {
    const { binding } = await knownRecord(store, id);
    if (binding && serviceId !== undefined && binding.serviceId !== serviceId)
      throw new ParkError(
        "E_NOT_RESOLVABLE",
        `${recordLabel(id)} is bound to ${labelOf(binding)} now, not to ${serviceId}: check it again. Nothing was changed`,
      );
    if (!binding) throw new ParkError("E_NOT_RESOLVABLE", `${recordLabel(id)} is not bound: there is nothing to end`);
    await store.resolve(id, { kind: "unbind" }, by);
    return binding;
  },
  forms: ({ record: { state, binding } }) =>
    binding !== undefined && state !== "claimed"
      ? [
          {
            label: "End the binding",
            means: `It no longer belongs to ${labelOf(binding)}; nothing changes in the service. It then waits for your decision.`,
            fields: [{ kind: "hidden", name: "serviceId", value: binding.serviceId }],
          },
        ]
      : [],
  command: {
    arguments: { "<record>": "" },
    options: [
      { flags: "--from <id>", help: "only if it is bound to this record of the service", takes: "number" },
      { flags: "--yes", help: "do not ask for confirmation" },
    ],
    words: `
It shows both sides of the binding and asks. Without a terminal it needs --yes.
What happens next: the record in the service stays as it is, with the values that were written to it. The record of the ERP is
parked (E_UNBOUND) and stays held, whatever changes in the ERP: nothing is bound, created or deleted for it until you answer with
"svcsync resolve STREAM/KEY --bind ID", --create or --skip. Records that refer to it wait when they change, and are written with
the new id once it is bound again.
`,
    objection: ({ yes }: UnbindOptions, { canBeAsked }) =>
      yes || canBeAsked ? undefined : noTerminal("end the binding"),
    async run(systems, [id]: [RecordId], options: UnbindOptions, at): Promise<Ended> {
      const serviceId = await meant(systems, id, options, at);
      if (serviceId === "no") return { needsPerson: true };
      const { by, signal } = at;
      const binding = await unbindAct.run(systems, { target: id, input: { serviceId }, isConfirmed: true, signal }, by);
      const text = `${recordLabel(id)} is no longer bound to ${labelOf(binding)}, which stays in the service as it is.
Nothing is sent for the record until you resolve it: "svcsync resolve ${recordWord(id)} --bind ID", --create or --skip.
`;
      return { json: { id, unbound: binding }, text };
    },
  },
});

/** Shows what is bound and asks. Returns the record of the service that the person means; undefined means whichever it is. */
async function meant(
  { store, streams }: StoreSystems,
  id: RecordId,
  { yes, from }: UnbindOptions,
  { print, warn, ask }: AtTerminal,
): Promise<ServiceId | "no" | undefined> {
  const { binding, applied } = await knownRecord(store, id);
  // What cannot be ended is refused below, without a question.
  if (yes || binding === undefined || (from !== undefined && from !== binding.serviceId)) return from;
  const stream = knownStream(streams, id.stream);
  print(`${sideText(recordLabel(id), shownAs(stream, applied ?? {}))} is bound to ${labelOf(binding)}.\n`);
  if ((await ask("End this binding? (yes/no)")) === true) return binding.serviceId;
  warn("The binding was not ended.\n");
  return "no";
}
