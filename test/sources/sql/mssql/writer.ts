import { Connection, Request } from "tedious";
import { settings } from "../../../../src/sources/sql/settings.ts";
import { mssqlOptions } from "../../../../src/sources/sql/mssql/mssql-session.ts";
import type { Writer } from "../writer.ts";

/** Batches, so that a transaction may span several of them. A line `go` ends one, as in the tools of SQL Server. */
export async function mssqlWriter(url: string): Promise<Writer> {
  const options = mssqlOptions(settings.parse({ url, tls: { mode: "trust" } }));
  const connection = new Connection({ ...options, options: { ...options.options, appName: "erp" } });
  connection.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  const batch = async (text: string): Promise<string> =>
    await new Promise((resolve, reject) => {
      let first = "";
      const request = new Request(text, (error) => (error ? reject(error) : resolve(first)));
      request.on("row", (row: { value: unknown }[]) => {
        first = row.map(({ value }) => String(value))[0] ?? "";
      });
      connection.execSqlBatch(request);
    });
  return {
    async run(text) {
      for (const part of text.split(/^go$/im)) if (part.trim() !== "") await batch(part);
    },
    one: batch,
    [Symbol.asyncDispose]: async () => connection.close(),
  };
}
