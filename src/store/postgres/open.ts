import { StopError, type Clock, type SyncError } from "#model";
import { redacted, type Logger } from "#telemetry";
import { DEFAULT_LEASE_MS, type OpenStoreOptions, type Store } from "../contract/index.ts";
import { latestNote } from "../facts.ts";
import { expectInCharge, FIND_MARK, type MoveMark } from "../move/mark.ts";
import type { Access } from "../roles/access.ts";
import { LateWaking } from "../steps/late-waking.ts";
import { makeRoles } from "../roles/roles.ts";
import { sameSql } from "../roles/same-sql.ts";
import { describePlace, Link, type PostgresPlace } from "./connection/link.ts";
import type { Member } from "./connection/member.ts";
import { locked, reading, unlocked } from "./connection/prefix.ts";
import { MessageQueue } from "./connection/message-queue.ts";
import { ReplicaClock } from "./connection/replica-clock.ts";
import { expectPrepared, joinPrepared, prepareSchema } from "./connection/turn.ts";
import type { Database } from "./database.ts";
import { OpenRequests } from "./begun-sends.ts";
import { Moment } from "./moment.ts";
import { postgresDialect, fill, filled } from "./sql.ts";
import { decidedSteps } from "./tables/deliveries.ts";
import { intakeStore } from "./tables/intake.ts";
import { maintenanceStore } from "./tables/maintenance.ts";
import { matchStore } from "./tables/matching.ts";
import { noteStore } from "./tables/notes.ts";
import { operatorStore } from "./tables/operator.ts";
import { recordStore } from "./tables/records.ts";
import { replicaStore } from "./tables/replicas.ts";
import { scheduleStore } from "./tables/schedule.ts";
import { sweepStore } from "./tables/sweeps.ts";

/** Connections for reads, in addition to the one for steps and the one for a daemon's heartbeats. */
const READERS = 2;

/**
 * Keeps the plans of the steps' functions, because planning each call would take longer than most steps. Plans made for an empty store are
 * kept too, so none may read a whole table: it may soon be large.
 */
const KEEP_PLANS = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('jit', 'off', true)`;

/**
 * How long a step waits for a restarting server or for the primary, in milliseconds. Only this process knows the id of a record that it
 * just created. Well below the lease of a claim.
 */
const PATIENCE_MS = 20_000;

/**
 * Opens the store in a schema of a PostgreSQL database, creates it if there is none, and migrates it to this program's version. An
 * operator's command never changes the tables of a running daemon, and a reader changes nothing.
 * @throws {RetryError} E_STORE_UNREACHABLE, E_STORE_READONLY when the server is a standby.
 * @throws {StopError} E_STORE_BUSY when another live daemon holds it (for an operator: and its version is older), E_STORE_NEWER when a
 * newer program wrote it, E_STORE_UNPREPARED for a reader, E_STORE_DENIED, E_STORE_SERVER, E_STORE_READONLY, E_STORE_FULL when the server refuses.
 */
export async function openPostgresStore(
  place: PostgresPlace,
  options: OpenStoreOptions & { readonly clock: Clock; readonly logger: Logger },
): Promise<Store> {
  const member = options.as === "daemon" ? await joinPrepared(place, options) : undefined;
  if (options.as === "reader") await expectPrepared(place);
  else if (member === undefined) await prepareSchema(place, options.logger, options.standby);
  try {
    return await connect(place, options, member);
  } catch (thrown) {
    await member?.leave();
    throw thrown;
  }
}

async function connect(
  place: PostgresPlace,
  options: OpenStoreOptions & { readonly clock: Clock; readonly logger: Logger },
  member: Member | undefined,
): Promise<Store> {
  const { logger, leaseMs = DEFAULT_LEASE_MS, redact = (text) => text } = options;
  // A command may read from a standby, and fails at once if it writes there. A daemon waits for the primary.
  const writes = member !== undefined;
  const isReader = options.as === "reader";
  const readLink = new Link(place, isReader ? reading(place) : unlocked(place), { max: READERS, writes });
  const stepLink = new Link(place, isReader ? reading(place) : locked(place), { max: 1, writes });
  const disconnect = async () => {
    await stepLink[Symbol.asyncDispose]();
    await readLink[Symbol.asyncDispose]();
  };
  try {
    const [mark] = await readLink.rows<MoveMark>(FIND_MARK);
    expectInCharge(mark, describePlace(place));
    const clock = member?.clock ?? (await commonClock(readLink, options.clock));
    const facts = `SELECT EXISTS (SELECT 1 FROM notes WHERE name > 'waking.' AND name < 'waking/') AS "isWaking",
      (SELECT value FROM notes WHERE name = @name) AS latest`;
    const [stored] = await readLink.rows<{ isWaking: boolean; latest: string | null }>(
      fill(facts, { name: latestNote.name }),
    );
    const moment = new Moment(clock, Number(stored?.latest ?? 0));
    const reads = new MessageQueue(readLink, { lanes: READERS, patienceMs: 0 });
    const steps = new MessageQueue(
      stepLink,
      { lanes: 1, patienceMs: PATIENCE_MS },
      {
        statements: () => [
          KEEP_PLANS,
          "SELECT count_step()",
          member ? member.check : "SELECT expect_in_charge()",
          ...moment.note(),
        ],
        hear: ([, , checked]) => member?.commits.hear(checked?.rows[0]),
      },
    );
    const refuse = (reason: SyncError) => {
      reads.refuse(reason);
      steps.refuse(reason);
    };
    let isClosed = false;
    const db: Database = {
      clock,
      logger,
      leaseMs,
      isReader,
      claims: { epoch: member?.epoch ?? 0, mapping: member?.mapping },
      hearCreates: (creates) => member?.commits.hear({ creates }),
      clean: (value) => redacted(value, redact),
      read: async (sql, values) => {
        const [result] = await reads.share(values === undefined ? sql : fill(sql, values));
        return result?.rows ?? [];
      },
      readTogether: (...of) => reads.together(...of),
      step: (...of) => steps.run(...of),
      lateWaking: new LateWaking(steps, clock),
      together: (...of) => steps.together(...of),
      take: (step) => steps.take(step),
    };
    const sends = new OpenRequests(() => member?.commits.steps ?? 0);
    const confess = (keptSteps?: number) => sends.confess(stepLink, { clock, logger, patienceMs: leaseMs, keptSteps });
    let confessed: Promise<void> | undefined;
    const { promise: failure, resolve: fail } = Promise.withResolvers<SyncError>();
    const lost = (reason: SyncError, keptSteps?: number) => {
      refuse(reason);
      confessed = confess(keptSteps);
      fail(reason);
    };
    member?.keep({ losing: refuse, lost, failed: fail });
    // What a process left that was killed. Other steps have their turn in between.
    if (member && stored?.isWaking) void db.lateWaking.run();
    return Object.assign(storeOf(db, moment, sends), {
      clock,
      replicas: replicaStore(db, member, failure),
      mayWrite: () => member?.isTrusted ?? true,
      revision: () => Promise.resolve(undefined),
      async [Symbol.asyncDispose]() {
        if (isClosed) return;
        isClosed = true;
        const closed = new StopError("E_STORE_CLOSED", `the store in the schema ${place.schema} was closed`);
        await steps.close(closed);
        await reads.close(closed);
        const left = await member?.leave();
        if (member && left && (!left.was_there || left.kept < member.commits.steps))
          await (confessed ?? confess(left.kept));
        await disconnect();
        logger.debug({ schema: place.schema }, "closed the store");
      },
    });
  } catch (thrown) {
    await disconnect();
    throw thrown;
  }
}

/** The database's clock if replicas use it, whatever this machine's clock says. Otherwise the machine's own. */
async function commonClock(link: Link, own: Clock): Promise<Clock> {
  const askedAt = performance.now();
  const [replica] = await link.rows<{ at: number }>(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at FROM members WHERE queue IS NOT NULL LIMIT 1",
  );
  if (replica === undefined) return own;
  const clock = new ReplicaClock(own);
  clock.hear(replica.at, performance.now() - askedAt);
  return clock;
}

function storeOf(
  db: Database,
  moment: Moment,
  sends: OpenRequests,
): Omit<Store, typeof Symbol.asyncDispose | "mayWrite" | "revision" | "clock" | "replicas"> {
  const step: Access["step"] = async (statements) =>
    (await db.step(statements.map(filled))).flatMap(({ rows }) => rows);
  const access: Access = {
    read: db.read,
    step,
    async untilNone(statement) {
      let sum = 0;
      for (;;) {
        const { length } = await step([statement]);
        if (length === 0) return sum;
        sum += length;
      }
    },
    clean: db.clean,
  };
  const { forget, resolve, recheck, ...deliveries } = decidedSteps(db);
  return {
    ...intakeStore(db),
    ...scheduleStore(db, moment),
    ...sends.watching(deliveries),
    resolve,
    recheck,
    ...recordStore(db),
    ...operatorStore(db),
    ...sweepStore(db),
    ...matchStore(db),
    ...noteStore(db),
    ...maintenanceStore(db),
    ...sameSql(access, db.clock, postgresDialect),
    ...makeRoles(access, db.clock, postgresDialect),
    privacy: { forget },
  };
}
