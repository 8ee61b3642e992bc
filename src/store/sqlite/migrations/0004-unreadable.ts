/** Why a record's latest row cannot be read. Stored apart from `error`, which the next delivery replaces. */
export const unreadable = `
  ALTER TABLE records ADD COLUMN unreadable TEXT;
`;
