/**
 * The lane back to the ERP: each version of what it is told, and where each stream of returns stands, by the name of a member. `due_at` of a
 * delivered return is when it was delivered, so that one index has what is due, and the oldest without an answer.
 */
export const sqliteReturnsMigration = `
  CREATE TABLE returns (
    stream        TEXT NOT NULL,
    subject       TEXT NOT NULL,
    version       INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    service_id    INTEGER,
    replaces      INTEGER,
    hash          TEXT NOT NULL,
    content       TEXT,
    state         TEXT NOT NULL,
    prepared_at   INTEGER NOT NULL,
    delivered_at  INTEGER,
    result        TEXT,
    document      TEXT,
    message       TEXT,
    answered_at   INTEGER,
    following     TEXT,
    attempts      INTEGER NOT NULL,
    due_at        INTEGER NOT NULL,
    error         TEXT,
    PRIMARY KEY (stream, subject, version)
  ) STRICT;
  CREATE INDEX returns_state ON returns (stream, state, subject, version);
  CREATE INDEX returns_due ON returns (stream, state, due_at, subject, version);
  CREATE INDEX returns_following ON returns (stream, due_at, subject, version) WHERE following = 'due';

  CREATE TABLE return_marks (
    stream  TEXT NOT NULL,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (stream, name)
  ) STRICT, WITHOUT ROWID;
`;
