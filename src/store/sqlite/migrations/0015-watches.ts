/** Watched records, and their requests with the answers. */
export const watches = `
  CREATE TABLE watches (
    stream  TEXT NOT NULL,
    key     TEXT NOT NULL,
    until   INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    via     TEXT NOT NULL,
    why     TEXT,
    PRIMARY KEY (stream, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE exchanges (
    id        INTEGER PRIMARY KEY,
    stream    TEXT NOT NULL,
    key       TEXT NOT NULL,
    at        INTEGER NOT NULL,
    exchange  TEXT NOT NULL
  ) STRICT;
  CREATE INDEX exchanges_of ON exchanges (stream, key, id);
  CREATE INDEX exchanges_at ON exchanges (at);
`;
