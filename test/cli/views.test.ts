import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Finding } from "#model";
import { loadSyncFile, type SyncFile } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { checkView } from "../../src/cli/check/check-views.ts";
import { readPresets } from "../../src/cli/init/presets.ts";
import { contract } from "../../src/cli/views/contract.ts";
import { viewDialectOf, viewStatements } from "../../src/cli/views/view-statements.ts";
import { never } from "../kit/outcome.ts";
import type { Opened } from "../sources/sql/opened.ts";
import { dialects, useServers } from "../sources/sql/servers.ts";
import { runCaptured } from "./scene.ts";

const { open } = useServers();
const preset = readPresets().find(({ name }) => name === "views")!;

function syncFileAt(url: string): SyncFile {
  const environment = { ERP_URL: url };
  const options = { file: "svcsync.yaml", environment, adapters, resources: new Set(resourceNames) };
  return loadSyncFile(preset.syncFile, options);
}

/** One by one, because not every driver takes several statements. */
async function create({ place }: Opened, statements: string): Promise<void> {
  for (const statement of statements.split(/;$/m)) if (/^\s*[^-\s]/m.test(statement)) await place.writer.run(statement);
}

async function findings(erp: Opened): Promise<Finding[]> {
  const sources = { sources: new Map([["erp", erp.source]]) };
  const all: Finding[] = [];
  for (const stream of syncFileAt(erp.place.url).streams) all.push(...(await checkView(stream, sources, never)));
  return all;
}

describe.each(dialects)("the views for %s", (dialect) => {
  it("are created by the statements as they are printed, and fit the contract", async () => {
    await using erp = await open(dialect);
    expect(viewDialectOf(erp.place.url)).toBe(dialect);
    await create(erp, viewStatements(dialect));
    expect(await findings(erp)).toEqual([]);
    for (const { name, read } of syncFileAt(erp.place.url).streams) {
      const found = await erp.source.stream(name, read).check(never);
      expect(found.filter(({ verdict }) => verdict === "problem")).toEqual([]);
    }
  });
});

describe("a view that differs from the contract", () => {
  it("is a problem of its stream, column by column, with what was expected", async () => {
    await using erp = await open("postgres");
    const other = viewStatements("postgres")
      .replace("CAST(NULL AS integer) AS deleted", "CAST(NULL AS boolean) AS deleted")
      .replace("CAST(NULL AS varchar(60)) AS ticket_no", "CAST(NULL AS integer) AS ticket_no")
      .replace(/.* AS warning,.*\n/, "");
    await create(erp, other);
    expect(await findings(erp)).toEqual([
      expect.objectContaining({
        subject: "stream customers, view svcsync_customers",
        verdict: "problem",
        message: "the column warning is missing, expected text; it may be NULL in every row",
      }),
      expect.objectContaining({
        subject: "stream customers, view svcsync_customers",
        message: "the column deleted holds values of another type, such as booleans, expected the number 0 or 1",
      }),
      expect.objectContaining({
        subject: "stream tickets, view svcsync_tickets",
        message: "the column ticket_no holds numbers, expected text",
      }),
    ]);
  });

  it("is looked at with its schema too, and other tables are not", async () => {
    await using erp = await open("postgres");
    await erp.place.writer.run("create schema svc; create view svc.svcsync_customers as select 1 as customer_no");
    const sources = { sources: new Map([["erp", erp.source]]) };
    const stream = { name: "customers", source: "erp" };
    const ofSchema = { ...stream, read: { table: "svc.svcsync_customers" } };
    expect(await checkView(ofSchema, sources, never)).toHaveLength(10);
    expect(await checkView({ ...stream, read: { table: "customers" } }, sources, never)).toEqual([]);
  });
});

describe("the sync file of init --erp views", () => {
  it("maps every column of the contract, and no other", () => {
    for (const { name, columns } of contract) {
      const stream = preset.syncFile.split(/^ {2}(?=\w+:$)/m).find((text) => text.includes(`table: ${name},`))!;
      for (const column of columns) expect(stream).toMatch(new RegExp(`\\b${column.name}\\b`));
    }
    for (const stream of syncFileAt("sqlite:/nowhere").streams) {
      const { name, columns } = contract.find((view) => JSON.stringify(stream.read).includes(`"${view.name}"`))!;
      const known = columns.map((column) => column.name);
      for (const { column } of stream.columnUses())
        expect({ name, known }).toEqual({ name, known: expect.arrayContaining([column]) });
    }
  });
});

const folder = new URL("../../src/cli/init/presets/views/", import.meta.url);
const examples = readdirSync(folder).map((file) => file.replace(".sql", ""));

describe("an example", () => {
  it.each(examples)("%s gives each of its views every column of the contract, in its order", async (name) => {
    const text = readFileSync(new URL(`${name}.sql`, folder), "utf8");
    const dialect = name === "joined" ? "postgres" : "mssql";
    expect(await runCaptured(["views", dialect, "--example", name])).toMatchObject({ code: 0, stdout: text });
    const views = text.split(/^CREATE OR (?:REPLACE|ALTER) VIEW /m).slice(1);
    expect(views.length).toBeGreaterThan(1);
    for (const view of views) {
      const { columns } = contract.find((each) => view.startsWith(`${each.name} AS`))!;
      const named = [...view.matchAll(/\)\s+AS (\w+)[,\n]/g)].map(([, column]) => column);
      expect(named.filter((column) => column !== "row_version")).toEqual(columns.map((column) => column.name));
    }
  });

  it("of joined tables runs as it is, and its rows are mapped", async () => {
    await using erp = await open("postgres");
    await create(erp, TABLES);
    await create(erp, readFileSync(new URL("joined.sql", folder), "utf8"));
    expect(await findings(erp)).toEqual([]);
    const mapped = new Map<string, unknown>();
    for (const stream of syncFileAt(erp.place.url).streams)
      for await (const { changes } of erp.source.stream(stream.name, stream.read).changes(null, never))
        for (const change of changes)
          mapped.set(`${stream.name}/${change.key}`, change.kind === "upsert" && (await stream.map(change.row, false)));
    expect([...mapped.keys()]).toEqual(["customers/10", "contacts/10|1", "tickets/T1", "orders/O1"]);
    expect(JSON.stringify(mapped.get("customers/10"))).toMatch(/Muster AG.*Ask first|Ask first.*Muster AG/s);
    expect([...mapped.values()]).toMatchObject(Array.from({ length: 4 }, () => ({ kind: "record" })));
  });

  it("of another database is refused with the words that print it", async () => {
    expect(await runCaptured(["views", "mysql", "--example", "sage100"])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('written for mssql: "svcsync views mssql --example sage100"'),
    });
  });
});

/** The invented tables of the example, with one record of each kind. */
const TABLES = `
create table partner (number text, name text, search_name text, credit_stop boolean, blocked boolean, first_order date,
  remarks text, is_customer boolean, changed_at timestamptz);
create table address (partner text, is_main boolean, name_addition text, email text, changed_at timestamptz);
create table person (partner text, number int, first_name text, last_name text, email text, phone text, mobile text, salutation text,
  left_company boolean, changed_at timestamptz);
create table service_call (number text, partner text, person int, subject text, description text, urgency int, state text,
  keywords text, due timestamp, cancelled boolean, changed_at timestamptz);
create table work_order (number text, partner text, service_call text, customer_reference text, warranty boolean, cancelled boolean,
  changed_at timestamptz);
create table work_order_line (work_order text, changed_at timestamptz);
insert into partner values ('10', 'Muster AG', 'muster', true, false, '2020-01-01', null, true, now());
insert into address values ('10', true, null, 'info@muster.test', now());
insert into person values ('10', 1, 'Anna', 'Ünal', 'anna@muster.test', null, null, 'Frau', false, now());
insert into service_call values ('T1', '10', 1, 'Pump', null, 9, 'new', 'a,b', null, false, now());
insert into work_order values ('O1', '10', 'T1', null, false, false, now());
`;
