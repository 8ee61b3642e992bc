/** What a list of the service showed of a record when its newest version was last compared with it. */
export const postgresReturnHeadsMigration = 'ALTER TABLE returns ADD COLUMN head text COLLATE "C"';
