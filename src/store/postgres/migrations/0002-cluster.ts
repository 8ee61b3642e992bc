import { hash } from "../sql.ts";

/** Several daemons share one store: the members, the leader's mapping, and reserved natural keys. */
export const clusterMigration = `
  CREATE SEQUENCE member_epochs;
  CREATE TABLE members (
    token       text COLLATE "C" PRIMARY KEY,
    epoch       bigint NOT NULL,
    name        text NOT NULL,
    version     text NOT NULL,
    since       timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    queue       text COLLATE "C",
    mapping     text COLLATE "C",
    is_served   integer NOT NULL DEFAULT 1,
    share       integer NOT NULL DEFAULT 0,
    held        integer NOT NULL DEFAULT 0
  );

  -- The mapping that records are delivered by: of the leader, once it has begun.
  ALTER TABLE leases ADD COLUMN mapping text;

  CREATE TABLE reserved (
    record  bigint NOT NULL,
    name    text COLLATE "C" NOT NULL
  );
  CREATE INDEX reserved_of ON reserved (record);
  CREATE INDEX reserved_name ON reserved (${hash("name")})
`;
