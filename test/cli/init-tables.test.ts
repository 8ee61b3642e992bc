import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DEFAULT_TOKEN, startSandbox, type Sandbox } from "#sandbox";
import { startPostgres } from "../setup/postgres.ts";
import { startRedis, type TestRedis } from "../setup/redis.ts";
import { openWriter } from "../sources/sql/writer.ts";
import { runCaptured } from "./scene.ts";

let folder: string;
let redis: TestRedis;
let sandbox: Sandbox;
const home = process.cwd();
beforeAll(async () => {
  redis = await startRedis();
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-init-"));
  process.chdir(folder);
});
afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const answers = (...lines: string[]) => Readable.from(lines.map((line) => `${line}\n`));
const written = async () => parse(await readFile(join(folder, "config/svcsync.yaml"), "utf8")) as unknown;
const given = (erp: string, url: string, ...more: string[]) => [
  "init",
  "--erp",
  erp,
  "--timezone",
  "Europe/Vienna",
  "--service-url",
  sandbox.url,
  ...[
    `SERVICE_TOKEN=${DEFAULT_TOKEN}`,
    `ERP_URL=${url}`,
    `QUEUE_URL=${redis.url}`,
    `DATA_DIR=${folder}/data`,
    ...more,
  ].flatMap((setting) => ["--set", setting]),
];

const german = `
  create table Kunden (KundenNr integer primary key, Firma text, Suchbegriff text, Straße text, PLZ text, Ort text, GeändertAm datetime);
  insert into Kunden values (10001, 'Muster AG', 'MUSTER', 'Gasse 1', '8000', 'Zürich', '2026-01-02 10:00:00'),
    (10002, 'Übersee', null, null, null, null, '2026-01-03 10:00:00');
  create index k on Kunden (GeändertAm);
  create table Ansprechpartner (Id integer primary key, KundenNr integer, Vorname text, Nachname text, "E-Mail" text, Telefon text, Foto blob);
  insert into Ansprechpartner values (1, 10001, 'Anna', 'Ünal', 'anna@muster.example', '1', x'00'), (2, 10001, null, 'Ott', null, null, null);
  create table Aufträge (AuftragsNr text primary key, KundenNr integer, Referenz text, aktualisiert text);
  insert into Aufträge values ('A-1', 10001, 'PO 7', '2026-01-02 10:00:00');
  create index a on Aufträge (aktualisiert);
  create table Lohn (Nr integer);`;

function germanErp(): string {
  const path = join(folder, "erp.sqlite");
  const erp = new Database(path);
  erp.exec(german);
  erp.close();
  return `sqlite:${path}`;
}

describe("init on a database with tables of its own", () => {
  it("lists them, proposes tables and columns, and writes a file that check accepts", async () => {
    const url = germanErp();
    // Customers and their columns, contacts, sites, no table of tickets, orders.
    const stdin = answers("", "", "", "", "Kunden", "", "", "", "");
    const { stdout, stderr, code } = await runCaptured(given("sqlite", url), { stdin });
    expect(stderr).toBe("");
    expect(stdout).toContain("The database has 4 tables and views:\n  Kunden\n  Ansprechpartner\n");
    expect(stdout).toContain("Table of tickets (- for none) [-]");
    expect(stdout).not.toContain("PROBLEM");
    expect(stdout).toContain("Ready.");
    expect(code).toBe(0);
    expect(await written()).toMatchObject({
      sources: { erp: { timezone: "Europe/Vienna" } },
      streams: {
        customers: {
          read: { table: "Kunden", key: "KundenNr", changed: "GeändertAm", overlap: "5m" },
          fields: { customerId: { expr: "$string(KundenNr)" }, name: "Firma", shortName: "Suchbegriff" },
        },
        contacts: {
          every: "5m",
          read: { table: "Ansprechpartner", key: "Id", columns: expect.arrayContaining(["Id", "E-Mail"]) },
          fields: {
            customer: { ref: "customers", key: "KundenNr" },
            name: { expr: "$join([Vorname, Nachname][$ != ''], ' ')" },
            email: "`E-Mail`",
          },
        },
        sites: { read: { table: "Kunden" }, fields: { street: "`Straße`", zipcode: "PLZ", city: "Ort" } },
        orders: { read: { table: "Aufträge", key: "AuftragsNr", changed: "aktualisiert" } },
      },
    });
    expect(await written()).not.toHaveProperty("streams.tickets");
  });

  it("asks again where a table or a column is not there, and takes what is typed", async () => {
    const url = germanErp();
    const stdin = answers("kun", "Kunden", "name=Frima", "name=", "", "name=Firma, Ort", "nme=Ort", "", "-");
    const { stdout, stderr, code } = await runCaptured([...given("sqlite", url), "--no-check"], { stdin });
    expect(stdout).toContain("tables with kun in their name: Kunden");
    expect(stdout).toContain("Kunden has no column Frima; did you mean Firma?");
    expect(stdout).toContain("still missing: name");
    expect(stdout).toContain("found the part nme, expected one of key, changed, number");
    expect(stderr).toContain("Not all questions were answered");
    expect(code).toBe(64);
  });

  it("writes the template where the database cannot be reached, and says so in one sentence", async () => {
    const argv = [...given("postgres", "postgres://svcsync@127.0.0.1:1/erp"), "--no-check"];
    const away = await runCaptured(argv, { stdin: answers() });
    expect(away.stdout).toMatch(/The tables cannot be listed, so the template is written: .*ECONNREFUSED/);
    expect(away.code).toBe(0);
    expect(await written()).toHaveProperty("streams.tickets");
  });

  it("takes tables and columns from --set, on PostgreSQL, in a schema and by the rights of the user", async () => {
    await using postgres = await startPostgres();
    await using writer = await openWriter(postgres.url);
    await writer.run(`create schema ventas;
      create table ventas.clientes (id int primary key, codigo text, razon_social text, fecha_modificacion timestamptz);
      create index on ventas.clientes (fecha_modificacion);
      insert into ventas.clientes values (1, 'C-1', 'Ejemplo SA', now());
      create table ventas.incidencias (numero int primary key, cliente_id int, asunto text, detalle text, updated_at timestamptz);
      create index on ventas.incidencias (updated_at);
      insert into ventas.incidencias values (1, 1, 'Bomba', 'No funciona', now())`);
    const tables = [
      "customers.table=ventas.clientes",
      "tickets.table=ventas.incidencias",
      "tickets.description=asunto,detalle",
    ];
    const { stdout, code } = await runCaptured([...given("postgres", postgres.url, ...tables), "--yes"]);
    expect(stdout).not.toContain("PROBLEM");
    expect(code).toBe(0);
    expect(await written()).toMatchObject({
      streams: {
        customers: {
          read: { table: "ventas.clientes", key: "id", changed: "fecha_modificacion" },
          fields: { customerId: "codigo", name: "razon_social" },
        },
        tickets: {
          read: { key: "numero", changed: "updated_at" },
          fields: {
            erpReferenceNumber: { expr: "$string(numero)" },
            customer: { ref: "customers", key: "cliente_id" },
            description: { expr: "$join([asunto, detalle][$ != ''], '\\n\\n')" },
          },
        },
      },
    });
  });

  it.each([
    [["customers.table=kunde"], "source erp has no table kunde; did you mean Kunden? Nothing was written."],
    [["customers.table=Kunden", "customers.nmae=Firma"], "found the part nmae, expected one of key"],
    [["contacts.table=Ansprechpartner"], "--set customers.table is missing"],
    [["customers.table=Lohn"], "--set customers: still missing: name."],
    [["customers.table=Kunden", "orders.table=Lohn"], "--set orders: still missing: customer."],
  ])("refuses %s with one sentence", async (settings, expected) => {
    const argv = [...given("sqlite", germanErp(), ...settings), "--yes", "--no-check"];
    const { stderr, code } = await runCaptured(argv);
    expect(stderr).toContain(expected);
    expect(code).toBe(64);
  });

  it("refuses tables for an ERP whose tables are fixed", async () => {
    const url = "https://erp.example/";
    const { stderr, code } = await runCaptured([...given("odoo", url, "customers.table=x"), "--yes", "--no-check"]);
    expect(stderr).toContain("the tables of odoo are fixed");
    expect(code).toBe(64);
  });
});
