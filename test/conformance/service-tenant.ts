import { systemClock, type Clock, type JsonObject, type ResourceName } from "#model";
import { DEFAULT_ACCOUNT, DEFAULT_TOKEN, startSandbox, type Sandbox, type SandboxOptions } from "#sandbox";
import type { ServiceDialect, Settings } from "#settings";
import { dialect, open, secrets, type Opened } from "../service/stand-in.ts";

/** A sandbox, and a client that speaks its dialect. */
export interface Tenant extends Opened {
  readonly sandbox: Sandbox;
  /** The id of the reference record with this name. */
  named(resource: ResourceName, name: string): number;
  /** What a customer needs, under a number of its own. */
  customer(number: number | string): JsonObject;
  /** How many requests of a method the sandbox saw for a resource. */
  requests(resource: ResourceName, method: string): number;
}

export async function openTenant(
  options: SandboxOptions = {},
  changes: Partial<ServiceDialect> = {},
  settings: Partial<Settings["service"]> = {},
  clock: Clock = systemClock,
): Promise<Tenant> {
  const sandbox = await startSandbox(options);
  const given = { ...secrets, serviceToken: DEFAULT_TOKEN, servicePassword: DEFAULT_ACCOUNT.password };
  const opened = open(sandbox.url, { dialect: { ...dialect, ...changes }, ...settings }, { secrets: given, clock });
  const named = (resource: ResourceName, name: string) => {
    const record = sandbox.records(resource).find((candidate) => candidate["name"] === name);
    if (record === undefined) throw new Error(`the sandbox has no ${resource} ${name}`);
    return record.id;
  };
  return {
    ...opened,
    sandbox,
    named,
    customer: (number) => ({
      name: `Kunde ${number}`,
      customerId: `K-${number}`,
      customerStatus: named("customerStatus", "Active"),
    }),
    requests: (resource, method) => sandbox.ledger.count({ resource, method }),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** Every row of a list. */
export async function rowsOf(tenant: Opened, resource: ResourceName, fields: readonly string[]) {
  const all: JsonObject[] = [];
  const { signal } = new AbortController();
  for await (const rows of tenant.service.list(resource, { fields }, signal)) all.push(...rows);
  return all;
}
