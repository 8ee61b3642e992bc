import { StopError, type JsonObject, type ResourceName, nearest } from "#model";
import type { Tenant } from "../api/tenant.ts";
import type { Account } from "../account.ts";
import type { StoredRecord } from "../records/version.ts";
import { referenceSets } from "./reference-data.ts";
import type { Switches } from "../switches.ts";

/**
 * Stores rows unchanged, adding ids and stamps where they have none.
 * @throws {StopError} E_SANDBOX_RESOURCE for a resource that the reference does not have.
 */
export function seedRows(tenant: Tenant, resource: ResourceName, rows: readonly JsonObject[]): StoredRecord[] {
  const known = tenant.catalogue.resources.get(resource);
  if (known === undefined) throw unknownResource(tenant, resource);
  return rows.map((row) => {
    const id = typeof row["id"] === "number" ? row["id"] : tenant.database.nextId();
    const record: StoredRecord = { ...tenant.createStamps(known), ...row, id };
    tenant.database.put(resource, record, { action: "seed" });
    return record;
  });
}

/** Seeds the reference records of a tenant, and links users to them. */
export function seedReferenceData(tenant: Tenant, accounts: readonly Account[]): void {
  const firstId = (resource: ResourceName): number => tenant.database.table(resource).rows()[0]?.id ?? 0;
  for (const [resource, rows] of referenceSets(accounts)) {
    const links = (): JsonObject => {
      if (resource === "user")
        return { permissionGroup: firstId("permissionGroup"), department: firstId("department") };
      return {};
    };
    seedRows(
      tenant,
      resource,
      rows.map((row) => ({ ...row, ...links() })),
    );
  }
}

/**
 * Refuses options for an unknown resource, because they would have no effect.
 * @throws {StopError} E_SANDBOX_RESOURCE for the first of them.
 */
export function expectKnownNames(tenant: Tenant, { paths, listKeys }: Switches, accounts: readonly Account[]): void {
  const ofAccounts = accounts.flatMap(({ permissions = {}, sees = {} }) => Object.keys({ ...permissions, ...sees }));
  for (const name of [...Object.keys({ ...paths, ...listKeys }), ...ofAccounts])
    if (name !== "*" && !tenant.catalogue.resources.has(name)) throw unknownResource(tenant, name);
}

function unknownResource(tenant: Tenant, name: string): StopError {
  const meant = nearest(name, [...tenant.catalogue.resources.keys()]);
  const question = meant === undefined ? "" : `; did you mean ${meant}?`;
  return new StopError("E_SANDBOX_RESOURCE", `there is no resource ${name}${question}`);
}
