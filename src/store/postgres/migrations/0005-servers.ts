/** The server run of a member's last heartbeat. After a failover each member must confirm that the new server lacks nothing. */
export const servers = "ALTER TABLE members ADD COLUMN server timestamptz NOT NULL DEFAULT pg_postmaster_start_time()";
