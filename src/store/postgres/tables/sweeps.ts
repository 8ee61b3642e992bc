import type { Key, StreamName } from "#model";
import type { SweepStore } from "../../contract/sweeps.ts";
import { endSweepStep } from "../../steps/sweeping.ts";
import type { Database } from "../database.ts";
import { AT_ONCE, partsOf } from "../in-parts.ts";
import { fill, isRecord } from "../sql.ts";

const WAS_SEEN = `EXISTS (SELECT 1 FROM seen s WHERE ${isRecord("s", "r.stream", "r.key")})`;

const BEGIN = `
  INSERT INTO sweeps AS s (stream, number, open, sequence)
  VALUES (@stream, 1, 1, coalesce((SELECT sequence FROM streams WHERE stream = @stream), 0))
  ON CONFLICT (stream) DO UPDATE SET number = s.number + 1, open = 1, sequence = excluded.sequence RETURNING number`;

/** Condition: the sweep is still in progress. */
const IS_OPEN = "EXISTS (SELECT 1 FROM sweeps WHERE stream = @stream AND number = @sweep AND open = 1)";

/** Clears suspects that were seen, deleted or really changed: a real change proves that a record exists. */
const CLEAR = `
  DELETE FROM suspects x USING records r
  WHERE ${IS_OPEN} AND x.record = ANY (@ids) AND r.id = x.record AND (r.deleted = 1 OR r.sequence <> x.sequence OR ${WAS_SEEN})`;

/** Suspects unseen records. Records staged during the sweep are exempt: they may lie before the place where it was already reading. */
const SUSPECT = `
  INSERT INTO suspects (record, sequence, sweep)
  SELECT r.id, r.sequence, @sweep FROM records r
  WHERE ${IS_OPEN} AND r.id = ANY (@ids) AND r.deleted = 0
    AND r.sequence <= (SELECT sequence FROM sweeps WHERE stream = @stream) AND NOT ${WAS_SEEN}
  ON CONFLICT DO NOTHING`;

const SUSPECTS = `
  SELECT count(*) AS suspects FROM suspects x JOIN records r ON r.id = x.record WHERE r.stream = @stream AND x.sweep = @sweep`;

const CONFIRMED = `
  SELECT r.key FROM suspects x JOIN records r ON r.id = x.record
  WHERE r.stream = @stream AND x.sweep < @sweep ORDER BY r.key`;

/** Without a join: before it has statistics, the server would read a whole stream for each key. */
const UNSEEN = `
  SELECT n.key FROM json_array_elements_text(@keys) WITH ORDINALITY AS n(key, at)
  WHERE NOT EXISTS (
    SELECT 1 FROM records r WHERE ${isRecord("r", "@stream", "n.key")} AND r.deleted = 0
      AND (SELECT x.record FROM suspects x WHERE x.record = r.id) IS NULL)
  ORDER BY n.at`;

/** Deletes a part of the marks; none once another sweep has begun, because they belong to that sweep. */
const FORGET_SEEN = `
  DELETE FROM seen WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM seen WHERE stream = @stream AND (SELECT number FROM sweeps WHERE stream = @stream) = @sweep LIMIT ${AT_ONCE}))`;

/** Finds records that the ERP no longer has: two complete sweeps must have missed them. */
export function sweepStore(db: Database): Omit<SweepStore, "markSeen"> {
  return {
    async beginSweep(stream) {
      const [begun] = await db.step([fill(BEGIN, { stream })]);
      const [row]: { number: number }[] = begun?.rows ?? [];
      const sweep = row?.number ?? 0;
      await forgetSeen(stream, sweep);
      return sweep;
    },
    async unseenKeys(stream, keys) {
      return (await db.read<{ key: Key }>(UNSEEN, { stream, keys })).map(({ key }) => key);
    },
    async endSweep(stream, sweep) {
      const values = { stream, sweep };
      for (const { ids } of await partsOf(db, "id", "records WHERE stream = @stream", { stream })) {
        await db.step([CLEAR, SUSPECT].map((sql) => fill(sql, { ...values, ids })));
      }
      const [counted] = await db.read<{ suspects: number }>(SUSPECTS, values);
      const confirmed = await db.read<{ key: Key }>(CONFIRMED, values);
      // Also shows whether another one has replaced it meanwhile: the rest was then not compared.
      await db.take(endSweepStep(stream, sweep));
      await forgetSeen(stream, sweep);
      return { suspects: counted?.suspects ?? 0, confirmed: confirmed.map(({ key }) => key) };
    },
  };

  async function forgetSeen(stream: StreamName, sweep: number): Promise<void> {
    let left = true;
    while (left) {
      const [removed] = await db.step([fill(FORGET_SEEN, { stream, sweep })]);
      left = removed?.rowCount === AT_ONCE;
    }
  }
}
