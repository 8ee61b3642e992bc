import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { systemClock, type Actor } from "#model";
import { customer, OOPS, upsert, written } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const anna: Actor = { name: "anna", via: "cli" };
/** Text that no compression or index splits; a larger one lies in overflow pages. */
const name = (version: number) => `Erna Muster, version ${version}`;
const long = "Erna Muster lives here. ".repeat(500);

it("forgets a record to the last byte of its files, beside a daemon, whatever rows were moved or replaced before", async () => {
  await using place = await sqlitePlace();
  await using daemon = await place.open({ as: "daemon", clock: systemClock, logger: silentLogger });
  const stage = (key: string, row: object) =>
    daemon.stage("customers", {
      changes: [upsert(key, { ...row })],
      cursor: 1,
      backfill: false,
      complete: true,
    });
  // Rows that come and grow beside it split its pages, and leave copies of it behind.
  for (let version = 0; version < 60; version++) {
    await stage("1", { name: name(version), ...(version % 20 === 10 ? { info: long } : {}) });
    const claim = (await daemon.claim(customer("1")))!;
    const applied = written({ name: name(version) }, [], {
      audit: { action: "update", resource: "customers", after: { name: name(version) }, outcome: "updated" },
    });
    if (claim.binding) await daemon.end(claim, { kind: "apply", applied });
    else {
      await daemon.begin(claim, { resource: "customers", projection: { name: name(version) } });
      await daemon.end(claim, { kind: "bind", binding: { resource: "customers", serviceId: 11 }, applied });
    }
    for (let other = 0; other < 20; other++) await stage(`${version}-${other}`, { name: "x".repeat(other * 40) });
  }
  expect(await traces(place.dataDir)).toBeGreaterThan(0);
  await using operator = await place.open({ as: "operator", clock: systemClock, logger: silentLogger });
  await operator.privacy.forget(customer("1"), anna);
  expect(await traces(place.dataDir)).toBe(0);
  await daemon.check();
  expect(await daemon.record(customer("1"))).toMatchObject({ state: "skipped", binding: { serviceId: 11 } });
  expect(await stage("1", { name: "Other" })).toEqual({ changed: 1, unchanged: 0 });
});

it("says so when the files cannot be rewritten, and does it when it is asked again", async () => {
  await using place = await sqlitePlace();
  await using daemon = await place.open({ as: "daemon", clock: systemClock, logger: silentLogger });
  const changes = [upsert("1", { name: "Erna Muster" })];
  await daemon.stage("customers", { changes, cursor: 1, backfill: false, complete: true });
  await daemon.end((await daemon.claim(customer("1")))!, { kind: "park", error: OOPS });
  // A reader that does not end keeps the log from being emptied.
  const reader = new Database(join(place.dataDir, "svcsync.db"));
  reader.exec("BEGIN; SELECT count(*) FROM records");
  const forgetting = daemon.privacy.forget(customer("1"), anna);
  await expect(forgetting).rejects.toMatchObject({ family: "retry", code: "E_FORGET_UNFINISHED" });
  expect(await daemon.record(customer("1"))).toMatchObject({ row: {} });
  expect(await traces(place.dataDir)).toBeGreaterThan(0);
  reader.close();
  await daemon.privacy.forget(customer("1"), anna);
  expect(await traces(place.dataDir)).toBe(0);
});

/** How many files of the folder hold a piece of the text. */
async function traces(folder: string): Promise<number> {
  const files = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file))));
  return files.filter((bytes) => bytes.includes("Erna") || bytes.includes("Muster")).length;
}
