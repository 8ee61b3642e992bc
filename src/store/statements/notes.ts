import { statement } from "./statement.ts";

/** Adds one to a counter and gives the new total. */
export const countUp = statement<{ name: string }, { total: number }>({
  name: "count_up",
  takes: { name: "text" },
  sql: () => `
    INSERT INTO notes AS n (name, value) VALUES (@name, '1')
    ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(n.value AS bigint) + 1 AS text)
    RETURNING CAST(value AS bigint) AS total`,
});

export const saveNote = statement<{ name: string; value: string }>({
  name: "save_note",
  takes: { name: "text", value: "text" },
  sql: ({ rows }) => `
    INSERT INTO notes (name, value) ${rows("@name, @value")} ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
});

export const eraseNote = statement<{ name: string }>({
  name: "erase_note",
  takes: { name: "text" },
  sql: ({ using }) => `DELETE FROM notes ${using} WHERE name = @name`,
});
