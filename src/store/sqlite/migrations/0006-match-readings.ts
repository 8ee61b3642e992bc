/** By which whole read a record of the service was last seen. */
export const matchReadings = `
  ALTER TABLE match_indexes ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE match_records ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;
`;
