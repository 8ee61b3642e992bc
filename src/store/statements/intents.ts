import { statement } from "./statement.ts";

interface OfRecord extends Readonly<Record<string, number>> {
  readonly record: number;
}

const takes = { record: "integer" } as const;

export const openIntent = statement<{ record: number; resource: string; projection: string; now: number }>({
  name: "open_intent",
  takes: { record: "integer", resource: "text", projection: "text", now: "integer" },
  sql: ({ rows }) =>
    `INSERT INTO intents (record, resource, projection, begun_at) ${rows("@record, @resource, @projection, @now")}`,
});

export const answerIntent = statement<OfRecord>({
  name: "answer_intent",
  takes,
  sql: ({ from }) => `UPDATE intents SET answered = 1 ${from} WHERE record = @record`,
});

export const countLook = statement<OfRecord>({
  name: "count_look",
  takes,
  sql: ({ from }) => `UPDATE intents SET looks = looks + 1 ${from} WHERE record = @record`,
});

export const endIntent = statement<OfRecord>({
  name: "end_intent",
  takes,
  sql: ({ using }) => `DELETE FROM intents ${using} WHERE record = @record`,
});
