import type { RecordId } from "#model";
import { statement } from "./statement.ts";

/**
 * Whether a member of the cluster may claim at all. It may not before the session of a lost one is ended, because its requests may still
 * arrive; nor on a server that was started or promoted until each member has confirmed that it lacks nothing, because a create that it lost
 * would be made again; nor with another mapping than the leader's, so that an older sync file delivers nothing.
 */
export const findGate = statement<{ mapping: string }, { is_open: number }>({
  name: "find_gate",
  takes: { mapping: "text" },
  ofCluster: true,
  sql: () => `
    SELECT CASE WHEN is_revoked() OR EXISTS (SELECT 1 FROM members WHERE server <> pg_postmaster_start_time())
      OR NOT EXISTS (SELECT 1 FROM leases WHERE role = 'daemon' AND mapping = @mapping) THEN 0 ELSE 1 END AS is_open`,
});

/** Frees a record that another member had claimed and whose lease ran out. Its requests may still arrive, so its session ends. */
export const freeLost = statement<{ record: number; now: number }, { sends: number }>({
  name: "free_lost_record",
  takes: { record: "integer", now: "integer" },
  ofCluster: true,
  sql: () => "SELECT free_lost(ARRAY[@record], @now) AS sends",
});

/** Ends the reservation of names that a create of the record had. */
export const freeNames = statement<{ record: number }>({
  name: "free_names",
  takes: { record: "integer" },
  ofCluster: true,
  sql: ({ using }) => `DELETE FROM reserved ${using} WHERE record = @record`,
});

/** The other record whose create has reserved a name, which holds while its delivery or its create is open. */
export const findNameOwner = statement<{ record: number; name: string }, RecordId>({
  name: "find_name_owner",
  takes: { record: "integer", name: "text" },
  ofCluster: true,
  sql: ({ isKey }) => `
    SELECT o.stream, o.key FROM reserved v JOIN records o ON o.id = v.record
    WHERE ${isKey("v.name", "@name")} AND v.record <> @record
      AND (o.state = 'claimed' OR EXISTS (SELECT 1 FROM intents i WHERE i.record = o.id)) LIMIT 1`,
});

export const reserveName = statement<{ record: number; name: string }>({
  name: "reserve_name",
  takes: { record: "integer", name: "text" },
  ofCluster: true,
  sql: ({ rows }) => `INSERT INTO reserved (record, name) ${rows("@record, @name")}`,
});
