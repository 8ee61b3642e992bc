import { ParkError } from "#model";
import { refusedFiles, settleFile } from "#pipeline";
import { z } from "zod";
import { defineAct } from "./act.ts";

/** How many refused files can be settled on the page at a time. */
const SHOWN = 5;

export const settleFileAct = defineAct({
  name: "files",
  target: "stream",
  help: "Settle a refused file: its rows are not needed, or they were delivered in another way",
  input: { name: z.string("the name of a refused file").min(1, "the name of a refused file") },
  inputHelp: "`name`, the refused file that is settled",
  isFinal: true,
  audit: "files",
  /** @throws {ParkError} E_NOT_RESOLVABLE when the stream has no such file. */
  async run({ store }, { target: stream, input: { name } }, by) {
    const known = await refusedFiles(store, stream);
    if (!known.some((file) => file.name === name)) {
      const names = known.map((file) => file.name).join(", ");
      const others = names === "" ? "no refused file of it waits for a person" : `expected one of ${names}`;
      throw new ParkError("E_NOT_RESOLVABLE", `${stream} has no refused file ${name}: ${others}. Nothing was changed`);
    }
    await store.acts.save(stream, { action: "files", outcome: `settled the refused file ${name}` }, by);
    await settleFile(store, stream, name);
  },
  forms: ({ refusedFiles: files = [] }) =>
    files.slice(0, SHOWN).map(({ name }) => ({
      label: `Settle ${name}`,
      means:
        "Do this if the rows of the file are not needed, or were delivered in another file. A later file of the same name settles it, too.",
      fields: [{ kind: "hidden", name: "name", value: name }],
    })),
  answersAttention: true,
  command: "files --settle",
});
