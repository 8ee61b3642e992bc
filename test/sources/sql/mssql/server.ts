import { describe, expect, it } from "vitest";
import { openWriter } from "../writer.ts";

/** The address of a running SQL Server, whose user may create and drop databases. Each test has one of its own and drops it. */
export const mssqlUrl = process.env["MSSQL_TEST_URL"];

/** Why a run leaves SQL Server out; undefined where it does not. */
export const mssqlAbsent =
  mssqlUrl === undefined
    ? "SQL Server cannot be installed for a test: set MSSQL_TEST_URL to the address of one, see src/sources/sql/README.md"
    : undefined;

/** What answers at {@link mssqlUrl}, and what it lacks. */
export interface MssqlServer {
  /** Babelfish for PostgreSQL: another server that speaks SQL Server's protocol and language. */
  readonly isBabelfish: boolean;
  readonly version: string;
}

/** A test of the server, so that a run without one says in its report what is missing. */
export function expectMssql(): void {
  describe("SQL Server", () => {
    it("answers at MSSQL_TEST_URL", async (context) => {
      context.skip(mssqlAbsent !== undefined, mssqlAbsent);
      expect((await mssqlServer()).version).toMatch(/SQL Server/);
    });
  });
}

let asked: Promise<MssqlServer> | undefined;

/** Asks the server once what it is. */
export function mssqlServer(): Promise<MssqlServer> {
  asked ??= ask();
  return asked;
}

async function ask(): Promise<MssqlServer> {
  if (mssqlUrl === undefined) throw new TypeError(mssqlAbsent);
  await using writer = await openWriter(mssqlUrl);
  const version = await writer.one("select @@version");
  return { isBabelfish: version.startsWith("Babelfish"), version };
}
