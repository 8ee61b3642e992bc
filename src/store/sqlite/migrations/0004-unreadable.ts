/** Why the latest row of a record cannot be read: kept beside `error`, which the next delivery replaces. */
export const unreadable = `
  ALTER TABLE records ADD COLUMN unreadable TEXT;
`;
