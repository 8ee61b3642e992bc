import { counted, ParkError } from "#model";
import { confirmDeletions, heldDeletions } from "#pipeline";
import { defineAct } from "./act.ts";
import { whole } from "./inputs.ts";

export const deletionsAct = defineAct({
  name: "deletions",
  target: "stream",
  help: "Execute the deletions that the deletion guard holds, and no others",
  input: { count: whole(0) },
  inputHelp: "`count`, the expected number of deletions; any other number is refused",
  isFinal: true,
  audit: "deletions",
  wakes: "deliveries",
  /** @throws {ParkError} E_NOT_RESOLVABLE when a different number is held now than the person saw. */
  async run({ store }, { target: stream, input: { count } }, by) {
    // Deletions that arrive while these are counted are not included.
    const at = store.clock.now();
    const held = await heldDeletions(store, stream);
    if (held?.count !== count)
      throw new ParkError(
        "E_NOT_RESOLVABLE",
        `${held?.count ?? 0} deletions of ${stream} are held now, but you confirmed ${count}: check them again`,
      );
    await store.acts.save(stream, { action: "deletions", outcome: `confirmed ${count} of ${held.known}` }, by);
    await confirmDeletions(store, stream, held, at);
  },
  bulk: {
    count: (_, { count }) => count,
    asked: (_, { count }) => count,
    said: (count, _, stream) => `${counted(count, "deletion")} of ${stream} ${count === 1 ? "was" : "were"} confirmed.`,
  },
  page: "own",
  command: "deletions --confirm",
});
