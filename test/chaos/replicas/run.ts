import { writeFile } from "node:fs/promises";
import { sleep } from "#model";
import type { CustomerRow } from "#sandbox";
import { Dice } from "../dice.ts";
import { drain } from "../drain.ts";
import { ErpActor } from "../erp-actor.ts";
import { joined } from "../expected.ts";
import { ForeignActor } from "../foreign-actor.ts";
import { MassChanges } from "../mass-changes.ts";
import { Merger } from "../merger.ts";
import { auditMoves } from "../moves.ts";
import { Operator } from "../operator.ts";
import { parks } from "../parks.ts";
import { CONCURRENCY, TOKEN_LIFETIME_MINUTES } from "../rig.ts";
import { complaintsOf, isSettled, mergeFacts, sorted, type ChaosResult } from "../run.ts";
import { ServiceTrouble } from "../trouble.ts";
import { judge } from "../verdict.ts";
import { planOf } from "./plan.ts";
import { Replica } from "./replica.ts";
import { openSite, type Site } from "./site.ts";
import { Striker } from "./striker.ts";
import { measureTakeOvers, type TakeOvers } from "./takeovers.ts";
import { Witness } from "./witness.ts";

/** Take-overs of each kind in a run, for each minute. */
const TAKE_OVERS_PER_MINUTE = 1;

export interface ReplicasOptions {
  readonly replicas: number;
  readonly minutes: number;
  readonly seed: number;
  /** PostgreSQL also fails over to a standby that lacks the last commits. */
  readonly failsOver: boolean;
  /** Whether people merge tickets in the service. */
  readonly withMerges: boolean;
}

export interface ReplicasResult extends ReplicasOptions, Omit<ChaosResult, "kills" | "commands"> {
  readonly takeOvers: TakeOvers;
  readonly faults: Readonly<Record<string, number>>;
}

/** A customer's name by the other sync file. */
const turned = ({ name1, name2 }: CustomerRow) => joined(" ", name2, name1);

/** One run: take-overs in a calm, `minutes` of faults, then silence, then the verdict. */
export async function runReplicas(
  options: ReplicasOptions,
  say: (sentence: string) => void,
  signal: AbortSignal,
): Promise<ReplicasResult> {
  const { replicas: count, minutes, seed, failsOver, withMerges } = options;
  const plan = planOf(seed, minutes, count, failsOver);
  say(`${count} replicas, ${minutes} minutes, ${plan.length} faults of seed ${seed} …`);
  const startedAt = Date.now();
  // Until the verdict: a run that breaks off leaves its folder.
  let complaints = ["the run broke off"];
  await using site = await openSite(seed, count, () => complaints.length > 0);
  await writeFile(`${site.folder}/plan.json`, plan.map((fault) => JSON.stringify(fault)).join("\n"));
  await using witness = new Witness(site, CONCURRENCY);
  const logged = new Map<string, number>();
  const replicas = site.machines.map((machine) => new Replica(machine, logged));
  const { erp, sandbox } = site;
  const takeOvers = await measureTakeOvers(site, replicas, Math.ceil(minutes * TAKE_OVERS_PER_MINUTE));
  await witness.watch();

  const dice = new Dice(seed);
  const people = new ErpActor(erp, dice.fork("erp"));
  const foreigners = new ForeignActor(sandbox, dice.fork("foreign"));
  const merger = new Merger(site, people, foreigners, dice.fork("merger"));
  const service = new ServiceTrouble(sandbox, dice.fork("service"));
  const operator = new Operator(site);
  const mass = new MassChanges(site, people, operator, dice.fork("mass"));
  const attending = new AbortController();
  const attended = mass.attend(attending.signal);
  const striker = new Striker(site, replicas, witness, service, operator);
  const chaos = new AbortController();
  const end = () => chaos.abort();
  signal.addEventListener("abort", end);
  const others = [people, foreigners, ...(withMerges ? [merger] : []), service, mass].map((actor) =>
    actor.run(chaos.signal),
  );
  const least = sleep(minutes * 60_000, chaos.signal).then(() => mass.struck(chaos.signal));
  await Promise.all([striker.run(plan, chaos.signal), least]);
  end();
  await Promise.all(others);

  say("Faults have stopped; waiting until nothing moves …");
  sandbox.faults.clear();
  await operator.insist([0], "resume");
  const wasOlder = striker.failovers > 0;
  if (wasOlder) await operator.tidy();
  merger.settle();
  const look = () => judge(site, people, merger, wasOlder, striker.usesOtherFile ? turned : undefined);
  const { counts, isQuiet } = await drain(site, async () => {
    if (wasOlder) await operator.answerGone();
    return isSettled(site, await look());
  });
  attending.abort();
  await attended;
  await writeFile(`${site.folder}/unfinished.jsonl`, await witness.unfinished());
  await Promise.all(replicas.map((replica) => replica.close()));
  await witness.learn();
  const late = witness.lateWrites();
  const streams = await look();
  const starts = replicas.reduce((sum, replica) => sum + replica.starts, 0);
  const allowed = loginsAllowed(
    site,
    starts + striker.failovers,
    (Date.now() - startedAt) / 60_000,
    striker.counts,
    service.strikes,
  );
  const parked = await parks(site, streams);
  const moves = await auditMoves(site, people.moved);
  complaints = [
    ...complaintsOf(streams, sandbox),
    ...parked.wrong,
    ...moves.wrong,
    ...merger.lateWrites(),
    ...mass.writtenBefore(),
    ...mass.complaints,
    ...foreigners.touched(),
    ...witness.aboveCeiling,
    ...witness.movedBack,
    ...late.accepted,
    ...(witness.logins > allowed ? [`${witness.logins} logins, where ${allowed} had a reason`] : []),
    ...striker.complaints,
    ...replicas.flatMap(({ name, crashes }) => crashes.map((crash) => `${name}: ${crash}`)),
    ...(isQuiet ? [] : ["the replicas did not come to rest"]),
  ];
  await writeFile(`${site.folder}/complaints.txt`, complaints.join("\n"));
  if (complaints.length > 0) {
    // Who wrote a value, and when: the service forgets it with this process.
    const { ledger } = sandbox;
    for (const [name, entries] of Object.entries({ writes: ledger.writes(), requests: ledger.requests() }))
      await writeFile(`${site.folder}/${name}.jsonl`, entries.map((entry) => JSON.stringify(entry)).join("\n"));
  }
  return {
    ...options,
    streams,
    counts,
    complaints,
    takeOvers,
    faults: sorted(striker.counts),
    strikes: sorted(service.strikes),
    facts: {
      erpChanges: people.changes,
      foreignEdits: foreigners.edits,
      ...moves.facts,
      ...mergeFacts(merger, parked),
      ...mass.counts(),
      starts,
      requests: sandbox.ledger.count(),
      logins: witness.logins,
      loginsAllowed: allowed,
      writesBroughtLate: striker.broughtLate,
      lateWritesRefused: late.refused,
      fencedByHand: striker.fencedByHand,
      storeFailovers: striker.failovers,
      holdsAnswered: operator.holdsAnswered,
      removedByHand: operator.cleanedUp,
      tagsLeftOver: streams.reduce((sum, { leftOverTags }) => sum + leftOverTags, 0),
      requestsAtOnce: witness.highest,
      ...Object.fromEntries(replicas.map(({ name }, at) => [`requests of ${name}`, witness.requests[at] ?? 0])),
    },
    logged: sorted(logged),
    folder: site.folder,
  };
}

/** One login for each start and for each token that ended, and another one where its answer may have been lost. */
function loginsAllowed(
  { sandbox }: Site,
  starts: number,
  minutes: number,
  faults: ReadonlyMap<string, number>,
  strikes: ReadonlyMap<string, number>,
): number {
  const login = { method: "POST", resource: "login" } as const;
  const refused = sandbox.ledger.count(login) - sandbox.ledger.count({ ...login, status: 200 });
  const cut = [...faults].reduce(
    (sum, [name, times]) => sum + (name.startsWith("partition from the service") ? times : 0),
    0,
  );
  const revoked = (faults.get("tokens revoked") ?? 0) + (strikes.get("tokens revoked") ?? 0);
  return starts + revoked + refused + cut + Math.ceil(minutes / TOKEN_LIFETIME_MINUTES);
}
