/** That the store is being moved to another place, or came from one: no row, or one. */
export const move = `
  CREATE TABLE move (
    id     TEXT NOT NULL,
    state  TEXT NOT NULL CHECK (state IN ('leaving', 'left', 'arriving', 'arrived')),
    other  TEXT NOT NULL,
    at     INTEGER NOT NULL
  ) STRICT;
`;
