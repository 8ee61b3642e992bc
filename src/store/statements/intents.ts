import { statement } from "./statement.ts";

interface OfRecord extends Readonly<Record<string, number>> {
  readonly record: number;
}

const takes = { record: "integer" } as const;

export const openIntent = statement<{ record: number; resource: string; projection: string; now: number }>({
  name: "open_intent",
  takes: { record: "integer", resource: "text", projection: "text", now: "integer" },
  gives: {},
  sql: () =>
    "INSERT INTO intents (record, resource, projection, begun_at) VALUES (@record, @resource, @projection, @now)",
});

export const answerIntent = statement<OfRecord>({
  name: "answer_intent",
  takes,
  gives: {},
  sql: () => "UPDATE intents SET answered = 1 WHERE record = @record",
});

export const countLook = statement<OfRecord>({
  name: "count_look",
  takes,
  gives: {},
  sql: () => "UPDATE intents SET looks = looks + 1 WHERE record = @record",
});

export const endIntent = statement<OfRecord>({
  name: "end_intent",
  takes,
  gives: {},
  sql: () => "DELETE FROM intents WHERE record = @record",
});
