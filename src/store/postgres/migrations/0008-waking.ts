/** Notes about records with children still to be woken get the names that they have in SQLite. No stream has such a name. */
export const postgresWakingMigration = `
  UPDATE notes SET name = replace(name, '/', '.') WHERE starts_with(name, 'waking/')
`;
