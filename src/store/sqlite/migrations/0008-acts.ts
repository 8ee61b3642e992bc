/** Who did something by hand and why, and which streams people paused. */
export const actsMigration = `
  ALTER TABLE audit ADD COLUMN actor TEXT;
  ALTER TABLE audit ADD COLUMN via TEXT;
  ALTER TABLE audit ADD COLUMN why TEXT;

  CREATE TABLE pauses (
    stream  TEXT PRIMARY KEY,
    since   INTEGER NOT NULL,
    until   INTEGER NOT NULL,
    polls   INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    via     TEXT NOT NULL,
    why     TEXT
  ) STRICT, WITHOUT ROWID;
`;
