import { describe, expect, it } from "vitest";
import { SourceDatabase } from "../../../../src/sources/sql/database.ts";
import { engineOf } from "../../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../../src/sources/sql/settings.ts";
import { sql } from "../../../../src/sources/sql/sql-text.ts";
import { never } from "../../../kit/outcome.ts";
import { scriptedServer, type SaidError } from "./scripted-server.ts";

const ask = async (url: string) => {
  const engine = engineOf(settings.parse({ url, tls: { mode: "off" } }));
  await using database = new SourceDatabase(engine, { source: "erp", connections: 1 });
  return await database.ask(sql`select 1`, never);
};

const noDatabase: SaidError = {
  number: 4060,
  severity: 11,
  message: 'Cannot open database "erp" requested by the login.',
};
const noLogin: SaidError = { number: 18456, severity: 14, message: "Login failed for user 'reader'." };

describe("a connection to SQL Server", () => {
  it("that ends in the middle of an answer is a reason to try again", async () => {
    await using server = await scriptedServer();
    await expect(ask(server.url)).rejects.toMatchObject({ code: "E_SOURCE_UNREACHABLE", family: "retry" });
  });

  it.each([
    ["a database that is not there", [noDatabase, noLogin], "E_SOURCE_DATABASE", noDatabase.message],
    ["a wrong password", [noLogin], "E_SOURCE_LOGIN", noLogin.message],
  ] as const)(
    "that is refused for %s says so, by the first of the server's messages",
    async (_what, said, code, message) => {
      await using server = await scriptedServer(said);
      await expect(ask(server.url)).rejects.toMatchObject({
        code,
        family: "park",
        message: expect.stringContaining(message),
      });
    },
  );
});
