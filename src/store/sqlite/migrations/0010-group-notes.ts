/** People's notes about groups of records with the same error. */
export const groupNotes = `
  CREATE TABLE group_notes (
    id    TEXT PRIMARY KEY,
    note  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
