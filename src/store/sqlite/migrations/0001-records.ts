/** Streams, records and their related tables, and the audit trail: everything for polling and delivery. */
export const records = `
  CREATE TABLE streams (
    stream        TEXT PRIMARY KEY,
    sequence      INTEGER NOT NULL DEFAULT 0,
    cursor        TEXT,
    polled_at     INTEGER,
    completed_at  INTEGER,
    rows_read     INTEGER NOT NULL DEFAULT 0,
    poll_open     INTEGER NOT NULL DEFAULT 0,
    first_load    INTEGER NOT NULL DEFAULT 1,
    error         TEXT,
    fingerprint   TEXT,
    adoption      TEXT,
    adoption_at   INTEGER
  ) STRICT, WITHOUT ROWID;

  -- Narrow on purpose: every step of a delivery rewrites this row, never the ERP's columns beside it.
  -- due_at: when a record is due, when a waiting one is due again, when the lease of a claimed one ends.
  CREATE TABLE records (
    id          INTEGER PRIMARY KEY,
    stream      TEXT NOT NULL,
    key         TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN
                  ('due', 'claimed', 'waiting', 'applied', 'parked', 'uncertain', 'skipped', 'deleted')),
    hash        TEXT NOT NULL,
    sequence    INTEGER NOT NULL,
    deleted     INTEGER NOT NULL DEFAULT 0,
    backfill    INTEGER NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0,
    due_at      INTEGER,
    again       INTEGER NOT NULL DEFAULT 0,
    token       TEXT,
    changed_at  INTEGER NOT NULL,
    error       TEXT,
    decision    TEXT,
    UNIQUE (stream, key),
    CHECK ((state = 'claimed') = (token IS NOT NULL)),
    CHECK (CASE WHEN state IN ('due', 'claimed') THEN due_at IS NOT NULL
                WHEN state = 'waiting' THEN 1
                ELSE due_at IS NULL END)
  ) STRICT;
  CREATE INDEX records_due ON records (stream, backfill, due_at, key) WHERE due_at IS NOT NULL;
  CREATE INDEX records_state ON records (stream, state, key);

  CREATE TABLE contents (
    record  INTEGER PRIMARY KEY REFERENCES records (id),
    row     TEXT NOT NULL
  ) STRICT;

  CREATE TABLE written (
    record    INTEGER PRIMARY KEY REFERENCES records (id),
    applied   TEXT,
    sequence  INTEGER,
    doubts    TEXT
  ) STRICT;

  CREATE TABLE bindings (
    record      INTEGER PRIMARY KEY REFERENCES records (id),
    resource    TEXT NOT NULL,
    service_id  INTEGER NOT NULL,
    UNIQUE (resource, service_id)
  ) STRICT;

  CREATE TABLE intents (
    record         INTEGER PRIMARY KEY REFERENCES records (id),
    resource       TEXT NOT NULL,
    projection     TEXT NOT NULL,
    begun_at       INTEGER NOT NULL,
    looks          INTEGER NOT NULL DEFAULT 0,
    first_look_at  INTEGER
  ) STRICT;

  -- Parents are named, not referred to: a child may arrive long before its parent is known.
  CREATE TABLE parents (
    child   INTEGER NOT NULL REFERENCES records (id),
    stream  TEXT NOT NULL,
    key     TEXT NOT NULL,
    PRIMARY KEY (child, stream, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX parents_of ON parents (stream, key, child);

  CREATE TABLE waits (
    child   INTEGER NOT NULL REFERENCES records (id),
    stream  TEXT NOT NULL,
    key     TEXT NOT NULL,
    PRIMARY KEY (child, stream, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waits_for ON waits (stream, key, child);

  CREATE TABLE audit (
    id           INTEGER PRIMARY KEY,
    at           INTEGER NOT NULL,
    stream       TEXT NOT NULL,
    key          TEXT NOT NULL,
    action       TEXT NOT NULL,
    resource     TEXT NOT NULL,
    service_id   INTEGER,
    before       TEXT,
    after        TEXT,
    outcome      TEXT NOT NULL,
    status       INTEGER,
    duration_ms  REAL
  ) STRICT;
  CREATE INDEX audit_of ON audit (stream, key);
  CREATE INDEX audit_at ON audit (at);

  CREATE TABLE notes (
    name   TEXT PRIMARY KEY,
    value  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
