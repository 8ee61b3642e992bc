import { StopError, type SyncError } from "#model";
import { redacted } from "#telemetry";
import { DEFAULT_LEASE_MS, type Store } from "../contract/index.ts";
import { latestNote } from "../facts.ts";
import { expectInCharge, FIND_MARK, type MoveMark } from "../move/mark.ts";
import type { Access } from "../roles/access.ts";
import { LateWaking } from "../steps/late-waking.ts";
import { makeRoles } from "../roles/roles.ts";
import { sameSql } from "../roles/same-sql.ts";
import { Membership, type MembershipOptions } from "./cluster/membership.ts";
import { describePlace, Link, type PostgresPlace } from "./connection/link.ts";
import { reading, stepping, unlocked } from "./connection/prefix.ts";
import { MessageQueue } from "./connection/message-queue.ts";
import type { Database } from "./database.ts";
import { AT_ONCE, takeEach } from "./in-parts.ts";
import { Moment } from "./moment.ts";
import { postgresDialect, fill, filled } from "./sql.ts";
import { intakeStore } from "./tables/intake.ts";
import { maintenanceStore } from "./tables/maintenance.ts";
import { matchStore } from "./tables/matching.ts";
import { noteStore } from "./tables/notes.ts";
import { operatorStore } from "./tables/operator.ts";
import { recordStore } from "./tables/records.ts";
import { scheduleStore } from "./tables/schedule.ts";
import { sweepStore } from "./tables/sweeps.ts";

/** Connections for reads, in addition to the one for steps and the one for a daemon's heartbeats. */
const READERS = 2;

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
export async function openPostgresStore(place: PostgresPlace, options: MembershipOptions): Promise<Store> {
  const membership = await Membership.enter(place, options);
  try {
    return await connect(place, options, membership);
  } catch (thrown) {
    await membership.leave();
    throw thrown;
  }
}

async function connect(place: PostgresPlace, options: MembershipOptions, membership: Membership): Promise<Store> {
  const { logger, leaseMs = DEFAULT_LEASE_MS, redact = (text) => text } = options;
  // A command may read from a standby, and fails at once if it writes there. A daemon waits for the primary.
  const writes = membership.isDaemon;
  const isReader = options.as === "reader";
  const readLink = new Link(place, isReader ? reading(place) : unlocked(place), { max: READERS, writes });
  const stepLink = new Link(place, isReader ? reading(place) : stepping(place), { max: 1, writes });
  const disconnect = async () => {
    await stepLink[Symbol.asyncDispose]();
    await readLink[Symbol.asyncDispose]();
  };
  try {
    const [mark] = await readLink.rows<MoveMark>(FIND_MARK);
    expectInCharge(mark, describePlace(place));
    const clock = await membership.clock(readLink, options.clock);
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
        statements: () => ["SELECT count_step()", membership.check, ...moment.note()],
        hear: ([, checked]) => membership.noteCommits(checked?.rows[0]),
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
      takeEach: (items, step) => takeEach(steps, items, step),
    };
    membership.keep({ link: stepLink, refuse, clock, logger, patienceMs: leaseMs });
    // What a process left that was killed. Other steps have their turn in between.
    if (membership.isDaemon && stored?.isWaking) void db.lateWaking.run();
    return Object.assign(storeOf(db, moment, membership), {
      clock,
      cluster: membership.cluster(db),
      revision: () => Promise.resolve(undefined),
      async [Symbol.asyncDispose]() {
        if (isClosed) return;
        isClosed = true;
        const closed = new StopError("E_STORE_CLOSED", `the store in the schema ${place.schema} was closed`);
        await steps.close(closed);
        await reads.close(closed);
        await membership.leave();
        await disconnect();
        logger.debug({ schema: place.schema }, "closed the store");
      },
    });
  } catch (thrown) {
    await disconnect();
    throw thrown;
  }
}

function storeOf(
  db: Database,
  moment: Moment,
  membership: Membership,
): Omit<Store, typeof Symbol.asyncDispose | "revision" | "clock" | "cluster"> {
  const step: Access["step"] = async (statements) =>
    (await db.step(statements.map(filled))).flatMap(({ rows }) => rows);
  const access: Access = {
    read: db.read,
    step,
    readOver: ({ after }, sql, values) => db.read(sql, { ...values, from: after, to: Number.MAX_SAFE_INTEGER }),
    async untilNone(statement) {
      let sum = 0;
      for (;;) {
        const { length } = await step([{ ...statement, values: { ...statement.values, limit: AT_ONCE } }]);
        if (length === 0) return sum;
        sum += length;
      }
    },
    clean: db.clean,
  };
  const { forget, resolve, recheck, saveMatches, markSeen, ...deliveries } = membership.steps(db);
  return {
    ...intakeStore(db),
    ...scheduleStore(db, moment),
    ...deliveries,
    resolve,
    recheck,
    saveMatches,
    markSeen,
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
