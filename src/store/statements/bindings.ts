import { statement } from "./statement.ts";

/** The record that a record of the service is bound to. */
export interface OwnerRow {
  readonly id: number;
  readonly stream: string;
  readonly key: string;
}

export const findOwner = statement<{ resource: string; serviceId: number }, OwnerRow>({
  name: "find_owner",
  takes: { resource: "text", serviceId: "integer" },
  sql: () => `
    SELECT r.id, r.stream, r.key FROM bindings b JOIN records r ON r.id = b.record
    WHERE b.resource = @resource AND b.service_id = @serviceId`,
});

export const saveBinding = statement<{ record: number; resource: string; serviceId: number }>({
  name: "save_binding",
  takes: { record: "integer", resource: "text", serviceId: "integer" },
  sql: ({ rows }) => `
    INSERT INTO bindings (record, resource, service_id) ${rows("@record, @resource, @serviceId")}
    ON CONFLICT (record) DO UPDATE SET resource = excluded.resource, service_id = excluded.service_id`,
});

export const endBinding = statement<{ record: number }>({
  name: "end_binding",
  takes: { record: "integer" },
  sql: ({ using }) => `DELETE FROM bindings ${using} WHERE record = @record`,
});
