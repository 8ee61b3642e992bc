/** The deletion feed's cursor, which moves in the transaction of its batch. Before, it was a note that was saved afterwards. */
export const deletionCursors = `
  ALTER TABLE streams ADD COLUMN deletion_cursor TEXT;
  UPDATE streams SET deletion_cursor = (SELECT value FROM notes WHERE name = 'deletions/' || stream);
  DELETE FROM notes WHERE name IN (SELECT 'deletions/' || stream FROM streams);
`;
