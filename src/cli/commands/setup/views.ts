import { readFileSync } from "node:fs";
import { Argument, Option } from "commander";
import { programFile } from "#model";
import type { GlobalOptions, Registration } from "../../command-context.ts";
import { exitCode, UsageError, type Io } from "../../output/io.ts";
import { viewDialects, viewStatements, type ViewDialect } from "../../views/view-statements.ts";

/** The ERPs that there is an example for, each a file beside the presets, with the database that it is written for. */
const examples = {
  sage100: "mssql",
  nav: "mssql",
  businessOne: "mssql",
  joined: "postgres",
} as const satisfies Record<string, ViewDialect>;

interface ViewsOptions extends GlobalOptions {
  readonly example?: keyof typeof examples;
}

export const registerViews: Registration = (cli) =>
  cli
    .command("views", 'Print the statements that create the views of "init --erp views", for the ERP\'s database')
    .addArgument(new Argument("<database>", "the ERP's database").choices([...viewDialects]))
    .addOption(new Option("--example <erp>", "filled in for one kind of ERP").choices(Object.keys(examples)))
    .action(cli.action(views));

/** `svcsync views DATABASE`: the statements for the person who administers the ERP's database. */
function views(dialect: ViewDialect, { example }: ViewsOptions, io: Io): Promise<number> {
  if (example !== undefined && examples[example] !== dialect)
    throw new UsageError(
      `the example ${example} is written for ${examples[example]}: "svcsync views ${examples[example]} --example ${example}".`,
    );
  io.ownWords.write(example === undefined ? viewStatements(dialect) : exampleText(example));
  return Promise.resolve(exitCode.ok);
}

function exampleText(name: string): string {
  return readFileSync(programFile(`cli/init/presets/views/${name}.sql`), "utf8");
}
