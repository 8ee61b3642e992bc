import { describe, expect, it } from "vitest";
import { errorFacts, systemClock } from "#model";
import { adapters } from "#sources";
import { RenewingSource } from "../../../src/daemon/systems/renewing-source.ts";
import { silentLogger } from "../../kit/logger.ts";
import { never, thrownBy } from "../../kit/outcome.ts";
import { startPostgres } from "../../setup/postgres.ts";
import { openWriter } from "../../sources/sql/writer.ts";

describe("an inbox whose credentials may be replaced", () => {
  it("repeats what a refused login kept from being written, once, with the new ones", async () => {
    await using postgres = await startPostgres({ hba: ["host all lane 127.0.0.1/32 scram-sha-256"] });
    await using writer = await openWriter(postgres.url);
    await writer.run(`create table heads (nr int primary key); create role lane login password 'new';
      grant insert, select on heads to lane`);
    const sql = adapters.get("sql")!;
    const settingsOf = (password: string) =>
      sql.settings.parse({ url: postgres.url.replace("svcsync@", `lane:${password}@`) });
    const passwords = ["new"];
    await using source = await RenewingSource.open({
      settings: settingsOf("old"),
      open: async (settings) => await sql.open(settings, { name: "erp", clock: systemClock, logger: silentLogger }),
      renew: () => {
        const password = passwords.shift();
        return password === undefined ? undefined : settingsOf(password);
      },
    });
    await using inbox = source.tableInbox!({ adds: ["heads"], reads: [] });
    const table = await inbox.describe("heads", never);
    expect(await inbox.add([{ table, columns: ["nr"], rows: [[1]] }], never)).toBe("added");
    await writer.run(
      "alter role lane password 'newer'; select pg_terminate_backend(pid) from pg_stat_activity where usename = 'lane'",
    );
    const again = () => inbox.add([{ table, columns: ["nr"], rows: [[2]] }], never);
    // The connection that the server ended is noticed by the first attempt.
    await expect.poll(async () => errorFacts(await thrownBy(again())).code).toBe("E_SOURCE_LOGIN");
    passwords.push("newer");
    expect(await again()).toBe("added");
    expect(await writer.one("select count(*) from heads")).toBe("2");
  });
});
