import { counted, recordLabel, type Actor, type RecordId } from "#model";
import type { OperatorStore, PrivacyStore, RecordStore, RecordView } from "#store";
import { labelOf, knownRecord } from "./known-record.ts";
import { defineAct } from "./act.ts";

/** Overwrites the stored contents; key and binding stay. */
export const forgetAct = defineAct({
  name: "forget",
  target: "record",
  needs: "store",
  help: "Overwrite the personal data that svcsync keeps of a record, and keep its binding",
  input: {},
  isFinal: true,
  audit: "forget",
  run: (systems, { target: id }, by) => forget(systems, id, by),
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
  command: "forget",
});

type ForgetStore = RecordStore & OperatorStore & { readonly privacy: PrivacyStore };

/** A record whose contents are to be forgotten, and where else they are kept. */
export interface Forgettable extends Pick<RecordView, "id" | "binding"> {
  /** The ERP reports it as deleted. */
  readonly isDeleted: boolean;
  /** Records that refer to it and have contents of their own. */
  readonly children: readonly RecordId[];
}

/** @throws {ParkError} E_RECORD_UNKNOWN. */
export async function forgettable(store: RecordStore, id: RecordId): Promise<Forgettable> {
  const { binding, deleted } = await knownRecord(store, id);
  return { id, binding, isDeleted: deleted, children: await store.boundChildren(id) };
}

/**
 * Overwrites what the store keeps of a record's contents. The key and the binding stay, so that nothing is created
 * twice.
 * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_FORGETTABLE.
 */
export async function forget({ store }: { readonly store: ForgetStore }, id: RecordId, by: Actor): Promise<void> {
  await knownRecord(store, id);
  await store.privacy.forget(id, by);
}

const EXAMPLES = 5;

/** Where else the contents of a record are kept, one sentence each. */
export function otherPlaces({ binding, isDeleted, children }: Forgettable): string[] {
  const labels = children.slice(0, EXAMPLES).map(recordLabel).join(", ");
  const isOne = children.length === 1;
  return [
    isDeleted
      ? "The ERP: it says that the record is deleted."
      : "The ERP: delete the row there, or anonymise it, first. As soon as a poll reads it again, it is stored and delivered again.",
    ...(binding ? [`The service: ${labelOf(binding)} is not changed. Delete or anonymise it there.`] : []),
    'Backups made before now: delete them once "svcsync backup" has made a new one.',
    ...(children.length === 0
      ? []
      : [
          `${counted(children.length, "record")} that ${isOne ? "refers" : "refer"} to it (${labels}${children.length > EXAMPLES ? ", …" : ""}): forget ${isOne ? "it" : "each of them"} with a separate command.`,
        ]),
    'Logs, messages that were sent, and cases that "svcsync peek --save" wrote.',
  ];
}
