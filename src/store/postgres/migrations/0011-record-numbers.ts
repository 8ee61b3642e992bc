/** Records are numbered by the step that adds them, as in SQLite. */
export const recordNumbers = `
  DROP SEQUENCE record_ids
`;
