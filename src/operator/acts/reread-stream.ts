import { counted, oneLine, recordLabel, type Key, type StreamName } from "#model";
import { rereadNote } from "#pipeline";
import { defineAct } from "./act.ts";
import type { AtTerminal, Ended } from "./command.ts";
import { rereadKeys } from "./reread-record.ts";
import type { ActSystems } from "./systems.ts";

export const rereadStreamAct = defineAct({
  name: "reread",
  target: "stream",
  help: "Have the next poll read a stream from its beginning",
  audit: "reread",
  /** Unchanged rows cost no request to the service. */
  async run({ store }, { target }, by) {
    await store.acts.save(target, { action: "reread", outcome: "from the beginning" }, by);
    await store.saveNote(rereadNote(target), true);
  },
  forms: ({ name }) => [
    {
      label: `Read ${name} again`,
      means: "The next poll reads all rows of the ERP. Unchanged rows cause no request to the service.",
    },
  ],
  command: {
    help: "Have the next poll read a stream from its beginning, or read single records now",
    arguments: { "<stream>": "the stream", "[keys...]": "keys of records to read now (default: the whole stream)" },
    needsSystems: ([, keys]: [StreamName, readonly Key[]]) => keys.length > 0,
    async run(systems: ActSystems, [stream, keys]: [StreamName, readonly Key[]], _, at) {
      if (keys.length > 0) return singleRecords(systems, stream, keys, at);
      const { by, signal } = at;
      await rereadStreamAct.run(systems, { target: stream, input: {}, isConfirmed: true, signal }, by);
      const text = `The next poll reads ${stream} from its beginning. Unchanged rows cost no request to the service.\n`;
      return { json: { stream, whole: true }, text };
    },
  },
});

async function singleRecords(
  { store, sources }: ActSystems,
  stream: StreamName,
  keys: readonly Key[],
  { by, signal, warn }: AtTerminal,
): Promise<Ended> {
  const read = await rereadKeys({ store, source: sources.streams.get(stream)! }, { stream, keys, signal }, by);
  for (const key of read.missing) warn(`The ERP does not have ${oneLine(recordLabel({ stream, key }))}.\n`);
  const text = `${counted(read.changed, "changed record")} will be delivered, ${read.unchanged} unchanged.\n`;
  return { json: { stream, ...read }, text, needsPerson: read.missing.length > 0 };
}
