/** Whether the store is being moved or was moved: at most one row. */
export const sqliteMoveMigration = `
  CREATE TABLE move (
    id     TEXT NOT NULL,
    state  TEXT NOT NULL CHECK (state IN ('leaving', 'left', 'arriving', 'arrived')),
    other  TEXT NOT NULL,
    at     INTEGER NOT NULL
  ) STRICT;
`;
