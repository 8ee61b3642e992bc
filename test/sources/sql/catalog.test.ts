import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { adapters } from "#sources";
import { openContext } from "../reading.ts";
import { mssqlServer } from "./mssql/server.ts";
import { dialects, useServers } from "./servers.ts";
import { never } from "../../kit/outcome.ts";

const { open } = useServers();

/** A table with two columns in its key, in another order than in the table, and a view. */
const schemas: Readonly<Record<string, string>> = {
  sqlite: `create table kontakte (name text, nr integer, kunde text, preis decimal(8, 2), stand datetime, bild blob,
    primary key (kunde, nr)); create view "Alle Kontakte" as select name from kontakte`,
  postgres: `create table kontakte (name text, nr int, kunde varchar(9), preis numeric(8, 2), stand timestamptz, bild bytea,
    primary key (kunde, nr)); create view "Alle Kontakte" as select name from kontakte`,
  mysql: `create table kontakte (name text, nr int, kunde varchar(9), preis decimal(8, 2), stand datetime, bild blob,
    primary key (kunde, nr)); create view \`Alle Kontakte\` as select name from kontakte`,
  mssql: `create table kontakte (name nvarchar(max), nr int, kunde varchar(9), preis decimal(8, 2), stand datetime2, bild varbinary(max),
    primary key (kunde, nr));
    \ngo\ncreate view "Alle Kontakte" as select name from kontakte`,
};

describe.each(dialects)("the catalog of %s", (dialect) => {
  it("lists tables and views, columns with what they are good for, and the primary key in its order", async () => {
    await using erp = await open(dialect);
    await erp.place.writer.run(schemas[dialect]!);
    const { catalog } = erp.source;
    const names = await catalog?.tables(never);
    // Babelfish lists names in small letters.
    const isSmall = dialect === "mssql" && (await mssqlServer()).isBabelfish;
    expect(names).toEqual([isSmall ? "alle kontakte" : "Alle Kontakte", "kontakte"]);
    const kinds = { name: "text", nr: "number", kunde: "text", preis: "number", stand: "stamp", bild: "binary" };
    expect(await catalog?.table("kontakte", never)).toEqual({
      columns: Object.entries(kinds).map(([name, kind]) => ({ name, kind })),
      key: ["kunde", "nr"],
    });
    expect(await catalog?.table("Alle Kontakte", never)).toEqual({
      columns: [{ name: "name", kind: "text" }],
      key: [],
    });
    await expect(catalog?.table("kontakt", never)).rejects.toThrow(
      // Nor does it give a missing table a number of SQL Server.
      isSmall ? "kontakt" : "did you mean kontakte?",
    );
  });
});

describe("the catalog of a PostgreSQL whose user may read little", () => {
  it("lists what the user may read, with the schema where it must be named, and no partitions", async () => {
    await using erp = await open("postgres");
    await erp.place.writer.run(`create schema erp; create table erp.kunden (nr int primary key, at date) ;
      create table erp.orte (nr int) partition by range (nr); create table erp.orte_1 partition of erp.orte default;
      create table erp.lohn (nr int); create role reader login; grant usage on schema erp to reader;
      grant select on erp.kunden, erp.orte, erp.orte_1 to reader`);
    const adapter = adapters.get("sql")!;
    const url = erp.place.url.replace("svcsync@", "reader@");
    await using source = await adapter.open(adapter.settings.parse({ url }), openContext(systemClock));
    expect(await source.catalog?.tables(never)).toEqual(["erp.kunden", "erp.orte"]);
    expect(await source.catalog?.table("erp.kunden", never)).toMatchObject({ key: ["nr"] });
  });
});
