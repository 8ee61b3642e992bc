import { statement } from "./statement.ts";

/** The sweep of a stream that is in progress, if there is one. */
export const findSweep = statement<{ stream: string }, { number: number }>({
  name: "find_sweep",
  takes: { stream: "text" },
  sql: () => "SELECT number FROM sweeps WHERE stream = @stream AND open = 1",
});

export const markSeenKey = statement<{ stream: string; key: string }>({
  name: "mark_seen_key",
  takes: { stream: "text", key: "text" },
  sql: ({ from, isOf }) => `
    INSERT INTO seen (stream, key) SELECT @stream, @key ${from}
    WHERE NOT EXISTS (SELECT 1 FROM seen s WHERE ${isOf("s", "@stream", "@key")})`,
});

export const closeSweep = statement<{ stream: string }>({
  name: "close_sweep",
  takes: { stream: "text" },
  sql: ({ from }) => `UPDATE sweeps SET open = 0 ${from} WHERE stream = @stream`,
});
