import { systemClock, type Clock, type JsonObject, type ResourceName } from "#model";
import type { Logger } from "#telemetry";
import { DEFAULT_ACCOUNT, DEFAULT_TOKEN, type Account, type StaticToken } from "./account.ts";
import { Api } from "./api/api.ts";
import { Reports } from "./api/reports.ts";
import { ApiSessions } from "./api/sessions.ts";
import { Tenant } from "./api/tenant.ts";
import { openControl } from "./control/control.ts";
import type { Fault } from "./faults/fault.ts";
import { Faults } from "./faults/faults.ts";
import { HttpFrontend } from "./http/frontend.ts";
import { closeServer, listen } from "./http/listening.ts";
import { Ledger } from "./ledger.ts";
import { People } from "./people.ts";
import { DataFile } from "./records/data-file.ts";
import type { StoredRecord } from "./records/version.ts";
import { expectKnownNames, seedReferenceData, seedRows } from "./seed/seeding.ts";
import { switchesOf, type Switches } from "./switches.ts";

export interface SandboxOptions extends Partial<Switches> {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Default: one account, `DEFAULT_ACCOUNT`. */
  readonly accounts?: readonly Account[];
  /** Default: `DEFAULT_TOKEN` for the first account. */
  readonly tokens?: readonly StaticToken[];
  /** Faults that are armed from the first request on. */
  readonly faults?: readonly Fault[];
  /** A file that keeps all records across restarts; absent: only in memory. */
  readonly data?: string;
  /** Includes the reference data of a realistic tenant. Default true. */
  readonly referenceData?: boolean;
  /** How many requests the ledger remembers; it remembers all writes. Default 10,000. */
  readonly ledgerSize?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const DEFAULT_LEDGER_SIZE = 10_000;

/** Targets of faults besides resources. */
const OTHER_TARGETS = ["login", "logout"];

/** A running stand-in for the service. Disposing it closes both servers and flushes the data file. */
export interface Sandbox extends AsyncDisposable {
  /** Base address of the service, without a trailing slash. */
  readonly url: string;
  /** Base address of the control server; people look at `{controlUrl}/__sandbox/`. */
  readonly controlUrl: string;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly tokens: Pick<ApiSessions, "revoke" | "list">;
  /** What people do in the web interface: approve, take back, change lines and statuses. */
  readonly people: People;
  /** All records of a resource by ascending id, as stored: neutral field names, without computed fields. */
  records(resource: ResourceName): StoredRecord[];
  record(resource: ResourceName, id: number): StoredRecord | undefined;
  /** Inserts records without any check. A row may have its own `id` and stamps; a row with a known id replaces that record. */
  seed(resource: ResourceName, rows: readonly JsonObject[]): StoredRecord[];
  /** Removes a record as if another client had done it. */
  vanish(resource: ResourceName, id: number): void;
  /** Resets to the reference data: no other records, an empty ledger, no faults, no sessions. */
  reset(): Promise<void>;
}

/**
 * Starts a sandbox, by default on free ports of 127.0.0.1.
 * @throws {StopError} E_SANDBOX_PORT when a port is taken; E_SANDBOX_DATA when the data file is invalid;
 * E_SANDBOX_RESOURCE and E_SANDBOX_FAULT for options that would have no effect.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = "127.0.0.1", port = 0, controlPort = 0, logger, clock = systemClock } = options;
  const accounts = options.accounts ?? [DEFAULT_ACCOUNT];
  const statics = options.tokens ?? [{ token: DEFAULT_TOKEN, username: accounts[0]?.username ?? "" }];
  const switches = switchesOf(options);
  const tenant = new Tenant(switches, clock);
  expectKnownNames(tenant, switches, accounts);
  const { database } = tenant;
  const userId = (username: string) => database.table("user").find("username", username)[0]?.id;
  const sessions = new ApiSessions(accounts, statics, switches, clock, userId);
  const faults = new Faults([...tenant.catalogue.resources.keys(), ...OTHER_TARGETS]);
  for (const fault of options.faults ?? []) faults.add(fault);
  const ledger = new Ledger(database, options.ledgerSize ?? DEFAULT_LEDGER_SIZE);
  const dataFile = options.data === undefined ? undefined : await DataFile.open(options.data, database);
  const seedReference = () => {
    if (options.referenceData !== false) seedReferenceData(tenant, accounts);
  };
  if (database.log.length === 0) seedReference();

  const reports = new Reports(tenant);
  const people = new People(tenant, reports);
  const front = new HttpFrontend({ tenant, api: new Api(tenant, reports), people, sessions, faults, ledger, logger });
  const reset = async () => {
    faults.clear();
    sessions.reset();
    ledger.clear();
    database.clear();
    await dataFile?.clear();
    seedReference();
  };
  const control = openControl({ tenant, people, sessions, faults, ledger, reset });
  const stop = async () => {
    await Promise.all([front.stop(), closeServer(control)]);
    await dataFile?.[Symbol.asyncDispose]();
  };
  let controlUrl: string;
  try {
    tenant.url = await listen(front.server, host, port);
    controlUrl = await listen(control, host, controlPort);
  } catch (error) {
    await stop();
    throw error;
  }
  const { url } = tenant;
  logger?.info({ url, controlUrl }, "sandbox started");

  return {
    url,
    controlUrl,
    ledger,
    faults,
    tokens: sessions,
    people,
    records: (resource) =>
      tenant.database
        .table(tenant.resource(resource).name)
        .rows()
        .map((row) => row.version.record!),
    record: (resource, id) => tenant.find(tenant.resource(resource).name, id),
    seed: (resource, rows) => seedRows(tenant, resource, rows),
    vanish: (resource, id) => database.vanish(resource, id),
    reset,
    async [Symbol.asyncDispose]() {
      await stop();
      logger?.info({ url }, "sandbox stopped");
    },
  };
}
