import {
  openMatcher,
  PollsSeen,
  ProgressWatch,
  startDaemon,
  untilDecided,
  untilDelivered,
  type Configuration,
  type Daemon,
} from "#daemon";
import { RetryError, type StreamName } from "#model";
import { Approved, ApprovedSchedule } from "#pipeline";
import { approve, type Outlook } from "../../apply/approve.ts";
import { PlanOnDisk } from "../../apply/plan-on-disk.ts";
import { countLeft, Outcomes, outlookText, resultText, type ApplyResult } from "../../apply/result.ts";
import { expectSameSystems } from "../../apply/staleness.ts";
import { positiveInteger } from "../../arguments.ts";
import { openStoreContext, readConfiguration, type JsonOptions, type Registration } from "../../command-context.ts";
import { confirmed, expectTerminal } from "../../interview.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { endedEarly, horizonMsOf, untilEnd, type RoundEnd } from "../../round.ts";
import { openStorePlanner } from "../../store-planner.ts";

interface ApplyOptions extends JsonOptions {
  readonly yes?: boolean;
  readonly timeout?: number;
}

const words = `
Like sync, it polls the ERP once, and no daemon may be running. Then it decides every record of the plan again and compares it with the
service. If anything differs, it names the differences and writes nothing. Otherwise it delivers the records of the plan and no others;
changes that are not in the plan wait for the next run. A record that changes at the last moment is left for the next run. It asks before it
writes; without a terminal it needs --yes. Guards and pauses hold as always: release them first, with the command that plan prints.
Exit codes: 0 everything is as planned, 1 nothing was written (the plan is outdated, held, or no plan) or a record was parked, 75 not everything
was written, or the ERP could not be read.
`;

export const registerApply: Registration = (cli) =>
  cli
    .command("apply", "Carry out a plan that plan --out wrote, and nothing else; refuse it if anything has changed")
    .argument("<file>", "the plan")
    .option("--yes", "do not ask for confirmation")
    .option("--timeout <seconds>", "exit with 75 after this long without progress (default: 300)", positiveInteger)
    .option("--json", "the result as one line of JSON")
    .addHelpText("after", words)
    .action(cli.action(apply));

/** `svcsync apply FILE`: delivers exactly what the plan says, or nothing. */
async function apply(path: string, options: ApplyOptions, io: Io): Promise<number> {
  if (!options.yes) expectTerminal(io, "apply the plan");
  const plan = await PlanOnDisk.open(path);
  // Before anything is polled: the rows of another ERP must not get into this store.
  await expectOwnPlan(plan, options, io);
  const configuration = await readConfiguration(options, io, io.stderr);
  const approved = new Approved();
  const [polls, outcomes, progress] = [new PollsSeen(), new Outcomes(approved), new ProgressWatch()];
  const observers = [polls, outcomes, progress];
  await using daemon = await startDaemon(configuration, { polls: "once", observers, approved });
  const run = { plan, configuration, daemon, approved, outcomes, progress, options, io };
  const decided = await untilDone(run, (signal) => untilDecided(daemon, polls, namesOf(configuration), signal));
  const early = endedEarly(decided, io, configuration.logger);
  if (early !== undefined) return early;
  const outlook = await prepare(run);
  if (!options.yes && (await confirmed(io, `${outlookText(outlook)} Apply this? (yes/no)`)) !== true) {
    io.stderr.write("Nothing was written.\n");
    return exitCode.needsPerson;
  }
  return await deliver(run, outlook);
}

interface Run {
  readonly plan: PlanOnDisk;
  readonly configuration: Configuration;
  readonly daemon: Daemon;
  readonly approved: Approved;
  readonly outcomes: Outcomes;
  readonly progress: ProgressWatch;
  readonly options: ApplyOptions;
  readonly io: Io;
}

async function expectOwnPlan({ head }: PlanOnDisk, options: ApplyOptions, io: Io): Promise<void> {
  await using context = await openStoreContext(options, io);
  await expectSameSystems(head, context.syncFile, context.store);
}

function namesOf({ syncFile }: Configuration): StreamName[] {
  return syncFile.streams.map(({ name }) => name);
}

function untilDone(
  { daemon, progress, configuration, options, io }: Run,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<RoundEnd> {
  const { settleMs } = configuration.settings.delivery;
  return untilEnd(daemon, { progress, settleMs, timeout: options.timeout, signal: io.signal }, work);
}

async function prepare({ plan, configuration, daemon, approved, outcomes, io }: Run): Promise<Outlook> {
  const { settings, syncFile } = configuration;
  const streams = plan.head.streams.map(({ stream }) => stream);
  const parents = syncFile.streams.filter(({ name }) => streams.includes(name)).flatMap((stream) => stream.parents);
  expectRead(outcomes, new Set([...streams, ...parents]));
  // Creates are planned by natural keys: people may have made such a record since.
  const matcher = openMatcher(configuration, daemon.parts);
  for (const stream of syncFile.streams)
    if (streams.includes(stream.name) && stream.match.length > 0) await matcher.refresh(stream, io.signal);
  const planner = await openStorePlanner({ store: daemon.parts.store, settings, syncFile });
  return approve(plan, { daemon, planner, approved, redact: io.redaction.redact }, io.signal);
}

async function deliver(run: Run, { done }: Outlook): Promise<number> {
  const { configuration, daemon, approved, io, options, outcomes } = run;
  const { store, clock } = daemon.parts;
  const schedule = new ApprovedSchedule(store, approved, clock);
  const horizonMs = horizonMsOf(configuration.settings.delivery.settleMs);
  approved.open();
  daemon.relay.nudge();
  const end = await untilDone(run, (signal) => untilDelivered(daemon, schedule, horizonMs, signal));
  const early = endedEarly(end, io, configuration.logger);
  if (end.kind === "failed") return exitCode.stopped;
  const { counts, parked } = outcomes;
  const leftOver = await countLeft(store, namesOf(configuration), approved);
  const result: ApplyResult = { outcomes: counts, done, parked, left: approved.left, ...leftOver };
  if (options.json) printJson(io.stdout, result);
  else io.stdout.write(resultText(result));
  if (parked.length > 0) return exitCode.needsPerson;
  return early ?? (result.left.length > 0 || result.unfinished > 0 ? exitCode.again : exitCode.ok);
}

/** @throws {RetryError} E_PLAN_UNREAD where rows of the ERP could not be read: they may have changed. */
function expectRead({ pollErrors }: Outcomes, streams: ReadonlySet<StreamName>): void {
  const failed = [...pollErrors].filter(([stream]) => streams.has(stream));
  if (failed.length === 0) return;
  const why = failed.map(([stream, message]) => `${stream} could not be read: ${message}`).join("; ");
  throw new RetryError(
    "E_PLAN_UNREAD",
    `whether the ERP is still as planned is unknown, so nothing was written: ${why}`,
  );
}
