import { describe, expect, it } from "vitest";
import { isLoopback } from "#model";
import { plainFinding } from "../../../src/sources/sql/read/check.ts";
import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import { sqlitePath } from "../../../src/sources/sql/engines/sqlite-file.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { otherMachine } from "../../../src/sources/sql/url.ts";

function refusal(url: string): string | undefined {
  return settings.safeParse({ url }).error?.issues[0]?.message;
}

describe("the address of a database", () => {
  it.each([
    ["postgres://u:p@erp/db?sslmode=disable", /take sslmode out of the address: encryption is set under `tls`/],
    ["postgresql://u:p@erp/db?sslrootcert=/ca.pem", /take sslrootcert out/],
    [
      "postgres://u:p@erp/db?uselibpqcompat=true",
      /take uselibpqcompat out of the address.*known are host, port, options/,
    ],
    ["mysql://u:p@erp/db?ssl=false", /take ssl out/],
    ["mysql://u:p@erp/db?flags=LOCAL_FILES", /take flags out.*takes none/],
    ["mariadb://u:p@erp/db?useSSL=false", /take useSSL out/],
    ["mssql://u:p@erp/db?trustServerCertificate=true", /take trustServerCertificate out/],
    ["mssql://u:p@erp/db?encrypt=false", /take encrypt out/],
    [
      "postgres://u:hunter/2#@erp:5432/db",
      /the password must be percent-encoded \(%2F for \/, %23 for #\): postgres:\/\/u:<encoded password>@erp:5432\/db$/,
    ],
    ["mysql://u:12#hunter@erp/db", /%23 for #/],
    ["mssql://u:hunter%2@erp/db", /%25 for %/],
    ["mariadb://u:hunter@2@erp/db", /%40 for @/],
    ["postgres://erp:port/db", /this is no address, expected one like/],
  ])("%s is refused with what to do, and without the password", (url, message) => {
    expect(refusal(url)).toMatch(message);
    expect(refusal(url)).not.toContain("hunter");
  });

  it.each([
    "postgres://u:p@erp/db",
    "postgres://u:p%2F%40%25@erp/db",
    "postgres:///db?host=/var/run/postgresql",
    "postgres://u:p@erp/db?options=-c%20search_path%3Derp",
    "mysql://u:p@erp/db",
    "mssql://u:p@erp/db?instance=SQLEXPRESS&domain=ACME",
    "sqlite:/data/erp.db",
  ])("%s is taken", (url) => {
    expect(refusal(url)).toBeUndefined();
  });

  it.each([
    ["postgres://u:p@erp/db", undefined, "erp"],
    ["postgres://u:p@erp/db", { mode: "off" }, "erp"],
    ["postgres://u:p@erp/db", { mode: "trust" }, undefined],
    ["postgres://u:p@localhost/db", undefined, undefined],
    ["postgres:///db?host=/var/run/postgresql", undefined, undefined],
    ["postgres://u:p@localhost/db?host=erp", undefined, "erp"],
    ["mysql://u:p@10.0.0.5/db", undefined, "10.0.0.5"],
    ["mssql://u:p@erp/db", undefined, undefined],
    ["mssql://u:p@erp/db", { mode: "off" }, "erp"],
    ["sqlite:/data/erp.db", undefined, undefined],
  ])("%s with tls %j is warned of where it is read in plain text: %s", async (url, tls, host) => {
    const parsed = settings.parse({ url, tls });
    await using database = new SourceDatabase(engineOf(parsed), { source: "erp", connections: 1 });
    const warned = plainFinding(database, parsed);
    expect(warned?.verdict).toBe(host === undefined ? undefined : "warning");
    expect(warned?.message ?? "").toContain(host ?? "");
  });

  it("means this machine by its names and addresses alone", () => {
    const hosts = ["localhost", "127.0.0.1", "[::1]", "erp.localhost", "127.0.0.1.example", "localhost.example"];
    expect(hosts.filter((host) => !isLoopback(host))).toEqual(["127.0.0.1.example", "localhost.example"]);
    expect(otherMachine("nonsense", isLoopback)).toBeUndefined();
  });
});

describe("the path of a SQLite file", () => {
  it.each([
    ["linux", "sqlite:/srv/erp.db", "/srv/erp.db"],
    ["linux", "sqlite:///srv/erp.db", "/srv/erp.db"],
    ["linux", "SQLite:erp.db", "erp.db"],
    ["linux", "file:///srv/erp%20data.db", "/srv/erp data.db"],
    ["linux", "sqlite:/C:/erp.db", "/C:/erp.db"],
    ["win32", "sqlite:C:\\ERP\\erp.db", "C:\\ERP\\erp.db"],
    ["win32", "sqlite:C:/ERP/erp.db", "C:/ERP/erp.db"],
    ["win32", "sqlite:/C:/ERP/erp.db", "C:/ERP/erp.db"],
    ["win32", "sqlite:///c:/ERP/erp.db", "c:/ERP/erp.db"],
    ["win32", "sqlite:\\\\server\\share\\erp.db", "\\\\server\\share\\erp.db"],
    ["win32", "sqlite:////server/share/erp.db", "//server/share/erp.db"],
    ["win32", "file:///C:/ERP/erp%20data.db", "C:\\ERP\\erp data.db"],
    ["win32", "FILE:///C:/erp.db", "C:\\erp.db"],
  ] as const)("on %s, %s is %s", (platform, url, path) => {
    expect(sqlitePath(url, platform)).toBe(path);
  });
});
