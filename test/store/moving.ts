import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { errorFacts, systemClock, type Actor } from "#model";
import { move, openStore, type StoreLocation } from "#store";
import { movedTables } from "../../src/store/sqlite/index.ts";
import { Scene, customer, upsert } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { scriptEnvironment } from "../setup/script.ts";
import type { PostgresPlace } from "./postgres-place.ts";
import { sqlitePlace, type SqlitePlace } from "./sqlite-place.ts";

const options = { clock: new SetClock(), logger: silentLogger, report: () => undefined };
export const moved = (from: StoreLocation, to: StoreLocation) => move(from, to, options);
export const open = (location: StoreLocation, as: "daemon" | "operator" = "operator") =>
  openStore(location, { as, clock: systemClock, logger: silentLogger });

export const by: Actor = { name: "anna", via: "cli" };

/** A store that knows some records, one bound and one with a create that was begun. */
export async function filledStore(place: SqlitePlace | PostgresPlace, count = 3_000): Promise<void> {
  await using scene = await Scene.open(async () => ({ ...place, [Symbol.asyncDispose]: async () => {} }));
  await scene.stage(Array.from({ length: count }, (_, at) => upsert(`${at}`)));
  await scene.bound(customer("bound"), 11);
  await scene.store.acts.save("customers", { action: "reread", outcome: "once" }, by);
  await scene.store.begin(await scene.claimed(customer("begun")), { resource: "customers", projection: {} });
}

/** A daemon reads a change and a new record. */
async function changed(location: StoreLocation): Promise<void> {
  await using daemon = await open(location, "daemon");
  const changes = [upsert("0", { name: "changed" }), upsert("later")];
  await daemon.stage("customers", { changes, cursor: 2, backfill: false, complete: true });
}

/** Makes the move in another process and kills that one at a step. */
export async function interrupted(from: StoreLocation, to: StoreLocation, step: string): Promise<void> {
  const script = fileURLToPath(new URL("move-worker.ts", import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(from), JSON.stringify(to), step], {
    env: scriptEnvironment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const said = await Promise.race([once(child.stdout, "data").then(() => true), closed.then(() => false)]);
  child.kill("SIGKILL");
  await closed;
  if (!said) throw new Error(`the move ended before it came to ${step}`);
}

/** A move in each direction that is killed at these steps. They wait for the lease of the process that was killed. */
export function describeKilledMove(makePlace: () => Promise<PostgresPlace>, steps: readonly string[]): void {
  describe.concurrent.each(["SQLite to PostgreSQL", "PostgreSQL to SQLite"])("a move from %s that is killed", (way) => {
    it.each(steps)(
      "when it is at %s leaves at most one store in charge, and ends when it is run again",
      async (step) => {
        const makers = [sqlitePlace, makePlace] as const;
        const [makeFirst, makeSecond] = way === "SQLite to PostgreSQL" ? makers : ([makers[1], makers[0]] as const);
        await using first = await makeFirst();
        await using second = await makeSecond();
        const isLast = step === "marked";
        await filledStore(first);
        await interrupted(first.location, second.location, step);

        await expect(open(second.location, "daemon")).rejects.toMatchObject({ code: "E_STORE_INCOMPLETE" });
        await expect(open(second.location)).rejects.toMatchObject({ family: "stop", code: "E_STORE_INCOMPLETE" });
        // The old one is in charge, and changes: what was copied is copied again where it is no longer true.
        const code = await changed(first.location).catch((thrown: unknown) => errorFacts(thrown).code);
        expect(code).toBe(isLast ? "E_STORE_MOVED" : undefined);
        const { tables } = await moved(first.location, second.location);
        expect(tables.length).toBe(isLast ? 0 : movedTables().length);
        await expect(open(first.location)).rejects.toMatchObject({ code: "E_STORE_MOVED" });
        await using store = await open(second.location, "daemon");
        expect((await store.record(customer("bound")))?.binding).toEqual({ resource: "customers", serviceId: 11 });
        expect((await store.record(customer("0")))?.row).toEqual({ name: isLast ? "Name of 0" : "changed" });
        expect((await store.counts()).get("customers")).toMatchObject({ due: isLast ? 3_001 : 3_002 });
      },
    );
  });
}
