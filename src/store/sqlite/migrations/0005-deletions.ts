/** Announced deletions: the open ones and, for a day, those that were carried out, so that they can be counted. */
export const deletions = `
  CREATE TABLE deletions (
    record   INTEGER PRIMARY KEY REFERENCES records (id),
    stream   TEXT NOT NULL,
    told_at  INTEGER NOT NULL,
    done     INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX deletions_of ON deletions (stream, told_at);
`;
