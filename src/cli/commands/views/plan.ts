import { grouped, type RecordId } from "#model";
import {
  confirmPlan,
  confirmText,
  deliveryText,
  heldCount,
  knownRecord,
  MARKDOWN_SAMPLES,
  planMarkdown,
  planStream,
  planText,
  shellQuoted,
  type StreamPlan,
  type StreamPlanDeps,
} from "#operator";
import { isChange, type PlannedDelivery } from "#pipeline";
import { redacted } from "#telemetry";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { recordNamed } from "../../arguments.ts";
import { openStoreContext, type Registration, type StoreContext } from "../../command-context.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";
import { withLists } from "../../output/plan-lists.ts";
import { openStorePlanner } from "../../store-planner.ts";

interface PlanOptions extends ActOptions {
  readonly record?: RecordId;
  readonly csv?: string;
  readonly markdown?: boolean;
  readonly out?: string;
  readonly confirm?: string;
}

const planWords = `
Neither the ERP nor the service is queried. A changed sync file is planned before the daemon uses it: every record of a stream whose
mapping changed is mapped again and compared with what was last written. What only the service knows stays open: whether it refuses
a value, whether a record was deleted there. Names (lookups) and natural keys are used as they were last read.
Exit codes: 0 nothing changes, 2 the next run would change something.
`;

export const registerPlan: Registration = (cli) =>
  withActor(
    cli
      .command("plan", "Show what the next run would write, from the store alone; write nothing")
      .argument("[streams...]", "these streams (default: all)")
      .option("--record <record>", "one record as stream/key", recordNamed)
      .option("--csv <file>", "write every field that would be written")
      .option("--out <file>", "write the plan to a new file, which apply carries out")
      .option("--markdown", "print a summary for a comment on a pull request")
      .option(
        "--confirm <plan>",
        "release what the change guard, the mass-change guard or the mail guard holds, by the id of its plan",
      ),
  )
    .addHelpText("after", planWords)
    .action(cli.action(plan));

/**
 * `svcsync plan [STREAM…]`: shows what the next run would write. Writes nothing, unless `--confirm` releases a held
 * mapping.
 */
async function plan(names: readonly string[], options: PlanOptions, io: Io): Promise<number> {
  expectCombinable(options);
  await using context = await openStoreContext(options, io, [...names, options.record?.stream]);
  if (options.record) return await planRecord(options.record, context, options, io);
  const shown = options.markdown ? MARKDOWN_SAMPLES : undefined;
  const planned = context.syncFile.streams.filter(({ name }) => names.length === 0 || names.includes(name));
  const plans = await withLists(options, { ...context, planned }, io, (each) =>
    readPlans(context, names, io.signal, { shown, each }),
  );
  if (options.confirm !== undefined) return await confirm(options.confirm, plans, context, options, io);
  // Before the text is spelled as Markdown, which no secret would be recognised in.
  if (options.markdown) io.stdout.write(planMarkdown(redacted(plans, io.redaction.redact)));
  else if (options.json) printJson(io.stdout, { plans });
  else io.stdout.write(asText(plans, options));
  return plans.some(({ isChange }) => isChange) ? exitCode.changes : exitCode.ok;
}

function expectCombinable({ record, confirm, markdown, json, out }: PlanOptions): void {
  if (out !== undefined && (record || confirm !== undefined))
    throw new UsageError(
      "--out keeps the plan of whole streams before a person decides: leave --record and --confirm out.",
    );
  if (record && confirm !== undefined)
    throw new UsageError("--confirm releases the plan of a whole stream: leave --record out.");
  if (!markdown) return;
  if (record) throw new UsageError("--markdown sums up whole streams: leave --record out.");
  if (confirm !== undefined) throw new UsageError("--confirm prints what it released: leave --markdown out.");
  if (json) throw new UsageError("Choose one of --json and --markdown.");
}

/** The plans that `svcsync plan --json` prints, of these streams or of all. */
export async function readPlans(
  context: StoreContext,
  names: readonly string[],
  signal: AbortSignal,
  more: Pick<StreamPlanDeps, "shown" | "each"> = {},
): Promise<StreamPlan[]> {
  const { store, settings, syncFile } = context;
  const deps = { store, planner: await openStorePlanner(context), changeGuard: settings.changeGuard, ...more };
  const found: StreamPlan[] = [];
  for (const stream of syncFile.streams)
    if (names.length === 0 || names.includes(stream.name)) found.push(await planStream(stream, deps, signal));
  return found;
}

/**
 * What `svcsync plan --record STREAM/KEY --json` prints: null where the next run leaves the record alone.
 * @throws {ParkError} when the store does not have it.
 */
export async function readPlanOf(
  id: RecordId,
  context: StoreContext,
  signal: AbortSignal,
): Promise<{ readonly planned: PlannedDelivery | null }> {
  await knownRecord(context.store, id);
  const planner = await openStorePlanner(context);
  return { planned: (await planner.planOne(id, signal)) ?? null };
}

async function planRecord(id: RecordId, context: StoreContext, { json }: PlanOptions, io: Io): Promise<number> {
  const facts = await readPlanOf(id, context, io.signal);
  const { planned } = facts;
  if (json) printJson(io.stdout, facts);
  else if (planned) io.stdout.write(`${deliveryText(planned)}\n`);
  else io.stdout.write(`The next run leaves it alone; "svcsync explain" shows how it is.\n`);
  return planned && isChange(planned) ? exitCode.changes : exitCode.ok;
}

async function confirm(
  id: string,
  plans: readonly StreamPlan[],
  { store, syncFile }: StoreContext,
  options: PlanOptions,
  io: Io,
): Promise<number> {
  const meant = await confirmPlan({ store }, { id, plans, streams: syncFile.streams }, commandActor(options));
  const { stream, mailHeld } = meant;
  const updates = heldCount(meant);
  if (options.json) printJson(io.stdout, { confirmed: { stream, plan: id, updates } });
  else
    io.stdout.write(
      `Confirmed: ${grouped(updates)} ${mailHeld === undefined ? "updates" : "new records"} of ${stream}. A running daemon with this sync file writes them within seconds; otherwise the next run does.\n`,
    );
  return exitCode.ok;
}

function asText(plans: readonly StreamPlan[], { csv, out }: PlanOptions): string {
  const held = plans.filter(({ isHeld }) => isHeld).map((each) => `${confirmText(each)}\n`);
  const list = csv === undefined ? "" : `Every field is in ${csv}.\n`;
  const file =
    out === undefined ? "" : `The plan is in ${out}. "svcsync apply ${shellQuoted(out)}" carries out exactly this.\n`;
  return [plans.map(planText).join(""), ...held, list, file].join("");
}
