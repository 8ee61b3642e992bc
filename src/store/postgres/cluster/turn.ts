import type { Logger } from "#telemetry";
import type { Standby } from "../../contract/index.ts";
import { SILENCE_MS } from "./member-functions.ts";
import { fill, type SqlText } from "../sql.ts";
import { NOT_A_MEMBER, postgresFailure } from "../connection/failures.ts";
import { changerToken, isChanger, processName, untilFree, type InTheWay, type Obstacle } from "./in-the-way.ts";
import { Link, type PostgresPlace } from "../connection/link.ts";
import { Member, type MemberDeps } from "./member.ts";
import { locked, reading } from "../connection/prefix.ts";
import { Schema } from "../connection/schema.ts";

const NO_MEMBER = "NOT EXISTS (SELECT 1 FROM members WHERE expires_at > clock_timestamp())";
const taking = (hasMembers: boolean) => `
  INSERT INTO leases AS l (role, holder, name, expires_at)
  SELECT 'daemon', @holder, @name, clock_timestamp() + interval '${SILENCE_MS} ms' WHERE ${hasMembers ? NO_MEMBER : true}
  ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, name = excluded.name, expires_at = excluded.expires_at
  WHERE l.expires_at <= clock_timestamp() RETURNING holder`;
const FOUND = "SELECT holder, name, expires_at::text AS until FROM leases WHERE role = 'daemon'";
const FOUND_MEMBER = `
  SELECT token AS holder, name, expires_at::text AS until FROM members WHERE expires_at > clock_timestamp()
  ORDER BY epoch LIMIT 1`;
/** Another daemon may have taken the turn of one that was paused for long. */
const KEEP = `
  DO $$ BEGIN
    UPDATE leases SET expires_at = clock_timestamp() + interval '${SILENCE_MS} ms' WHERE role = 'daemon' AND holder = @holder;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'another program changes the tables' USING ERRCODE = '${NOT_A_MEMBER}';
    END IF;
  END $$`;
const FREE = "DELETE FROM leases WHERE role = 'daemon' AND holder = @holder";

/**
 * Creates the schema or migrates it to this program's version. Tables and functions change only while no daemon uses them: waits until dead
 * daemons expire and, with `standby`, until live ones end.
 * @throws {StopError} E_STORE_BUSY, with its name, when a live daemon uses the store. E_STORE_NEWER when a newer program created the
 * schema: nothing is touched. E_STORE_SERVER when the server is not suitable.
 */
export async function prepareSchema(place: PostgresPlace, logger: Logger, standby?: Standby): Promise<void> {
  await using schema = new Schema(place);
  while (!(await schema.isCurrent())) {
    await using turn = await takeTurn(place, schema, standby);
    // Another program may have migrated the schema during the wait.
    if (turn !== undefined && !(await schema.isCurrent())) await schema.bringUpToDate(logger, turn.keep);
  }
}

/** For a reader: changes nothing. @throws {StopError} E_STORE_UNPREPARED unless the schema is that of this program, or as {@link prepareSchema}. */
export async function expectPrepared(place: PostgresPlace): Promise<void> {
  await using schema = new Schema(place, reading(place));
  await schema.expectCurrent();
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
interface Turn extends AsyncDisposable {
  /** Belongs to each change of the tables: it fails if the turn was lost, and prolongs the turn. */
  readonly keep: SqlText;
}

/** Undefined when another daemon made the tables those of this program during the wait, and may already work on them. */
async function takeTurn(place: PostgresPlace, schema: Schema, standby?: Standby): Promise<Turn | undefined> {
  const link = new Link(place, locked(place), { max: 1 });
  const holder = changerToken();
  let isTaken = false;
  const end = async () => {
    await link.send([fill(FREE, { holder })]).catch(() => undefined);
    await link[Symbol.asyncDispose]();
  };
  const ask = async (): Promise<Obstacle | undefined> => {
    if (await schema.isCurrent()) return undefined;
    const hasMembers = await schema.hasMembers();
    isTaken = (await link.rows(fill(taking(hasMembers), { holder, name: processName() }))).length > 0;
    if (isTaken) return undefined;
    const [replica] = hasMembers ? await link.rows<InTheWay>(FOUND_MEMBER) : [];
    const [found] = replica ? [replica] : await link.rows<InTheWay>(FOUND);
    // It has ended since the attempt.
    if (found === undefined) return ask();
    if (isChanger(found)) return { ...found, why: "tablesChange" };
    // It may have made the tables since they were looked at.
    return (await schema.isCurrent()) ? undefined : { ...found, why: "otherTables" };
  };
  try {
    await untilFree(place, ask, standby);
    if (isTaken) return { keep: fill(KEEP, { holder }), [Symbol.asyncDispose]: end };
    await end();
    return undefined;
  } catch (thrown) {
    await end();
    throw postgresFailure(thrown);
  }
}
