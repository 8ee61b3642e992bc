/** Whether the service confirmed a create without telling its id. Drops the time of the first search, which nothing uses. */
export const answeredCreates = `
  ALTER TABLE intents DROP COLUMN first_look_at;
  ALTER TABLE intents ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
`;
