/** Whether the store is being moved or was moved: at most one row. */
export const postgresMoveMigration = `
  CREATE TABLE move (
    id     text NOT NULL,
    state  text NOT NULL CHECK (state IN ('leaving', 'left', 'arriving', 'arrived')),
    other  text NOT NULL,
    at     bigint NOT NULL
  )
`;
