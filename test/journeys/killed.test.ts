import { afterAll, describe, expect, it } from "vitest";
import { runAndKill } from "./killed-program.ts";
import { byText, setStage, texts } from "./stage.ts";
import { postgresServer } from "../setup/postgres.ts";

function living<Row extends { readonly deleted: number }>(table: readonly Row[]): Row[] {
  return table.filter((row) => row.deleted === 0);
}

const postgres = postgresServer();
afterAll(() => postgres.end());

/** Without a Redis on it, the queue is in the killed process. The killed daemon's lease in PostgreSQL ends after eight seconds: fewer kills. */
const STORES = [
  { store: "SQLite", environment: async () => ({}), kills: [20, 80, 130] },
  {
    store: "SQLite and the queue in-process",
    environment: async () => ({}),
    kills: [20, 80, 130],
    path: "/nonexistent",
  },
  { store: "PostgreSQL", environment: async () => ({ STORE_URL: await postgres.url() }), kills: [60] },
];

describe("a daemon that is killed with -9 in the middle of the first load", () => {
  it.each(STORES)(
    "goes on where it was with $store: every record is there once",
    async ({ environment, kills, path }) => {
      const rows = { customers: 60, contacts: 100, tickets: 60, orders: 40 };
      await using stage = await setStage({ rows, environment: await environment() });
      const { sandbox, erp } = stage;
      const posts = () => sandbox.ledger.count({ method: "POST" });
      sandbox.faults.add({ kind: "latency", ms: 30, method: "POST" });
      for (const enough of kills) expect(await runAndKill(stage, () => posts() >= enough, path)).toBe("SIGKILL");
      sandbox.faults.clear();
      const last = await stage.command("sync");
      expect(last.code).toBe(0);

      const wanted = living(erp.all("customers")).map((row) => row.customer_no);
      expect(texts(sandbox, "customer", "customerId")).toEqual(wanted.toSorted(byText));
      const isThere = (row: { customer_no: string }) => wanted.includes(row.customer_no);
      const contacts = living(erp.all("contacts")).filter(isThere);
      expect(sandbox.records("customerContact")).toHaveLength(contacts.length);
      const tickets = living(erp.all("tickets")).filter(isThere);
      const numbers = tickets.map((row) => row.ticket_no).toSorted(byText);
      expect(texts(sandbox, "ticket", "erpReferenceNumber")).toEqual(numbers);
      const orders = texts(sandbox, "svcDocument", "erpReferenceNumber");
      expect(new Set(orders).size).toBe(orders.length);
      await using store = await stage.store();
      expect(await store.records({ states: ["parked", "uncertain", "due", "claimed"], limit: 1 })).toEqual([]);
    },
  );
});
