/** A note for each record with children still to be woken, instead of one list of their names. */
export const sqliteWakingMigration = `
  INSERT OR REPLACE INTO notes (name, value)
  SELECT 'waking.' || (w.value ->> 'who') || '.' || r.id, CAST(w.value ->> 'after' AS TEXT)
  FROM notes n, json_each(n.value) w JOIN records r ON r.stream = w.value ->> 'stream' AND r.key = w.value ->> 'key'
  WHERE n.name = 'waking';
  DELETE FROM notes WHERE name = 'waking';
`;
