import { startPostgres } from "../../setup/postgres.ts";
import { openSql } from "../../sources/sql/opened.ts";
import { never } from "../../kit/outcome.ts";
import { destinationIn, report, withInbox } from "./sql-inbox.ts";

/** How many reports with five lines a second go into PostgreSQL; `--disk`: as a server in use, which waits for its disk. */
const waits = process.argv.includes("--disk");
await using postgres = await startPostgres({ waitsForDisk: waits });
await using erp = await withInbox(await openSql("postgres", postgres.url), "postgres");
await using destination = destinationIn(erp.source);
await destination.deliver(report(100_000), never);
for (const together of [1, 2]) {
  const from = performance.now();
  let id = together * 10_000;
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (let n = 0; n < 1500 / together; n++) await destination.deliver(report(id++), never);
    }),
  );
  process.stdout.write(
    `${together} at a time: ${Math.round(1500_000 / (performance.now() - from))} reports a second\n`,
  );
}
const ids = Array.from({ length: 1000 }, (_, at) => report(10_000 + at));
const from = performance.now();
await destination.answers(ids, never);
process.stdout.write(`1,000 open ones asked about in ${Math.round(performance.now() - from)} ms\n`);
