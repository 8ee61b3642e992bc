import { systemClock, type RecordId } from "#model";
import {
  confirmPlan,
  confirmText,
  csvHead,
  csvRows,
  deliveryText,
  heldCount,
  knownRecord,
  MARKDOWN_SAMPLES,
  planMarkdown,
  planStream,
  planText,
  type StreamPlan,
  type StreamPlanDeps,
} from "#operator";
import { isChange, Planner, type PlannedDelivery } from "#pipeline";
import { KnownNames, type Service } from "#service";
import { redacted } from "#telemetry";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { recordNamed } from "../../arguments.ts";
import { openStoreContext, type Registration, type StoreContext } from "../../command-context.ts";
import { CsvFile } from "../../output/csv-file.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface PlanOptions extends ActOptions {
  readonly record?: RecordId;
  readonly csv?: string;
  readonly markdown?: boolean;
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
  const planned = async (csv?: CsvFile) => {
    await csv?.add(csvHead);
    const each = async (delivery: PlannedDelivery) => csv?.add(csvRows(delivery));
    return await readPlans(context, names, io.signal, { shown, each });
  };
  const plans = await (options.csv === undefined ? planned() : CsvFile.write(options.csv, planned));
  if (options.confirm !== undefined) return await confirm(options.confirm, plans, context, options, io);
  // Before the text is spelled as Markdown, which no secret would be recognised in.
  if (options.markdown) io.stdout.write(planMarkdown(redacted(plans, io.redaction.redact)));
  else if (options.json) printJson(io.stdout, { plans });
  else io.stdout.write(asText(plans, options.csv));
  return plans.some(({ isChange }) => isChange) ? exitCode.changes : exitCode.ok;
}

function expectCombinable({ record, confirm, markdown, json }: PlanOptions): void {
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
  const deps = { store, planner: await openPlanner(context), changeGuard: settings.changeGuard, ...more };
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
  const planner = await openPlanner(context);
  return { planned: (await planner.planOne(id, signal)) ?? null };
}

function openPlanner({ store, settings, syncFile }: StoreContext): Promise<Planner> {
  const known = new KnownNames({ load: (resource) => store.reference(resource) });
  const names = (...[resource, by, value]: Parameters<Service["lookup"]>) => known.lookup(resource, by, value);
  return Planner.open({ store, names, clock: systemClock, guard: settings.guard }, syncFile.streams);
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
  const meant = await confirmPlan({ store }, { id, plans, streams: syncFile.streams }, actorOf(options));
  const { stream, mailHeld } = meant;
  const updates = heldCount(meant);
  if (options.json) printJson(io.stdout, { confirmed: { stream, plan: id, updates } });
  else
    io.stdout.write(
      `Confirmed: ${updates.toLocaleString("en")} ${mailHeld === undefined ? "updates" : "new records"} of ${stream}. A running daemon with this sync file writes them within seconds; otherwise the next run does.\n`,
    );
  return exitCode.ok;
}

function asText(plans: readonly StreamPlan[], csv: string | undefined): string {
  const held = plans.filter(({ isHeld }) => isHeld).map((each) => `${confirmText(each)}\n`);
  const list = csv === undefined ? "" : `Every field is in ${csv}.\n`;
  return [plans.map(planText).join(""), ...held, list].join("");
}
