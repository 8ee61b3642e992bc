/** The version of svcsync that created the tables: an older program names it in its error message. */
export const program = "ALTER TABLE store_version ADD COLUMN program text";
