import { statement } from "./statement.ts";

/** Remembers that the service has this record, as of the latest whole read. */
export const saveMatch = statement<{ resource: string; serviceId: number }>({
  name: "save_match",
  takes: { resource: "text", serviceId: "integer" },
  gives: {},
  sql: () => `
    INSERT INTO match_records (resource, service_id, reading)
    SELECT @resource, @serviceId, coalesce((SELECT reading FROM match_indexes WHERE resource = @resource), 0) WHERE true
    ON CONFLICT (resource, service_id) DO UPDATE SET reading = excluded.reading`,
});

export const forgetMatch = statement<{ resource: string; serviceId: number }>({
  name: "forget_match",
  takes: { resource: "text", serviceId: "integer" },
  gives: {},
  sql: () => "DELETE FROM match_records WHERE resource = @resource AND service_id = @serviceId",
});

export const forgetMatchKeys = statement<{ resource: string; serviceId: number }>({
  name: "forget_match_keys",
  takes: { resource: "text", serviceId: "integer" },
  gives: {},
  sql: () => "DELETE FROM match_keys WHERE resource = @resource AND service_id = @serviceId",
});

export const addMatchKey = statement<{ resource: string; serviceId: number; rule: string; key: string }>({
  name: "add_match_key",
  takes: { resource: "text", serviceId: "integer", rule: "text", key: "text" },
  gives: {},
  sql: () => "INSERT INTO match_keys (resource, service_id, rule, key) VALUES (@resource, @serviceId, @rule, @key)",
});
