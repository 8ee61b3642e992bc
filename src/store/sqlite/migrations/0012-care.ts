/** What scheduled care did last: one row for each kind. */
export const care = `
  CREATE TABLE care (
    kind   TEXT PRIMARY KEY,
    state  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
