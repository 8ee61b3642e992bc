import type { ResourceName } from "#model";
import type { Sessions } from "../api/sessions.ts";
import type { Tenant } from "../api/tenant.ts";
import type { Faults } from "../faults/faults.ts";
import type { Ledger, RequestQuery, WriteQuery } from "../ledger.ts";
import { WRITE_ACTIONS } from "../records/version.ts";

export interface ControlDeps {
  readonly tenant: Tenant;
  readonly sessions: Sessions;
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly vanish: (resource: ResourceName, id: number) => void;
  readonly reset: () => Promise<void>;
}

export interface ControlRequest {
  readonly method: string;
  /** Segments below `/__sandbox/`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

const DEFAULT_ROWS = 100;

/** What the control server does, by method and first segment. Undefined where there is no such command. */
export async function carryOut(parts: ControlDeps, { method, path, query, body }: ControlRequest): Promise<unknown> {
  const { tenant, sessions, faults, ledger } = parts;
  const [first = "", second, third] = path;
  switch (`${method} ${first}`) {
    case "GET requests":
      return ledger.requests(requestQuery(query)).slice(-rowsOf(query));
    case "GET writes":
      return ledger.writes(writeQuery(query)).slice(-rowsOf(query));
    case "GET counts":
      return { requests: ledger.count(requestQuery(query)), writes: ledger.writes(writeQuery(query)).length };
    case "GET records":
      return readRecords(parts, path, query);
    case "DELETE records":
      if (second === undefined || third === undefined) return undefined;
      parts.vanish(tenant.resource(second).name, Number(third));
      return { vanished: true };
    case "GET faults":
      return faults.list();
    case "POST faults":
      return { id: faults.addUnchecked(body) };
    case "DELETE faults":
      faults.clear(second === undefined ? undefined : Number(second));
      return faults.list();
    case "POST faults-clear":
      faults.clear();
      return faults.list();
    case "GET tokens":
      return sessions.list();
    case "POST tokens-revoke":
      return { revoked: sessions.revoke({ staticTokens: query.get("staticTokens") === "true" }) };
    case "POST reset":
      await parts.reset();
      return { reset: true };
    default:
      return undefined;
  }
}

/** Counts of all resources, the newest records of one, one record, or its history. */
function readRecords({ tenant, ledger }: ControlDeps, path: readonly string[], query: URLSearchParams): unknown {
  const [, resource, id, word] = path;
  const { database } = tenant;
  if (resource === undefined)
    return Object.fromEntries([...tenant.catalogue.resources.keys()].map((name) => [name, database.table(name).size]));
  const { name } = tenant.resource(resource);
  const table = database.table(name);
  if (id === undefined)
    return table
      .rows()
      .slice(-rowsOf(query))
      .map((row) => row.version.record);
  if (word === "history") return ledger.history(name, Number(id));
  return word === undefined ? table.get(Number(id))?.version.record : undefined;
}

function requestQuery(query: URLSearchParams): RequestQuery {
  const [method, resource, status] = ["method", "resource", "status"].map((name) => query.get(name));
  return { ...(method && { method }), ...(resource && { resource }), ...(status && { status: Number(status) }) };
}

function writeQuery(query: URLSearchParams): WriteQuery {
  const [resource, id, asked] = ["resource", "id", "action"].map((name) => query.get(name));
  const action = WRITE_ACTIONS.find((action) => action === asked);
  return { ...(resource && { resource }), ...(id && { id: Number(id) }), ...(action && { action }) };
}

const rowsOf = (query: URLSearchParams): number => Number(query.get("limit") ?? DEFAULT_ROWS) || DEFAULT_ROWS;
