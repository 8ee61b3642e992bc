import { statement } from "./statement.ts";

/** Adds one to a counter and gives the new total. */
export const countUp = statement<{ name: string }, { total: number }>({
  name: "count_up",
  takes: { name: "text" },
  gives: { total: "integer" },
  sql: () => `
    INSERT INTO notes AS n (name, value) VALUES (@name, '1')
    ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(n.value AS bigint) + 1 AS text)
    RETURNING CAST(value AS bigint) AS total`,
});

export const saveNote = statement<{ name: string; value: string }>({
  name: "save_note",
  takes: { name: "text", value: "text" },
  gives: {},
  sql: () => `
    INSERT INTO notes (name, value) VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
});

export const eraseNote = statement<{ name: string }>({
  name: "erase_note",
  takes: { name: "text" },
  gives: {},
  sql: () => "DELETE FROM notes WHERE name = @name",
});
