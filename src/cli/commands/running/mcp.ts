import type { GlobalOptions, Registration } from "../../command-context.ts";
import { exitCode, type Io } from "../../output/io.ts";

const mcpWords = `
A client of the protocol starts it and talks to it on standard input and output; messages go to standard error. The tools read: status,
explain, records, plan, check, sync_file_help. Nothing can be written. What they return leaves this machine with the client, including
data of records: docs/commands.md has the limits.
`;

export const registerMcp: Registration = (cli) =>
  cli
    .command(
      "mcp",
      "Let an assistant read status, records, plans and findings over the Model Context Protocol; write nothing",
    )
    .addHelpText("after", mcpWords)
    .action(cli.action(mcp));

/** `svcsync mcp`: serves an assistant that may only read, until its client ends the input. */
async function mcp(options: GlobalOptions, io: Io): Promise<number> {
  if (io.isTerminal) io.stderr.write("A client of the Model Context Protocol starts this command. Ctrl-C ends it.\n");
  // Only this command needs the protocol's library.
  const { serve } = await import("../../mcp/serve.ts");
  await serve(options, io);
  return exitCode.ok;
}
