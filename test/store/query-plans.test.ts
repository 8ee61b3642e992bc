import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "#model";
import { contact, customer, Scene } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "./memory-place.ts";
import { migrate } from "../../src/store/sqlite/durability/migrate.ts";
import { sqliteMigrations } from "../../src/store/sqlite/migrations/index.ts";
import { DiskSync } from "../../src/store/sqlite/durability/disk-sync.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { giveBackClaims } from "../../src/store/sqlite/tables/claims.ts";

/** How SQLite answers the statements that a use of the store runs. */
async function plansOf(use: (store: SqliteStore, db: Database.Database) => unknown): Promise<string[]> {
  const statements: string[] = [];
  const db = new Database(":memory:", { verbose: (sql) => statements.push(String(sql)) });
  migrate(db, sqliteMigrations);
  await using store = new SqliteStore({
    db,
    clock: systemClock,
    logger: silentLogger,
    leaseMs: 1,
    disk: new DiskSync(`${db.name}-wal`),
    close: () => db.close(),
    redact: (text) => text,
  });
  await store.stage("s", {
    changes: [{ kind: "upsert", key: "1", row: {} }],
    cursor: 1,
    backfill: true,
    complete: true,
  });
  statements.length = 0;
  await use(store, db);
  return statements
    .filter((sql) => /records|audit|returns/.test(sql))
    .flatMap((sql) => db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all())
    .map(({ detail }) => detail);
}

describe("the store's queries", () => {
  it("finds what is due from one index, without sorting", async () => {
    const plans = await plansOf((store) => store.due({ limit: 10, streams: ["s"] }));
    expect(plans).not.toHaveLength(0);
    for (const plan of plans) expect(plan).toContain("USING COVERING INDEX records_due (stream=? AND backfill=?");
  });

  it("reads a page of where records stand without reading those of other pages", async () => {
    const plans = await plansOf((store) => store.standings.page("s", "1", 10));
    const ofRecords = plans.filter((plan) => plan.includes("records"));
    expect(ofRecords).toHaveLength(6);
    for (const plan of ofRecords)
      expect(plan).toBe("SEARCH records USING INDEX records_state (stream=? AND state=? AND key>?)");
    expect(plans).toContain("SEARCH b USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
  });

  it("finds the next due time from the same index", async () => {
    const plans = await plansOf((store) => store.nextDueAt(["s"]));
    expect(plans).not.toHaveLength(0);
    for (const plan of plans) expect(plan).toContain("USING COVERING INDEX records_due (stream=? AND backfill=?");
  });

  it("finds what is due soon besides some errors without reading what is due later", async () => {
    const plans = await plansOf((store) => store.nextDueAt(["s"], { errors: ["E_CHILDREN_FIRST"], after: 5 }));
    const searches = plans.filter((plan) => plan.includes("records"));
    expect(searches).not.toHaveLength(0);
    for (const plan of searches)
      expect(plan).toContain("INDEX records_due (stream=? AND backfill=? AND (due_at,key)>(?,?) AND due_at<?)");
  });

  it("compares a batch with the records of its keys, without sorting", async () => {
    const batch = {
      changes: [{ kind: "upsert", key: "1", row: { name: "Ada" } }],
      cursor: 2,
      backfill: true,
      complete: true,
    } as const;
    const plans = await plansOf((store) => store.stage("s", batch));
    expect(plans).toContain("SEARCH o USING COVERING INDEX sqlite_autoindex_records_1 (stream=? AND key=?)");
    expect(plans.filter((plan) => /SCAN [or]\b|TEMP B-TREE/.test(plan))).toEqual([]);
  });

  it("gives back claims without reading other records", async () => {
    const plans = await plansOf((_, db) => giveBackClaims(db, systemClock, silentLogger));
    expect(plans[0]).toBe("SEARCH records USING COVERING INDEX records_state (stream=? AND state=?)");
  });

  it("counts by ranges of one index", async () => {
    const plans = await plansOf((store) => store.counts());
    const ranges = plans.filter((plan) => plan !== "SCAN streams");
    expect(ranges.length).toBeGreaterThan(0);
    for (const plan of ranges)
      expect(plan).toBe("SEARCH records USING COVERING INDEX records_state (stream=? AND state=? AND key>?)");
  });

  it("counts deletions without reading all records of the stream", async () => {
    const plans = await plansOf(async (store) => {
      const claim = await store.claim({ stream: "s", key: "1" });
      await store.announceDeletion(claim!, { since: 0, confirmedAt: 0, limit: 1 });
    });
    const ofRecords = plans.filter((plan) => /^S\w+ (r|records) /.test(plan));
    expect(ofRecords.length).toBeGreaterThan(0);
    for (const plan of ofRecords) expect(plan).toMatch(/state=|key=|INTEGER PRIMARY KEY/);
  });

  it("ends a sweep without reading all records for its suspects", async () => {
    const plans = await plansOf(async (store) => store.endSweep("s", await store.beginSweep("s")));
    const ofRecords = plans.filter((plan) => /^S\w+ (r|records) /.test(plan));
    expect(ofRecords.length).toBeGreaterThan(0);
    for (const plan of ofRecords) expect(plan).toMatch(/key[>=]|INTEGER PRIMARY KEY/);
  });

  it("finds acts of people without reading those of svcsync", async () => {
    const plans = await plansOf((store) => store.acts.recent({ since: 0, limit: 9 }));
    const searches = plans.filter((plan) => plan.includes("audit"));
    expect(searches.length).toBeGreaterThan(0);
    for (const search of searches) expect(search).toMatch(/^SEARCH audit USING (COVERING )?INDEX audit_acts \(at>/);
  });

  it("cuts lists by state from one index", async () => {
    const plans = await plansOf((store) =>
      store.records({ stream: "s", states: ["parked", "skipped"], after: { stream: "s", key: "0" }, limit: 5 }),
    );
    const searches = plans.filter((plan) => plan.startsWith("SEARCH records"));
    expect(searches).toHaveLength(2);
    for (const plan of searches)
      expect(plan).toContain("COVERING INDEX records_state (stream=? AND state=? AND key>?)");
  });

  it("finds what is due, unanswered or following among returns by a range of an index each", async () => {
    const plans = await plansOf(async ({ returns }) => {
      const after = { stream: "reports", subject: "1", version: 1, dueAt: 1 };
      await returns.find({ stream: "reports", states: ["prepared"], dueBy: 5, after, limit: 9 });
      await returns.find({ stream: "reports", states: ["delivered", "refused"], after, limit: 9 });
      await returns.find({ stream: "reports", following: "due", dueBy: 5, limit: 9 });
      await returns.latest("reports", ["1", "2"]);
    });
    const searches = plans.filter((plan) => plan.includes("returns"));
    expect(searches).toEqual([
      "SEARCH returns USING INDEX returns_due (stream=? AND state=? AND (due_at,subject,version)>(?,?,?) AND due_at<?)",
      ...["delivered", "refused"].map(
        () => "SEARCH returns USING INDEX returns_state (stream=? AND state=? AND (subject,version)>(?,?))",
      ),
      "SEARCH returns USING INDEX returns_following (stream=? AND due_at<?)",
      "SEARCH r USING INDEX sqlite_autoindex_returns_1 (stream=? AND subject=?)",
      "SEARCH n USING COVERING INDEX sqlite_autoindex_returns_1 (stream=? AND subject=?)",
    ]);
  });

  it("counts returns from one index", async () => {
    const plans = await plansOf((store) => store.returns.counts());
    expect(plans.filter((plan) => plan.includes("returns"))).toEqual([
      "SCAN returns USING COVERING INDEX returns_due",
      "SCAN returns USING COVERING INDEX returns_following",
    ]);
  });

  it("wakes the next children of a parent without reading those behind them", async () => {
    const plans = await plansOf((store) => store.resume());
    for (const index of ["waits_for", "parents_of"])
      expect(plans).toContainEqual(
        expect.stringContaining(`SEARCH c USING COVERING INDEX ${index} (stream=? AND key=? AND child>? AND child<?)`),
      );
  });

  it("counts what a round compares by ranges, each of them once", async () => {
    const plans = await plansOf(async ({ rounds }) => {
      await rounds.boundCount("s");
      await rounds.undecided("s", 1);
      await rounds.updatedCount("s", 1);
    });
    for (const range of [
      "SEARCH b USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
      "SEARCH records USING INDEX records_due (stream=? AND backfill=? AND due_at>? AND due_at<?)",
      "SEARCH audit USING INDEX audit_at (at>? AND at<?)",
    ])
      expect(plans).toContain(range);
  });

  it("plans no statement of a delivery again", async () => {
    await using scene = await Scene.open(memoryPlace);
    const { store } = scene;
    const deliver = async (key: string, serviceId: number) => {
      await scene.bound(contact(key), serviceId, [customer("1")]);
      await store.record(contact(key));
      await store.bindings([contact(key), customer("1")]);
      await store.boundTo({ resource: "contacts", serviceId });
      await store.children(customer("1"), "dependent");
      await store.children(customer("1"), "bound");
      await store.children(customer("1"), "waiting");
    };
    await scene.bound(customer("1"), 7);
    await deliver("1", 8);
    await deliver("2", 9);
    // The driver makes a function for the rows of a statement each time that SQLite plans it.
    let planned = 0;
    const counting: ProxyHandler<FunctionConstructor> = {
      apply: (target, self, of) => {
        planned += 1;
        return Reflect.apply(target, self, of) as unknown;
      },
    };
    vi.stubGlobal("Function", new Proxy(Function, counting));
    await deliver("3", 10);
    vi.unstubAllGlobals();
    expect(planned).toBe(0);
  });
});
