/** What people wrote down about groups of records that met the same error. */
export const groupNotes = `
  CREATE TABLE group_notes (
    id    TEXT PRIMARY KEY,
    note  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
