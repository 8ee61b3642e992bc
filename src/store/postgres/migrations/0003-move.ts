/** That the store is being moved to another place, or came from one: no row, or one. */
export const move = `
  CREATE TABLE move (
    id     text NOT NULL,
    state  text NOT NULL CHECK (state IN ('leaving', 'left', 'arriving', 'arrived')),
    other  text NOT NULL,
    at     bigint NOT NULL
  )
`;
