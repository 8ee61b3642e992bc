import { statement } from "./statement.ts";

/** Stores what is in flight, beside what was last written. */
export const markWritten = statement<{ record: number; doubts: string }>({
  name: "mark_written",
  takes: { record: "integer", doubts: "text" },
  sql: ({ rows }) => `
    INSERT INTO written (record, doubts) ${rows("@record, @doubts")}
    ON CONFLICT (record) DO UPDATE SET doubts = excluded.doubts`,
});

/** Stores what the service holds, and that nothing but `doubts` is in flight. */
export const saveWritten = statement<{ record: number; applied: string; sequence: number; doubts: string | null }>({
  name: "save_written",
  takes: { record: "integer", applied: "text", sequence: "integer", doubts: "text" },
  sql: ({ rows }) => `
    INSERT INTO written (record, applied, sequence, doubts) ${rows("@record, @applied, @sequence, @doubts")}
    ON CONFLICT (record) DO UPDATE SET applied = excluded.applied, sequence = excluded.sequence, doubts = excluded.doubts`,
});

export const forgetWritten = statement<{ record: number }>({
  name: "forget_written",
  takes: { record: "integer" },
  sql: ({ using }) => `DELETE FROM written ${using} WHERE record = @record`,
});
