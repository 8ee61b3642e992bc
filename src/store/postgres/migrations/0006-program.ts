/** The version of svcsync that made the tables: one that knows only earlier ones says that it is needed. */
export const program = "ALTER TABLE store_version ADD COLUMN program text";
