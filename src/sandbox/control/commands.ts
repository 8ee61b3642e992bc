import type { App, Context } from "#server";
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
  readonly reset: () => Promise<void>;
}

const DEFAULT_ROWS = 100;

/** The commands of the control server: one route each, answered as JSON. */
export function addCommands(app: App, deps: ControlDeps): void {
  const { ledger, sessions } = deps;
  app.get("/requests", (c) => c.json(ledger.requests(requestQuery(c)).slice(-rowsOf(c))));
  app.get("/writes", (c) => c.json(ledger.writes(writeQuery(c)).slice(-rowsOf(c))));
  app.get("/counts", (c) =>
    c.json({ requests: ledger.count(requestQuery(c)), writes: ledger.writes(writeQuery(c)).length }),
  );
  addRecords(app, deps);
  addFaults(app, deps);
  app.get("/tokens", (c) => c.json(sessions.list()));
  app.post("/tokens-revoke", (c) =>
    c.json({ revoked: sessions.revoke({ staticTokens: c.req.query("staticTokens") === "true" }) }),
  );
  app.post("/reset", async (c) => {
    await deps.reset();
    return c.json({ reset: true });
  });
}

/** Counts of all resources, the newest records of one, one record, or its history. */
function addRecords(app: App, { tenant, ledger }: ControlDeps): void {
  const { database } = tenant;
  const nameOf = (c: Context) => tenant.resource(c.req.param("resource") ?? "").name;
  app.get("/records", (c) =>
    c.json(Object.fromEntries([...tenant.catalogue.resources.keys()].map((name) => [name, database.table(name).size]))),
  );
  app.get("/records/:resource", (c) => {
    const rows = database.table(nameOf(c)).rows().slice(-rowsOf(c));
    return c.json(rows.map((row) => row.version.record));
  });
  app.get("/records/:resource/:id", (c) => {
    const record = database.table(nameOf(c)).get(idOf(c))?.version.record;
    return record === undefined ? c.notFound() : c.json(record);
  });
  app.get("/records/:resource/:id/history", (c) => c.json(ledger.history(nameOf(c), idOf(c))));
  app.delete("/records/:resource/:id", (c) => {
    database.vanish(nameOf(c), idOf(c));
    return c.json({ vanished: true });
  });
}

function addFaults(app: App, { faults }: ControlDeps): void {
  app.get("/faults", (c) => c.json(faults.list()));
  app.post("/faults", async (c) => c.json({ id: faults.addUnchecked(await c.req.json()) }));
  app.post("/faults-clear", (c) => {
    faults.clear();
    return c.json(faults.list());
  });
  app.delete("/faults/:id?", (c) => {
    const id = c.req.param("id");
    faults.clear(id === undefined ? undefined : Number(id));
    return c.json(faults.list());
  });
}

function requestQuery(c: Context): RequestQuery {
  const { method, resource, status } = c.req.query();
  return { ...(method && { method }), ...(resource && { resource }), ...(status && { status: Number(status) }) };
}

function writeQuery(c: Context): WriteQuery {
  const { resource, id, action: asked } = c.req.query();
  const action = WRITE_ACTIONS.find((action) => action === asked);
  return { ...(resource && { resource }), ...(id && { id: Number(id) }), ...(action && { action }) };
}

const rowsOf = (c: Context): number => Number(c.req.query("limit") ?? DEFAULT_ROWS) || DEFAULT_ROWS;

const idOf = (c: Context): number => Number(c.req.param("id"));
