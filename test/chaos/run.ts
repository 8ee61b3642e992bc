import { writeFile } from "node:fs/promises";
import { sleep } from "#model";
import type { Sandbox } from "#sandbox";
import { Dice } from "./dice.ts";
import { drain, type Counts } from "./drain.ts";
import { ErpActor } from "./erp-actor.ts";
import { ForeignActor } from "./foreign-actor.ts";
import { Keeper } from "./keeper.ts";
import { Kills } from "./kills.ts";
import { MachineTrouble } from "./machine-trouble.ts";
import { MassChanges } from "./mass-changes.ts";
import { Merger } from "./merger.ts";
import { auditMoves } from "./moves.ts";
import { Operator } from "./operator.ts";
import { parks, type Parks } from "./parks.ts";
import { buildRig, type Desk, type Rig } from "./rig.ts";
import { StoreTrouble } from "./store-trouble.ts";
import { ServiceTrouble } from "./trouble.ts";
import { duplicatesEver, foreignFieldsSent, judge, type StreamVerdict } from "./verdict.ts";

export interface ChaosResult {
  readonly seed: number;
  readonly minutes: number;
  readonly streams: readonly StreamVerdict[];
  /** Everything that is wrong, in sentences; empty is the only good end. */
  readonly complaints: readonly string[];
  readonly counts: Counts;
  readonly kills: Readonly<Record<string, number>>;
  /** What the operator ran. */
  readonly commands: Readonly<Record<string, number>>;
  readonly strikes: Readonly<Record<string, number>>;
  readonly facts: Readonly<Record<string, number>>;
  readonly logged: Readonly<Record<string, number>>;
  readonly folder: string;
}

export interface ChaosOptions {
  /** kill -9 of the daemon, and trouble of the machine: Redis, clock, second daemons. */
  readonly withKills?: boolean;
  /** Whether people merge tickets in the service. */
  readonly withMerges?: boolean;
  /** Options of Node for the daemon, before the program. */
  readonly nodeArgs?: readonly string[];
  /** Called when the daemon has ended and its log is whole. */
  readonly atEnd?: (rig: Rig) => Promise<void>;
}

/** One run: `minutes` of chaos, then silence, then the verdict. */
export async function runChaos(
  minutes: number,
  seed: number,
  say: (sentence: string) => void,
  signal: AbortSignal,
  { withKills = true, withMerges = true, nodeArgs = [], atEnd }: ChaosOptions = {},
): Promise<ChaosResult> {
  // Until the verdict: a run that breaks off leaves its folder.
  let complaints = ["the run broke off"];
  await using rig = await buildRig(seed, nodeArgs, () => complaints.length > 0);
  const dice = new Dice(seed);
  const people = new ErpActor(rig.erp, dice.fork("erp"));
  const foreigners = new ForeignActor(rig.sandbox, dice.fork("foreign"));
  const merger = new Merger(rig, people, foreigners, dice.fork("merger"));
  const keeper = new Keeper(rig, dice.fork("keeper"));
  const kills = new Kills(keeper, rig.sandbox, dice.fork("kills"));
  const service = new ServiceTrouble(rig.sandbox, dice.fork("service"));
  const machine = new MachineTrouble(rig, keeper, dice.fork("machine"));
  const operator = new Operator(rig);
  const stores = new StoreTrouble(rig, people, keeper, machine, operator, dice.fork("stores"));
  const mass = new MassChanges(rig, people, operator, dice.fork("mass"));
  const attending = new AbortController();
  const attended = mass.attend(attending.signal);
  const startedAt = Date.now();
  const chaos = new AbortController();
  const struck = () => Promise.all([stores.struck, mass.struck(chaos.signal)]);
  const end = () => chaos.abort();
  signal.addEventListener("abort", end);
  // A loaded machine may need longer until everything has struck.
  const timer = setTimeout(() => void (withKills ? struck() : Promise.resolve()).then(end), minutes * 60_000);
  const actors = [
    people,
    foreigners,
    ...(withMerges ? [merger] : []),
    service,
    mass,
    ...(withKills ? [kills, machine, stores] : []),
  ];
  await Promise.all(actors.map((actor) => actor.run(chaos.signal)));
  clearTimeout(timer);

  say("Faults have stopped; waiting until nothing moves …");
  rig.sandbox.faults.clear();
  await sleep(100);
  if (stores.wasOlder) await operator.tidy();
  merger.settle();
  const look = () => judge(rig, people, merger, stores.wasOlder);
  const { counts, isQuiet } = await drain(rig, async () => {
    if (stores.wasOlder) await operator.answerGone();
    return isSettled(rig, await look());
  });
  attending.abort();
  await attended;
  const exit = await keeper.stop();
  await atEnd?.(rig);
  const streams = await look();
  const parked = await parks(rig, streams);
  const moves = await auditMoves(rig, people.moved);
  complaints = [
    ...complaintsOf(streams, rig.sandbox),
    ...parked.wrong,
    ...moves.wrong,
    ...merger.lateWrites(),
    ...stores.complaints,
    ...mass.writtenBefore(),
    ...mass.complaints,
    ...foreigners.touched(),
    ...keeper.crashes.map((crash) => `the daemon ended by itself: ${crash}`),
    ...(isQuiet ? [] : ["the daemon did not come to rest"]),
    ...(exit === 0 ? [] : [`the last stop ended with ${exit}`]),
    ...(machine.secondNotRefused > 0 ? [`${machine.secondNotRefused} second daemons were not refused`] : []),
  ];
  await writeFile(`${rig.folder}/complaints.txt`, complaints.join("\n"));
  return {
    seed,
    minutes,
    streams,
    complaints,
    counts,
    kills: sorted(kills.steps),
    commands: sorted(operator.commands),
    strikes: sorted(service.strikes),
    facts: {
      seconds: Math.round((Date.now() - startedAt) / 1_000),
      erpChanges: people.changes,
      foreignEdits: foreigners.edits,
      foreignFieldsTouched: foreigners.touched().length + foreignFieldsSent(rig.sandbox).length,
      ...moves.facts,
      ...mergeFacts(merger, parked),
      ...mass.counts(),
      kills: keeper.kills,
      starts: keeper.starts,
      queueFlushes: machine.flushes,
      queueStops: machine.redisStops,
      clockJumps: machine.clockJumps,
      secondDaemonsRefused: machine.secondRefused,
      backupsRestored: stores.backupsRestored,
      fileCopiesPutBack: stores.copiesPutBack,
      copiesOfAStoreInUse: stores.copiesOfUsePutBack,
      fileCopiesUnproven: stores.copiesUnproven,
      restoresTold: stores.restoresTold,
      restoresNotTold: stores.complaints.length,
      storesLostAndRebuilt: stores.rebuilds,
      holdsAnswered: operator.holdsAnswered,
      removedByHand: operator.cleanedUp,
      tagsLeftOver: streams.reduce((sum, { leftOverTags }) => sum + leftOverTags, 0),
      requests: rig.sandbox.ledger.count(),
      creates: ["customer", "customerContact", "ticket", "svcDocument"].reduce(
        (sum, resource) => sum + rig.sandbox.ledger.writes({ resource, action: "create" }).length,
        0,
      ),
      faults: [...service.strikes.values()].reduce((sum, count) => sum + count, 0),
    },
    logged: sorted(keeper.complaints),
    folder: rig.folder,
  };
}

/** Whether the service is as the ERP wants it, and nobody is needed but where people merged tickets of the ERP. */
export async function isSettled(desk: Desk, streams: readonly StreamVerdict[]): Promise<boolean> {
  return streams.every(isClean) && (await parks(desk, streams)).wrong.length === 0;
}

export function mergeFacts(merger: Merger, { expected }: Parks): Record<string, number> {
  return {
    ...Object.fromEntries([...merger.merges].map(([kind, count]) => [`merged ${kind}`, count])),
    writesToMergedTickets: merger.lateWrites().length,
    parksThatMergesExplain: expected,
  };
}

function isClean({ duplicates, missing, stale, unexplained }: StreamVerdict): boolean {
  return duplicates.length + missing.length + stale.length + unexplained.length === 0;
}

/** What is wrong in the service when nothing moves any more. */
export function complaintsOf(streams: readonly StreamVerdict[], sandbox: Sandbox): string[] {
  return [...streams.flatMap(wrongRecords), ...duplicatesEver(sandbox), ...foreignFieldsSent(sandbox)];
}

function wrongRecords({ stream, duplicates, missing, stale, unexplained }: StreamVerdict): string[] {
  const all = { duplicate: duplicates, missing, stale, unexplained };
  return Object.entries(all).flatMap(([what, lines]) => lines.map((line) => `${stream}: ${what}: ${line}`));
}

export function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].toSorted(([a], [b]) => a.localeCompare(b)));
}
