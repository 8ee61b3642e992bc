import { randomUUID } from "node:crypto";
import type { Logger } from "#telemetry";
import type { Standby } from "../../contract/index.ts";
import { SILENCE_MS } from "../functions/replicas.ts";
import { fill } from "../sql.ts";
import { storeFailure } from "./failures.ts";
import { processName, untilFree, type InTheWay } from "./in-the-way.ts";
import { Link, type PostgresPlace } from "./link.ts";
import { Member, type MemberDeps } from "./member.ts";
import { locked } from "./prefix.ts";
import { Schema } from "./schema.ts";

const NO_REPLICA = "NOT EXISTS (SELECT 1 FROM members WHERE expires_at > clock_timestamp())";
const taking = (hasReplicas: boolean) => `
  INSERT INTO leases AS l (role, holder, name, expires_at)
  SELECT 'daemon', @holder, @name, clock_timestamp() + interval '${SILENCE_MS} ms' WHERE ${hasReplicas ? NO_REPLICA : true}
  ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, name = excluded.name, expires_at = excluded.expires_at
  WHERE l.expires_at <= clock_timestamp() RETURNING holder`;
const FOUND = "SELECT holder, name, expires_at::text AS until FROM leases WHERE role = 'daemon'";
const FOUND_REPLICA = `
  SELECT token AS holder, name, expires_at::text AS until FROM members WHERE expires_at > clock_timestamp()
  ORDER BY epoch LIMIT 1`;
const FREE = "DELETE FROM leases WHERE role = 'daemon' AND holder = @holder";

/**
 * Creates the schema or migrates it to this program's version. Tables and functions change only while no daemon uses them: waits until dead
 * daemons expire and, with `standby`, until live ones end.
 * @throws {StopError} E_STORE_BUSY, with its name, when a live daemon uses the store. E_STORE_NEWER when a newer program created the
 * schema: nothing is touched. E_STORE_SERVER when the server is not suitable.
 */
export async function prepareSchema(place: PostgresPlace, logger: Logger, standby?: Standby): Promise<void> {
  await using schema = new Schema(place);
  if (await schema.isCurrent()) return;
  await using _turn = await takeTurn(place, schema, standby);
  // Another program may have migrated the schema during the wait.
  if (!(await schema.isCurrent())) await schema.bringUpToDate(logger);
}

/**
 * Joins the replicas of the store with this program's tables and functions. Another program may change them while this one waits to join,
 * but not after that.
 * @throws {SyncError} as {@link prepareSchema} and {@link Member.join}.
 */
export async function joinPrepared(place: PostgresPlace, deps: MemberDeps): Promise<Member> {
  for (;;) {
    await prepareSchema(place, deps.logger, deps.standby);
    const joined = await Member.join(place, deps).catch(async (thrown: unknown) => {
      if (await isPrepared(place)) throw thrown;
      return undefined;
    });
    if (joined && (await isPrepared(place))) return joined;
    await joined?.leave();
  }
}

/** Also false if it cannot be determined: the next attempt fails with the reason. */
async function isPrepared(place: PostgresPlace): Promise<boolean> {
  await using schema = new Schema(place);
  return await schema.isCurrent().catch(() => false);
}

/** Excludes daemons until disposed. */
async function takeTurn(place: PostgresPlace, schema: Schema, standby?: Standby): Promise<AsyncDisposable> {
  const hasReplicas = await schema.hasReplicas();
  const link = new Link(place, locked(place), { max: 1 });
  const holder = randomUUID();
  const take = fill(taking(hasReplicas), { holder, name: processName() });
  const end = async () => {
    await link.send([fill(FREE, { holder })]).catch(() => undefined);
    await link[Symbol.asyncDispose]();
  };
  const ask = async () => {
    if ((await link.rows(take)).length > 0) return undefined;
    const [replica] = hasReplicas ? await link.rows<InTheWay>(FOUND_REPLICA) : [];
    const [found] = replica ? [replica] : await link.rows<InTheWay>(FOUND);
    return found ?? { holder: "", name: "", until: "" };
  };
  try {
    await untilFree(place, ask, standby, "toChange");
    return { [Symbol.asyncDispose]: end };
  } catch (thrown) {
    await end();
    throw storeFailure(thrown);
  }
}
