import { DEFAULT_ACCOUNT, DEFAULT_TOKEN, startSandbox, type SandboxOptions } from "#sandbox";
import { exitCode, type Io } from "./io.ts";
import { whenAborted } from "./when-aborted.ts";

/** `svcsync sandbox`: the stand-in for the service, until it is stopped. */
export async function sandbox(options: SandboxOptions, io: Io): Promise<number> {
  await using running = await startSandbox(options);
  io.stdout.write(
    [
      `The service stands at ${running.url}`,
      `  token          ${DEFAULT_TOKEN}`,
      `  login          ${DEFAULT_ACCOUNT.username} / ${DEFAULT_ACCOUNT.password}`,
      `Records, ledger and faults: ${running.controlUrl}/__sandbox/`,
      "Ctrl-C ends it.",
      "",
    ].join("\n"),
  );
  await whenAborted(io.signal);
  return exitCode.ok;
}
