/** The cursor of a deletion feed moves in the transaction of its batch. Up to here it was a note, saved after it. */
export const deletionCursors = `
  ALTER TABLE streams ADD COLUMN deletion_cursor TEXT;
  UPDATE streams SET deletion_cursor = (SELECT value FROM notes WHERE name = 'deletions/' || stream);
  DELETE FROM notes WHERE name IN (SELECT 'deletions/' || stream FROM streams);
`;
