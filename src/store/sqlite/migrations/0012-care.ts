/** The last results of scheduled maintenance, one row per kind. */
export const care = `
  CREATE TABLE care (
    kind   TEXT PRIMARY KEY,
    state  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
