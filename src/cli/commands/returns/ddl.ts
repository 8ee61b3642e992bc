import { Option } from "commander";
import { inboxDdl } from "#returns";
import { readOfflineContext, type GlobalOptions, type Registration } from "../../command-context.ts";
import { exitCode, UsageError, type Io } from "../../output/io.ts";

interface DdlOptions extends GlobalOptions {
  readonly dialect: "postgres" | "mysql" | "mssql" | "sqlite";
}

/** `svcsync returns ddl`, below the command `returns`. */
export const registerReturnsDdl: Registration = (cli) =>
  cli
    .command("ddl", "Print the statements that create the inbox, for the person who administers the ERP's database")
    .addOption(
      new Option("--dialect <database>", "the ERP's database")
        .choices(["postgres", "mysql", "mssql", "sqlite"])
        .makeOptionMandatory(),
    )
    .action(cli.action(ddl));

/** Connects to nothing: the tables and columns are those of the sync file. */
async function ddl({ dialect, ...options }: DdlOptions, io: Io): Promise<number> {
  const { syncFile } = await readOfflineContext(options, io);
  const streams = syncFile.returns.filter(({ to }) => to.table !== undefined);
  if (streams.length === 0)
    throw new UsageError('nothing under "returns" in the sync file names a table, so there is no inbox to create.');
  const sources = [...new Set(streams.map(({ to }) => to.source))];
  for (const source of sources) {
    if (sources.length > 1) io.ownWords.write(`-- For the database of source ${source}:\n\n`);
    const own = streams.filter(({ to }) => to.source === source);
    io.ownWords.write(inboxDdl(dialect, own));
  }
  return exitCode.ok;
}
