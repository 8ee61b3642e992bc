/** The number of the whole read that last saw a service record. */
export const matchReadings = `
  ALTER TABLE match_indexes ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE match_records ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;
`;
