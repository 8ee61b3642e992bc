/** Which keys a sweep saw, and which records it suspects to be gone. */
export const sweeps = `
  CREATE TABLE sweeps (
    stream    TEXT PRIMARY KEY,
    number    INTEGER NOT NULL,
    open      INTEGER NOT NULL,
    sequence  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE seen (
    stream  TEXT NOT NULL,
    key     TEXT NOT NULL,
    PRIMARY KEY (stream, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE suspects (
    record    INTEGER PRIMARY KEY REFERENCES records (id),
    sequence  INTEGER NOT NULL,
    sweep     INTEGER NOT NULL
  ) STRICT;
`;
