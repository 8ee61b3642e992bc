import { statement } from "./statement.ts";

/** Remembers that the service has this record, as of the latest whole read. */
export const saveMatch = statement<{ resource: string; serviceId: number }>({
  name: "save_match",
  takes: { resource: "text", serviceId: "integer" },
  sql: ({ from }) => `
    INSERT INTO match_records (resource, service_id, reading)
    SELECT @resource, @serviceId, coalesce((SELECT reading FROM match_indexes WHERE resource = @resource), 0) ${from} WHERE true
    ON CONFLICT (resource, service_id) DO UPDATE SET reading = excluded.reading`,
});

export const forgetMatch = statement<{ resource: string; serviceId: number }>({
  name: "forget_match",
  takes: { resource: "text", serviceId: "integer" },
  sql: ({ using }) => `DELETE FROM match_records ${using} WHERE resource = @resource AND service_id = @serviceId`,
});

export const forgetMatchKeys = statement<{ resource: string; serviceId: number }>({
  name: "forget_match_keys",
  takes: { resource: "text", serviceId: "integer" },
  sql: ({ using }) => `DELETE FROM match_keys ${using} WHERE resource = @resource AND service_id = @serviceId`,
});

/** Forgets the keys of these rules only. */
export const forgetMatchKeysOf = statement<{ resource: string; serviceId: number; rules: readonly string[] }>({
  name: "forget_match_keys_of",
  takes: { resource: "text", serviceId: "integer", rules: "list" },
  sql: ({ using, each }) => `
    DELETE FROM match_keys ${using}
    WHERE resource = @resource AND service_id = @serviceId AND rule IN (SELECT n.value FROM ${each("@rules")} n)`,
});

export const addMatchKey = statement<{ resource: string; serviceId: number; rule: string; key: string }>({
  name: "add_match_key",
  takes: { resource: "text", serviceId: "integer", rule: "text", key: "text" },
  sql: ({ rows }) =>
    `INSERT INTO match_keys (resource, service_id, rule, key) ${rows("@resource, @serviceId, @rule, @key")}`,
});
