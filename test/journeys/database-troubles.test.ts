import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sleep } from "#model";
import { CUSTOMERS, customersStream } from "../setup/customers-stream.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { openWriter, type Writer } from "../sources/sql/writer.ts";
import { only, setStage, until, untilState } from "./stage.ts";

/** How long the database stays away beyond what the story needs, for a person who wants to watch. */
const AWAY_MS = Number(process.env["AWAY_SECONDS"] ?? 0) * 1_000;

const PATIENCE_MS = 120_000;

let postgres: TestPostgres;
let writer: Writer;

beforeAll(async () => {
  postgres = await startPostgres({ hba: ["host all erp 127.0.0.1/32 scram-sha-256"] });
  writer = await openWriter(postgres.url);
  await writer.run(`
    create table customers (customer_no text primary key, name1 text not null, note text, updated_at timestamptz not null);
    insert into customers values ('10001', 'Müller GmbH', 'seit gestern', '2026-03-01 08:00:00Z');
    create index on customers (updated_at, customer_no);
    create view customers_view as select name1, updated_at from customers;
    create role erp login password 'right';
    grant select on all tables in schema public to erp`);
});
afterAll(async () => {
  await writer[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

function syncFile(read: string): string {
  return `
sources:
  erp: { adapter: sql, url: "\${ERP_URL}" }
streams:
${customersStream("{ const: Active }", read)}`;
}

async function checked(read: string, url = postgres.url): Promise<string> {
  await using stage = await setStage({ syncFile: syncFile(read), environment: { ERP_URL: url } });
  const { code, stdout, stderr } = await stage.command("check");
  shown(stdout, stderr);
  expect([code === 0, stderr]).toEqual([!stdout.includes("PROBLEM"), ""]);
  return stdout;
}

/** For a person who wants to see what users see. */
function shown(...texts: string[]): void {
  if (AWAY_MS > 0) process.stdout.write(`${texts.filter(Boolean).join("\n")}\n`);
}

describe("svcsync check", () => {
  it("is content with a table that has what the sync file names", async () => {
    expect(await checked(CUSTOMERS)).not.toMatch(/PROBLEM|warning/);
  });

  it("says that the password is wrong, without saying it", async () => {
    const url = postgres.url.replace("svcsync@", "erp:hunter2@");
    const text = await checked(CUSTOMERS, url);
    expect(text).toMatch(/PROBLEM {2}source erp: .*password authentication failed.*\(E_SOURCE_LOGIN\)\n +-> /);
    expect(text).not.toContain("hunter2");
  });

  it("names the column that is not there, and the one that was meant", async () => {
    const text = await checked("{ table: customers, key: customer_no, changed: updatet_at }");
    expect(text).toMatch(/PROBLEM {2}stream customers: .*updatet_at.*updated_at\?.*\(E_SOURCE_COLUMN\)\n +-> /);
  });

  it("shows what stands where a stamp should", async () => {
    const text = await checked("{ table: customers, key: customer_no, changed: note }");
    expect(text).toMatch(/PROBLEM {2}stream customers: .*note.*seit gestern.*\(E_SOURCE_STAMP\w*\)\n +-> /);
  });

  it("misses the key of a view", async () => {
    const text = await checked("{ view: customers_view, key: customer_no, changed: updated_at }");
    expect(text).toMatch(
      /PROBLEM {2}stream customers, customers_view: .*customer_no; it has name1, updated_at \(E_SOURCE_COLUMN\)\n +-> /,
    );
  });
});

describe("a database that goes away for a while", () => {
  const timeout = PATIENCE_MS + AWAY_MS;
  it("fails the stream's polls, which status shows, and is followed again when it is back", { timeout }, async () => {
    await using stage = await setStage({ syncFile: syncFile(CUSTOMERS), environment: { ERP_URL: postgres.url } });
    await using running = await stage.start();
    const { store, log } = running;
    await untilState(store, "applied", { stream: "customers", key: "10001" });
    const state = async () => {
      const { stdout } = await stage.command("status");
      shown(stdout);
      return stdout;
    };
    expect(await state()).toMatch(/customers.*following/);

    await writer[Symbol.asyncDispose]();
    await postgres.stop();
    await until("polls fail again and again", () => log.lines("poll failed again").length > 2);
    await sleep(AWAY_MS);
    expect(await state()).toMatch(/customers.*failing/);
    expect(log.lines("poll failed")).toHaveLength(1);
    shown(JSON.stringify(log.lines("poll failed")[0]), `${log.lines("poll failed again").length} more at level debug`);
    expect(log.lines("poll failed")[0]).toMatchObject({ level: "warn", err: { code: "E_SOURCE_UNREACHABLE" } });

    await postgres.start();
    writer = await openWriter(postgres.url);
    await writer.run("update customers set name1 = 'Müller & Söhne', updated_at = now()");
    await until(
      "the change arrived",
      () => only(stage.sandbox, "customer", "customerId", "10001")["name"] === "Müller & Söhne",
    );
    await until("it is said that polls succeed again", () => log.lines("polls succeed again").length > 0);
    shown(...log.lines("polls succeed again").map((line) => JSON.stringify(line)));
    expect(log.lines("polls succeed again")).toHaveLength(1);
    expect(await state()).toMatch(/customers.*following/);
  });
});
