import { counted, recordLabel, type RecordId } from "#model";
import type { RecordView } from "#store";
import { returnsOfRecord } from "../state/returns-of-record.ts";
import { returnLabel } from "../text/return-text.ts";
import { defineAct } from "./act.ts";
import { noTerminal, UsageError, type Ended } from "./command.ts";
import { knownRecord, labelOf } from "./known-record.ts";
import type { StoreSystems } from "./systems.ts";

export const forgetAct = defineAct({
  name: "forget",
  target: "record",
  help: "Overwrite the personal data that svcsync keeps of a record, and keep its binding",
  isFinal: true,
  audit: "forget",
  /**
   * Key and binding stay, so that nothing is created twice.
   * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_FORGETTABLE.
   */
  async run({ store, returns }, { target: id }, by) {
    const record = await knownRecord(store, id);
    const told = await returnsOfRecord(store.returns, returns, record);
    for (const { stream, subject } of told) await store.returns.forget(stream, subject);
    await store.privacy.forget(id, by);
  },
  forms: ({ record: { state } }) =>
    state === "due" || state === "claimed" || state === "uncertain"
      ? []
      : [
          {
            label: "Forget its personal data",
            means:
              "Row, written values and details of its history are overwritten here; key and binding stay. Delete or anonymise it in the ERP and in the service first. Backups made before now still hold it.",
          },
        ],
  command: {
    arguments: { "<record>": "" },
    options: [{ flags: "--yes", help: "do not ask for confirmation" }],
    words: `
Overwritten: the ERP's row and its hash, what was written to the service, errors, recorded requests, and in the history what was
written and the reasons that people gave. Kept: key, binding, who did what and when. Do not repeat personal data in --why.
It cannot be undone. The file of the store is rewritten: seconds per gigabyte, in which a running daemon waits.
`,
    isOfAnyStream: true,
    async run(
      systems,
      [id]: [RecordId],
      { yes }: { readonly yes?: boolean },
      { by, signal, warn, ask },
    ): Promise<Ended> {
      const record = await forgettable(systems, id);
      const places = otherPlaces(record);
      const placesText = `Its contents are also elsewhere:\n${places.map((place) => `- ${place}\n`).join("")}`;
      if (!yes) {
        warn(`${placesText}\n`);
        const answer = await ask(`Forget ${recordLabel(id)}? This cannot be undone. (yes/no)`);
        if (answer === undefined) throw new UsageError(noTerminal("forget it"));
        if (!answer) {
          warn("Nothing was forgotten.\n");
          return { needsPerson: true };
        }
      }
      await forgetAct.run(systems, { target: id, input: {}, isConfirmed: true, signal }, by);
      const bound = record.binding ? `; it stays bound to ${labelOf(record.binding)}` : "";
      const text = `Forgot ${recordLabel(id)}${bound}.\n${yes ? placesText : ""}`;
      return { json: { ...record, otherPlaces: places }, text };
    },
  },
});

/** A record whose contents are to be forgotten, and where else they are kept. */
interface Forgettable extends Pick<RecordView, "id" | "binding"> {
  /** The ERP reports it as deleted. */
  readonly isDeleted: boolean;
  /** Records that refer to it and have contents of their own. */
  readonly children: readonly RecordId[];
  /** What went back to the ERP for it. */
  readonly returns: readonly string[];
}

async function forgettable({ store, returns }: StoreSystems, id: RecordId): Promise<Forgettable> {
  const record = await knownRecord(store, id);
  const { binding, deleted } = record;
  const told = (await returnsOfRecord(store.returns, returns, record)).map(returnLabel);
  return { id, binding, isDeleted: deleted, children: await store.children(id, "bound"), returns: told };
}

const EXAMPLES = 5;

/** Where else the contents of a record are kept, one sentence each. */
function otherPlaces({ binding, isDeleted, children, returns }: Forgettable): string[] {
  const labels = children.slice(0, EXAMPLES).map(recordLabel).join(", ");
  const isOne = children.length === 1;
  return [
    isDeleted
      ? "The ERP: it says that the record is deleted."
      : "The ERP: delete the row there, or anonymise it, first. As soon as a poll reads it again, it is stored and delivered again.",
    ...(binding ? [`The service: ${labelOf(binding)} is not changed. Delete or anonymise it there.`] : []),
    ...(returns.length === 0
      ? []
      : [
          `The ERP's copy of what went back to it (${returns.join(", ")}), in the inbox too: svcsync never changes it.`,
        ]),
    'Backups made before now: delete them once "svcsync backup" has made a new one.',
    ...(children.length === 0
      ? []
      : [
          `${counted(children.length, "record")} that ${isOne ? "refers" : "refer"} to it (${labels}${children.length > EXAMPLES ? ", …" : ""}): forget ${isOne ? "it" : "each of them"} with a separate command.`,
        ]),
    'Logs, messages that were sent, and cases that "svcsync peek --save" wrote.',
  ];
}
