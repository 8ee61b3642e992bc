/** On which run of the database's server a replica was last heard of: after a failover it has to confirm that the new one lacks nothing. */
export const servers = "ALTER TABLE members ADD COLUMN server timestamptz NOT NULL DEFAULT pg_postmaster_start_time()";
