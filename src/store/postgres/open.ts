import { StopError, type Clock, type SyncError } from "#model";
import { redacted, type Logger } from "#telemetry";
import { DEFAULT_LEASE_MS, type OpenStoreOptions, type Store } from "../contract/index.ts";
import { latestNote } from "../facts.ts";
import type { Access } from "../roles/access.ts";
import { makeRoles } from "../roles/roles.ts";
import { lostLease } from "./connection/failures.ts";
import { Lease } from "./connection/lease.ts";
import { Link, type PostgresPlace } from "./connection/link.ts";
import { locked, unlocked } from "./connection/prefix.ts";
import { Schema } from "./connection/schema.ts";
import { MessageQueue, stepSettings } from "./connection/message-queue.ts";
import { DURABLE, type Database } from "./database.ts";
import { Moment } from "./moment.ts";
import { dialect, fill, filled } from "./sql.ts";
import { deliveryStore } from "./tables/deliveries.ts";
import { intakeStore } from "./tables/intake.ts";
import { maintenanceStore } from "./tables/maintenance.ts";
import { matchStore } from "./tables/matching.ts";
import { noteStore, referenceStore } from "./tables/notes.ts";
import { operatorStore } from "./tables/operator.ts";
import { privacyStore } from "./tables/privacy.ts";
import { recordStore } from "./tables/records.ts";
import { scheduleStore } from "./tables/schedule.ts";
import { sweepStore } from "./tables/sweeps.ts";

/** Connections for reads, beside the one for steps and a daemon's for its lease. */
const READERS = 2;

/**
 * A step waits so long for a server that is restarted: the id of a record that was just created is known to this process alone.
 * Well below the lease of a claim.
 */
const PATIENCE_MS = 20_000;

/**
 * Opens the store in a schema of a PostgreSQL database, making it when there is none, and brings it to this program's version. An
 * operator beside a running daemon never changes the tables under it.
 * @throws {RetryError} E_STORE_UNREACHABLE.
 * @throws {StopError} E_STORE_BUSY when another live daemon holds it (for an operator: and its version is older), E_STORE_NEWER
 * when a newer program wrote it, E_STORE_DENIED, E_STORE_SERVER, E_STORE_READONLY, E_STORE_FULL when the server says no.
 */
export async function openPostgresStore(
  place: PostgresPlace,
  options: OpenStoreOptions & { readonly clock: Clock; readonly logger: Logger },
): Promise<Store> {
  const { as, logger } = options;
  await using schema = new Schema(place);
  const isCurrent = await schema.isCurrent();
  const lease = as === "daemon" || !isCurrent ? await Lease.take(place, logger, options.standby) : undefined;
  try {
    if (!isCurrent) await schema.bringUpToDate(logger);
    if (as === "daemon") return await connect(place, options, lease);
  } catch (thrown) {
    await lease?.[Symbol.asyncDispose]();
    throw thrown;
  }
  await lease?.[Symbol.asyncDispose]();
  return connect(place, options, undefined);
}

async function connect(
  place: PostgresPlace,
  options: OpenStoreOptions & { readonly clock: Clock; readonly logger: Logger },
  lease: Lease | undefined,
): Promise<Store> {
  const { clock, logger, leaseMs = DEFAULT_LEASE_MS, redact = (text) => text } = options;
  const readLink = new Link(place, unlocked(place), { max: READERS });
  const stepLink = new Link(place, locked(place), { max: 1 });
  const disconnect = async () => {
    await stepLink[Symbol.asyncDispose]();
    await readLink[Symbol.asyncDispose]();
  };
  try {
    const latest = fill("SELECT value FROM notes WHERE name = @name", { name: latestNote.name });
    const [stored] = await readLink.rows<{ value: string }>(latest);
    const moment = new Moment(clock, Number(stored?.value ?? 0));
    const reads = new MessageQueue(readLink, { lanes: READERS, patienceMs: 0 });
    const steps = new MessageQueue(stepLink, { lanes: 1, patienceMs: PATIENCE_MS }, (isDurable) => [
      stepSettings(isDurable),
      ...(lease ? [lease.check] : []),
      ...moment.note(),
    ]);
    const refuse = (reason: SyncError) => {
      reads.refuse(reason);
      steps.refuse(reason);
    };
    let isClosed = false;
    const db: Database = {
      clock,
      logger,
      leaseMs,
      clean: (value) => redacted(value, redact),
      read: async (sql, values) => {
        const [result] = await reads.run([values === undefined ? sql : fill(sql, values)]);
        return result?.rows ?? [];
      },
      step: (...of) => steps.run(...of),
    };
    if (lease) await giveBackClaims(db);
    lease?.keep(() => refuse(lostLease()));
    return Object.assign(storeOf(db, moment), {
      mayWrite: () => lease?.isTrusted ?? true,
      async [Symbol.asyncDispose]() {
        if (isClosed) return;
        isClosed = true;
        const closed = new StopError("E_STORE_CLOSED", `the store in the schema ${place.schema} was closed`);
        await steps.close(closed);
        await reads.close(closed);
        await lease?.[Symbol.asyncDispose]();
        await disconnect();
        logger.debug({ schema: place.schema }, "closed the store");
      },
    });
  } catch (thrown) {
    await disconnect();
    throw thrown;
  }
}

function storeOf(db: Database, moment: Moment): Omit<Store, typeof Symbol.asyncDispose | "mayWrite"> {
  const access: Access = {
    read: db.read,
    step: async (statements, options) => (await db.step(statements.map(filled), options)).flatMap(({ rows }) => rows),
    clean: db.clean,
  };
  return {
    ...intakeStore(db),
    ...scheduleStore(db, moment),
    ...deliveryStore(db),
    ...recordStore(db),
    ...operatorStore(db),
    ...sweepStore(db),
    ...matchStore(db),
    ...noteStore(db),
    ...referenceStore(db),
    ...maintenanceStore(db),
    ...makeRoles(access, db.clock, dialect),
    privacy: privacyStore(db),
  };
}

/** Makes every claimed record due: for the one daemon, before its workers start. Its predecessor was lost with what it had claimed. */
async function giveBackClaims(db: Database): Promise<void> {
  const sql = `
    SELECT cardinality(ids) AS count, free_lost(ids, @now) AS sends
    FROM (SELECT array_agg(id) AS ids FROM records WHERE state = 'claimed') claimed WHERE ids IS NOT NULL`;
  const [given] = await db.step([fill(sql, { now: db.clock.now() })], DURABLE);
  const [lost]: { count: number; sends: number }[] = given?.rows ?? [];
  if (lost) db.logger.info({ ...lost }, "gave back the claims of a daemon that had died");
}
