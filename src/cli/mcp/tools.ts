import { z } from "zod";
import { RECORD_STATES, recordLabel } from "#model";
import { recordNamed } from "../arguments.ts";
import { openStoreContext, type StoreContext } from "../command-context.ts";
import { readFindings } from "../commands/setup/check.ts";
import { readRecord, subject } from "../commands/views/explain.ts";
import { readPlanOf, readPlans } from "../commands/views/plan.ts";
import { listRecords } from "../commands/views/records.ts";
import { readStatus } from "../commands/views/status.ts";
import { UsageError } from "../output/io.ts";
import type { ToolCall } from "./call.ts";
import { syncFileHelp } from "./sync-file-help.ts";
import { tool, type Tool } from "./tool.ts";

const RECORDS_SHOWN = 25;
const MOST_RECORDS = 200;

const record = z.string().describe("A record as stream/key, for example customers/10023.");

const status = tool({
  name: "status",
  title: "State of all streams",
  description:
    "The state of each stream, the causes of parked and uncertain records, and scheduled work: what `svcsync status --json` prints. " +
    "Begin here. It reads the store alone.",
  input: z.strictObject({}),
  read: (_given, call) => reading(call, [], readStatus),
});

const explain = tool({
  name: "explain",
  title: "Why one record is as it is, or what an error code means",
  description:
    "For a record: the ERP's row, what was last written to the service, the error, what it waits for, and its history, newest first. " +
    "For an error code such as E_MAPPING: what it means, whether it is normal, and what to do. What `svcsync explain --json` prints. " +
    "It contains the record's data, personal data too.",
  input: z.strictObject({
    what: z
      .string()
      .describe("A record as stream/key, for example customers/10023, or an error code such as E_MAPPING."),
  }),
  async read({ what }, call) {
    const id = subject(what);
    if ("code" in id) return id;
    const facts = await reading(call, [id.stream], (context) => readRecord(id, context));
    if (typeof facts === "string") throw new UsageError(facts.trimEnd());
    return facts;
  },
});

const records = tool({
  name: "records",
  title: "List records by state or error",
  description:
    "Records of one stream or of all, in the order of their names; by default those that need a person (parked and uncertain). " +
    "Each is what `svcsync records --json` prints in one line, with the record's data. Where there are more, `next` is the value of `after` for the next page.",
  input: z.strictObject({
    stream: z.string().optional().describe("Only this stream of the sync file."),
    state: z.array(z.enum(RECORD_STATES)).min(1).optional().describe("Only records in these states."),
    code: z.string().optional().describe("Only records with this error code."),
    after: record.optional().describe("Only records after this one, as stream/key."),
    limit: z.int().min(1).max(MOST_RECORDS).default(RECORDS_SHOWN).describe("At most this many records."),
  }),
  async read({ stream, state, code, after, limit }, call) {
    const query = { stream, state, code, after: after === undefined ? undefined : recordNamed(after) };
    const found = await reading(call, [stream], ({ store }) => listRecords(store, query, limit + 1));
    const shown = found.slice(0, limit);
    return { records: shown, ...(found.length > limit ? { next: recordLabel(shown.at(-1)!.id) } : {}) };
  },
});

const plan = tool({
  name: "plan",
  title: "What the next run would write",
  description:
    "The writes of the next run, per stream: counts, the fields that change, a few examples per kind, and causes of records that " +
    "cannot be delivered. With `record`, the plan of that record alone; null if the next run leaves it alone. What `svcsync plan --json` prints. It reads the store " +
    "alone and confirms nothing; a large store takes seconds.",
  input: z.strictObject({
    streams: z.array(z.string()).min(1).optional().describe("Only these streams of the sync file."),
    record: record.optional(),
  }),
  async read({ streams = [], record: label }, call) {
    const { signal } = call.io;
    if (label === undefined)
      return reading(call, streams, async (context) => ({ plans: await readPlans(context, streams, signal) }));
    if (streams.length > 0) throw new UsageError("Give streams or record, not both.");
    const id = recordNamed(label);
    return reading(call, [id.stream], (context) => readPlanOf(id, context, signal));
  },
});

const check = tool({
  name: "check",
  title: "Verify settings, sync file, ERP and service",
  description:
    "Findings on settings, sync file, store, ERP and service, each with what to do: what `svcsync check --json` prints. It reads a " +
    "few rows of each stream from the ERP, and names and field lists from the service, so ask for it only when needed. What it leaves " +
    "out is in `notChecked`. With `offline`, it reads settings and sync file alone.",
  input: z.strictObject({
    offline: z.boolean().default(false).describe("Verify only settings and sync file, without network and store."),
  }),
  isRemote: true,
  async read({ offline }, { options, io }) {
    const { findings, notChecked } = await readFindings({ ...options, offline, writesNothing: true }, io);
    return { findings, notChecked };
  },
});

const help = tool({
  name: "sync_file_help",
  title: "What may be written in the sync file",
  description:
    "What may stand at a place of the sync file: the accepted forms, the words below it, and the section of the documentation. " +
    "Ask before you propose a change of the sync file, and again for each word that you use.",
  input: z.strictObject({
    path: z
      .string()
      .default("")
      .describe(
        "The place, with a dot between words, as errors name it: streams.customers.fields.name. Empty: the whole file.",
      ),
    adapter: z
      .string()
      .optional()
      .describe("The adapter of the source; needed below sources.NAME and streams.NAME.read."),
  }),
  read: ({ path, adapter }) => Promise.resolve(syncFileHelp(path, adapter)),
});

/** All tools. None of them can write: each opens the store as a reader, and none has an act of an operator. */
export const tools: readonly Tool[] = [status, explain, records, plan, check, help];

async function reading<Facts>(
  { options, io }: ToolCall,
  names: readonly (string | undefined)[],
  read: (context: StoreContext) => Promise<Facts>,
): Promise<Facts> {
  await using context = await openStoreContext(options, io, names, "reader");
  return await read(context);
}
