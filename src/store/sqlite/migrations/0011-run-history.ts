/** What each stream did per hour; `hour` counts hours since 1970. */
export const runHistory = `
  CREATE TABLE run_history (
    hour           INTEGER NOT NULL,
    stream         TEXT NOT NULL,
    polls          INTEGER NOT NULL,
    poll_failures  INTEGER NOT NULL,
    rows_read      INTEGER NOT NULL,
    changed        INTEGER NOT NULL,
    created        INTEGER NOT NULL,
    adopted        INTEGER NOT NULL,
    updated        INTEGER NOT NULL,
    unchanged      INTEGER NOT NULL,
    deleted        INTEGER NOT NULL,
    skipped        INTEGER NOT NULL,
    waiting        INTEGER NOT NULL,
    retried        INTEGER NOT NULL,
    parked         INTEGER NOT NULL,
    uncertain      INTEGER NOT NULL,
    requests       INTEGER NOT NULL,
    busy_ms        INTEGER NOT NULL,
    PRIMARY KEY (hour, stream)
  ) STRICT, WITHOUT ROWID;
`;
